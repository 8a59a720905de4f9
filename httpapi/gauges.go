package httpapi

import (
	"github.com/gongu-ai/gongu/source"
	"github.com/gongu-ai/gongu/telemetry"
)

// gauges reports the backend's tools and sources to the metrics.
func (a *API) gauges(emit func(telemetry.Sample)) {
	emit(telemetry.Sample{Name: "gongu_tools", Help: "Tools in the registry.", Value: float64(a.opts.Backend.Registry().Len())})
	lost := 0
	if a.opts.LostVMs != nil {
		lost = a.opts.LostVMs()
	}
	emit(telemetry.Sample{Name: "gongu_script_lost_vms", Help: "Script machines that did not stop when they had to.", Value: float64(lost)})
	states := map[source.State]int{}
	for _, s := range a.opts.Sources.Status() {
		states[s.State]++
	}
	// Every state has a value, also zero: an alert on an absent one never fires.
	for _, state := range []source.State{
		source.Idle, source.Connecting, source.Ready, source.Degraded, source.Failed, source.Quarantined,
	} {
		emit(telemetry.Sample{
			Name: "gongu_sources", Help: "Sources of tools, by state.",
			Labels: map[string]string{"state": string(state)}, Value: float64(states[state]),
		})
	}
}
