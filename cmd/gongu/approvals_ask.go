package main

import (
	"context"

	"github.com/gongu-ai/gongu/internal/ask"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// asker asks at the terminal of this process. Describe says what a call does with
// other arguments, if the tools are at hand.
func (a *app) asker(describe func(context.Context, *state.ApprovalCall) policy.Preview) *ask.Asker {
	dir, err := a.statePath()
	if err != nil || !isDir(dir) {
		dir = "" // the folder for temporary files
	}
	return ask.New(ask.Options{
		Lang:     a.lang,
		Writer:   &terminal.Writer{Secrets: a.secrets, Colour: a.colour},
		Getenv:   a.getenv,
		Show:     func(id string) string { return a.againWords("approvals", "show", id) },
		Dir:      dir,
		Describe: describe,
	})
}
