package doctor

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/script"
)

// checkRuntimes looks for the programs that tools of the bundle run in.
func (o *Options) checkRuntimes(b *bundle.Bundle) []Check {
	if b == nil {
		return nil // checkBundle reports it
	}
	users := map[string][]string{}
	for _, tool := range b.Tools() {
		if runtime := tool.Spec.Runtime; runtime == script.RuntimeBun || runtime == script.RuntimeNode {
			users[runtime] = append(users[runtime], tool.Identity())
		}
	}
	var checks []Check
	for _, runtime := range slices.Sorted(maps.Keys(users)) {
		tools := strings.Join(users[runtime], ", ")
		c := Check{Name: "runtime " + runtime, Status: OK}
		if path, err := exec.LookPath(runtime); err == nil {
			c.Detail = lang.CLIDoctorRuntimeUsed.In(o.Lang, path, tools)
		} else {
			c.Status, c.Detail = Problem, lang.CLIDoctorRuntimeNone.In(o.Lang, tools)
			c.Next = lang.CLIDoctorRuntimeHint.In(o.Lang, script.RuntimeName(runtime), script.RuntimeHome(runtime))
		}
		checks = append(checks, c)
	}
	return checks
}

// checkLosses reports scripts that exceeded their time limit and could not be
// stopped.
func (o *Options) checkLosses() []Check {
	state, err := o.State()
	if err != nil || !fsx.IsFile(host.LossesFile(state)) {
		return nil // checkFolders reports a state root without a path
	}
	losses, err := host.Losses(state)
	if err != nil {
		return []Check{{Name: "scripts", Status: Problem, Detail: err.Error()}}
	}
	if len(losses) == 0 {
		return nil
	}
	last := losses[len(losses)-1]
	return []Check{{
		Name: "scripts", Status: Problem,
		Detail: lang.CLIDoctorLosses.In(o.Lang, len(losses), last.Export, last.Module, last.Time.Format(time.DateTime)),
		Next:   lang.CLIDoctorLossHint.In(o.Lang, host.LossesFile(state)),
	}}
}
