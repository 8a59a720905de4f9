package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// absolutePath makes a folder absolute, for a command that is run elsewhere.
func absolutePath(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

// waitForConsent serves a client on pipes without tools until there is a consent.
// There is no person to ask, and a repository's settings of the client could hold
// any flag and variable.
func (a *app) waitForConsent(o *host.ConsentOptions) {
	if o.Trust != "" {
		fmt.Fprintln(a.stderr, lang.CLITrustIgnored.In(a.lang))
	}
	o.Trust, o.Ask, o.Wait = "", nil, true
}

// ignoreEnvironment gives the variables and the flag that choose other folders for
// consents, state and settings their usual values, unless a person has accepted
// the choice at a terminal: a repository's settings of the client could lead to
// consents and state that the repository brought along.
func (a *app) ignoreEnvironment() error {
	ignored := a.account().Unaccepted(a.account().Choices(a.stateRoot))
	if len(ignored) == 0 {
		return a.account().Ignore(nil)
	}
	var names []string
	for _, c := range ignored {
		names = append(names, c.Name+"="+c.Value)
		if c.Name == "GONGU_STATE_ROOT" {
			a.stateRoot = ""
		}
	}
	fmt.Fprintln(a.stderr, lang.CLIEnvironmentIgnored.In(a.lang, visible(strings.Join(names, " ")), a.commandOn("trust", absolutePath(a.bundleFolder()))))
	return a.account().Ignore(ignored)
}

// environmentText lists what the environment chooses that is not accepted yet.
func (a *app) environmentText() string {
	var b strings.Builder
	for i, c := range a.account().Unaccepted(a.account().Choices(a.stateRoot)) {
		if i == 0 {
			fmt.Fprintln(&b, lang.CLIEnvironmentChooses.In(a.lang))
		}
		fmt.Fprintln(&b, "  - "+visible(c.Name+"="+c.Value))
	}
	return b.String()
}

// acceptEnvironment records what the environment of a person who has just
// consented chooses. Without the record only clients ignore it.
func (a *app) acceptEnvironment() {
	if err := a.account().Accept(a.account().Choices(a.stateRoot)); err != nil {
		a.complain(visible(err.Error()))
	}
}

// followHeld shows changes that --dev does not accept by itself.
func (a *app) followHeld(ctx context.Context, h *host.Host) {
	a.showHeld(h)
	for e := range h.Events(ctx) {
		if e.Kind == event.Held {
			a.showHeld(h)
		}
	}
}

func (a *app) showHeld(h *host.Host) {
	held := h.Held()
	if held == nil || held.Err != nil || held.Waiting {
		return
	}
	a.shownHeld.Store(&held.Digest)
	fmt.Fprint(a.stderr, lang.CLIDevHeld.In(a.lang)+"\n"+a.texts().Changes(held.Changes)+lang.CLIDevAccept.In(a.lang)+"\n")
}

// watchDev asks the person at the terminal about calls, one after the other, and
// takes a yes that is typed in between for the held change that was shown.
func (a *app) watchDev(ctx context.Context, h *host.Host) {
	w := a.watcher(h.Approvals())
	w.Idle = func(line string) { a.acceptHeld(h, line) }
	if err := w.Run(ctx); err != nil {
		a.complain(visible(err.Error()))
	}
}

// acceptHeld accepts the held change when a person types yes.
func (a *app) acceptHeld(h *host.Host, line string) {
	if h.Held() == nil || !terminal.IsYes(line) {
		return
	}
	// What was shown is what is accepted.
	shown := a.shownHeld.Load()
	p, err := a.propose(a.findBundle(), nil)
	if err == nil && shown != nil && p.Digest == *shown && len(p.Problems()) == 0 && a.grant(p, "serve --dev", p.KeepsRules()) == nil {
		fmt.Fprintln(a.stderr, lang.CLIDevAccepted.In(a.lang))
		return
	}
	a.showHeld(h)
}
