package main

import (
	"context"
	"fmt"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/ask"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// rememberedSet is the policy in the user's file that remembered rules are in.
const rememberedSet = "remembered"

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
		Rule: func(r policy.Rule) (text, file string, err error) {
			edit, err := a.remembered(r)
			if err != nil {
				return "", "", err
			}
			return edit.Text, edit.Path, nil
		},
		AddRule: func(ctx context.Context, r policy.Rule) error {
			edit, err := a.remembered(r)
			if err == nil {
				err = edit.Write(ctx)
			}
			if err != nil {
				return err
			}
			a.recordDecision(ctx, "policy.rule", r.Name, "")
			fmt.Fprintln(a.stderr, lang.CLIApprovalsRuled.In(a.lang, visible(edit.Path), command("policy", "remove", r.Name)))
			return nil
		},
	})
}

// remembered is the change that adds a rule to the user's policy.
func (a *app) remembered(r policy.Rule) (*bundle.PolicyEdit, error) {
	path, err := a.userPolicy()
	if err != nil {
		return nil, err
	}
	return bundle.AddRule(path, rememberedSet, r, string(a.lang))
}

// askHere asks the person at the terminal about the calls of this process.
func (a *app) askHere(o *host.PolicyOptions, store *state.Store, describe func(context.Context, *state.ApprovalCall) policy.Preview) {
	k := a.asker(describe)
	o.Asker, o.Terminal = k, a.userName()
	o.Remember = func(ctx context.Context, v *state.Approval, what policy.Remember, _ string) error {
		return k.Remember(ctx, store, v, what)
	}
}
