package main

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/script"
)

// checkRuntimes looks for the programs that tools of the bundle run in.
func (a *app) checkRuntimes(b *bundle.Bundle) []check {
	if b == nil {
		return nil // checkBundle reports it
	}
	users := map[string][]string{}
	for _, tool := range b.Tools() {
		if runtime := tool.Spec.Runtime; runtime == script.RuntimeBun || runtime == script.RuntimeNode {
			users[runtime] = append(users[runtime], tool.Identity())
		}
	}
	var checks []check
	for _, runtime := range slices.Sorted(maps.Keys(users)) {
		tools := strings.Join(users[runtime], ", ")
		c := check{Name: "runtime " + runtime, Status: checkOK}
		if path, err := exec.LookPath(runtime); err == nil {
			c.Detail = lang.CLIDoctorRuntimeUsed.In(a.lang, path, tools)
		} else {
			c.Status, c.Detail = checkProblem, lang.CLIDoctorRuntimeNone.In(a.lang, tools)
			c.Next = lang.CLIDoctorRuntimeHint.In(a.lang, script.RuntimeName(runtime), script.RuntimeHome(runtime))
		}
		checks = append(checks, c)
	}
	return checks
}

// checkLosses reports scripts that exceeded their time limit and could not be
// stopped.
func (a *app) checkLosses() []check {
	state, err := a.statePath()
	if err != nil || !isFile(host.LossesFile(state)) {
		return nil // checkFolders reports a state root without a path
	}
	losses, err := host.Losses(state)
	if err != nil {
		return []check{{Name: "scripts", Status: checkProblem, Detail: err.Error()}}
	}
	if len(losses) == 0 {
		return nil
	}
	last := losses[len(losses)-1]
	return []check{{
		Name: "scripts", Status: checkProblem,
		Detail: lang.CLIDoctorLosses.In(a.lang, len(losses), last.Export, last.Module, last.Time.Format(time.DateTime)),
		Next:   lang.CLIDoctorLossHint.In(a.lang, host.LossesFile(state)),
	}}
}
