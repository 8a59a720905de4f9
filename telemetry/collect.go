package telemetry

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Sample is one figure that another part of the program reports.
type Sample struct {
	// Name such as gongu_mcp_passed_total. All samples of a name have the same
	// Help, kind and names of labels.
	Name, Help string
	// Counter says that it only ever grows; otherwise it is as of now.
	Counter bool
	Labels  map[string]string
	Value   float64
}

// maxSamples bounds what one hook can add to a scrape.
const maxSamples = 1000

// Collect adds a hook that is asked at every scrape. It must be quick and may
// be called from several goroutines. What it gives beyond a thousand samples,
// twice, or under a name that cannot be, is left out.
func (m *Metrics) Collect(hook func(emit func(Sample))) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hooks = append(m.hooks, hook)
}

// hookCollector asks the hooks. What they have is not known ahead, so it
// describes nothing.
type hookCollector struct{ metrics *Metrics }

func (hookCollector) Describe(chan<- *prometheus.Desc) {}

func (c hookCollector) Collect(out chan<- prometheus.Metric) {
	c.metrics.mu.Lock()
	hooks := slices.Clone(c.metrics.hooks)
	c.metrics.mu.Unlock()
	g := gathering{out: out, forms: map[string]string{}, seen: map[string]bool{}}
	for _, hook := range hooks {
		g.left = maxSamples
		g.ask(hook)
	}
}

// gathering is one scrape: it keeps one hook from spoiling all others.
type gathering struct {
	out   chan<- prometheus.Metric
	forms map[string]string // help, kind and labels of a name
	seen  map[string]bool
	left  int
}

func (g *gathering) ask(hook func(emit func(Sample))) {
	// A hook that panics has given what it has given.
	defer func() { _ = recover() }()
	hook(g.take)
}

var sampleName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

func (g *gathering) take(s Sample) {
	names := slices.Sorted(maps.Keys(s.Labels))
	values := make([]string, len(names))
	for i, name := range names {
		if !sampleName.MatchString(name) || strings.HasPrefix(name, "__") {
			return
		}
		values[i] = clean(s.Labels[name])
	}
	kind := prometheus.GaugeValue
	if s.Counter {
		kind = prometheus.CounterValue
	}
	form := strings.Join(append([]string{s.Help, kind.ToDTO().String()}, names...), "\x00")
	id := strings.Join(append([]string{s.Name}, values...), "\x00")
	if before, ok := g.forms[s.Name]; !sampleName.MatchString(s.Name) || ok && before != form || g.seen[id] || g.left <= 0 {
		return
	}
	made, err := prometheus.NewConstMetric(prometheus.NewDesc(s.Name, s.Help, names, nil), kind, s.Value, values...)
	if err != nil {
		return
	}
	g.forms[s.Name], g.seen[id] = form, true
	g.left--
	g.out <- made
}

// clean makes any text fit for a label.
func clean(value string) string {
	value = strings.ToValidUTF8(value, "�")
	if len(value) > maxLabel {
		value = strings.ToValidUTF8(value[:maxLabel], "")
	}
	return value
}
