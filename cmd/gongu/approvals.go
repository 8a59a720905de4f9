package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/ask"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

func (a *app) approvalsCommand() *cobra.Command {
	return a.group(&cobra.Command{
		Use:   "approvals",
		Short: lang.CLIApprovalsShort.In(a.lang),
		Long:  lang.CLIApprovalsLong.In(a.lang),
		Example: "  gongu approvals list\n" +
			"  gongu approvals show ap-2b7x\n" +
			"  gongu approvals approve ap-2b7x\n" +
			"  gongu approvals deny ap-2b7x --reason 'use the staging server'\n" +
			"  gongu approvals watch",
	}, a.approvalsList(), a.approvalsShow(), a.approvalsApprove(), a.approvalsDeny(), a.approvalsWatch())
}

// maxListed is how many approvals that are over are listed.
const maxListed = 200

func (a *app) approvalsList() *cobra.Command {
	cmd := &cobra.Command{Use: "list [--all] [--json]", Short: lang.CLIApprovalsListShort.In(a.lang), Args: a.noArguments}
	all := cmd.Flags().Bool("all", false, lang.CLIFlagApprovalsAll.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var list []*state.Approval
		more := false
		at, err := a.locateStore()
		if err != nil {
			return err
		}
		if at.file == "" || isFile(at.file) { // a file that is not there is not made
			store, err := a.openStore(cmd.Context())
			if err != nil {
				return err
			}
			if list, more, err = ask.List(cmd.Context(), store, *all, maxListed); err != nil {
				return err
			}
		}
		if a.json {
			views := []ask.View{}
			for _, v := range list {
				views = append(views, ask.ViewOf(v))
			}
			return a.writeJSON(views)
		}
		return a.printApprovals(list, *all, more)
	}
	return cmd
}

func (a *app) printApprovals(list []*state.Approval, all, more bool) error {
	if len(list) == 0 {
		text := lang.CLIApprovalsNone
		if all {
			text = lang.CLIApprovalsNoneAll
		}
		return a.print(text.In(a.lang) + "\n")
	}
	width := 0
	if terminal.IsTerminal(a.output) {
		width = terminal.Width(a.output)
	}
	text := ask.Table(list, width, a.lang)
	if more {
		text += lang.CLIApprovalsMore.In(a.lang, len(list)) + "\n"
	}
	if list[0].State == state.ApprovalPending {
		text += lang.CLIApprovalsNext.In(a.lang, a.againWords("approvals", "approve", list[0].ID)) + "\n"
	}
	return a.print(text)
}

func (a *app) approvalsShow() *cobra.Command {
	return a.approvalsSub("show ID [--json]", lang.CLIApprovalsShowShort, func(_ context.Context, _ *state.Store, v *state.Approval) error {
		if a.json {
			return a.writeJSON(ask.ViewOf(v))
		}
		text := ask.Text(v, ask.TextOptions{Lang: a.lang, Whole: true, Paint: a.painter(a.output)})
		if v.State == state.ApprovalPending {
			text += lang.CLIApprovalsNext.In(a.lang, a.againWords("approvals", "approve", v.ID)) + "\n"
		}
		return a.print(text)
	})
}

func (a *app) approvalsApprove() *cobra.Command {
	return a.approvalsSub("approve ID [--json]", lang.CLIApprovalsYesShort, func(ctx context.Context, store *state.Store, v *state.Approval) error {
		if v.State != state.ApprovalPending {
			return a.noLongerOpen(v)
		}
		d, err := a.decider(store).Decide(ctx, v.ID)
		if err != nil {
			return a.notAnswered(err)
		}
		return a.printDecision(d)
	})
}

func (a *app) approvalsDeny() *cobra.Command {
	reason := ""
	cmd := a.approvalsSub("deny ID [--reason R] [--json]", lang.CLIApprovalsNoShort, func(ctx context.Context, store *state.Store, v *state.Approval) error {
		for {
			if v.State != state.ApprovalPending {
				return a.noLongerOpen(v)
			}
			text := ask.Text(v, ask.TextOptions{Lang: a.lang, All: a.againWords("approvals", "show", v.ID)})
			if err := a.decided(text + "\n" + lang.CLIApprovalsDeny.In(a.lang, v.ID)); err != nil {
				return err
			}
			d, err := a.decider(store).Deny(ctx, v, reason)
			if err != nil {
				return err
			}
			if d.Outcome != policy.Changed {
				return a.printDecision(d)
			}
			v = d.Approval // it asks for something else by now
		}
	})
	cmd.Flags().StringVar(&reason, "reason", "", lang.CLIFlagApprovalsReason.In(a.lang))
	return cmd
}

// approvalsSub is a command about one approval.
func (a *app) approvalsSub(use string, short lang.Text, work func(context.Context, *state.Store, *state.Approval) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short.In(a.lang),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return a.misuse(cmd, "", lang.CLIApprovalsNeedID, cmd.Name())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := a.locateStore()
			if err != nil {
				return err
			}
			if at.file != "" && !isFile(at.file) {
				return a.noApproval(args[0])
			}
			store, err := a.openStore(cmd.Context())
			if err != nil {
				return err
			}
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			found, err := store.GetApproval(ctx, args[0])
			if errors.Is(err, state.ErrNotFound) {
				return a.noApproval(args[0])
			}
			if err != nil {
				return err
			}
			return work(ctx, store, found)
		},
	}
}

func (a *app) noApproval(id string) error {
	return a.fail(lang.CLIApprovalsUnknown.In(a.lang, visible(id)), lang.CLIApprovalsUnknownTip.In(a.lang, a.againWords("approvals", "list", "--all")))
}

func (a *app) noLongerOpen(v *state.Approval) error {
	return a.fail(lang.CLIApprovalsOver.In(a.lang, v.ID, visible(ask.Outcome(v, a.lang))), lang.CLIApprovalsOverTip.In(a.lang, a.againWords("approvals", "show", v.ID)))
}

// notAnswered says why a question got no answer.
func (a *app) notAnswered(err error) error {
	switch {
	case errors.Is(err, terminal.ErrNone), errors.Is(err, terminal.ErrDescendant):
		return a.cannotAsk(err)
	case errors.Is(err, ask.ErrBackground):
		return a.fail(lang.CLIApprovalsBackground.In(a.lang), lang.CLIApprovalsForeground.In(a.lang))
	case errors.Is(err, io.EOF), errors.Is(err, context.Canceled):
		a.complain(lang.CLIDecideNo.In(a.lang))
		return errReported
	}
	return err
}

// printDecision says what became of an answer.
func (a *app) printDecision(d ask.Decision) error {
	v := d.Approval
	switch {
	case d.Refused != nil:
		return a.fail(lang.CLIApprovalsRefused.In(a.lang, v.ID, visible(d.Refused.Error())), lang.CLIApprovalsRefusedTip.In(a.lang, a.againWords("approvals", "show", v.ID)))
	case d.Outcome == policy.Already:
		return a.noLongerOpen(v)
	case a.json:
		return a.writeJSON(ask.ViewOf(v))
	case !d.Answer.Approve:
		return a.print(lang.CLIApprovalsDenied.In(a.lang, v.ID, visible(v.Tool)) + "\n")
	}
	text := lang.CLIApprovalsApproved.In(a.lang, v.ID, visible(v.Tool)) + "\n"
	if v.Way == state.WaitPermit {
		text += lang.CLIApprovalsPermit.In(a.lang, v.Expires.Local().Format(time.TimeOnly)) + "\n"
	}
	if d.Answer.Remember == policy.RememberInstance && d.NotRemembered == nil {
		text += lang.CLIApprovalsRemembered.In(a.lang, time.Now().Add(state.RememberLife).Local().Format(time.DateTime)) + "\n"
	}
	if err := a.print(text); err != nil || d.NotRemembered == nil {
		return err
	}
	a.complain(lang.CLIApprovalsForgot.In(a.lang, visible(d.NotRemembered.Error())))
	return errReported
}

func (a *app) approvalsWatch() *cobra.Command {
	return &cobra.Command{
		Use:   "watch [--json]",
		Short: lang.CLIApprovalsWatchShort.In(a.lang),
		Long:  lang.CLIApprovalsWatchLong.In(a.lang),
		Args:  a.noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.openStore(cmd.Context())
			if err != nil {
				return err
			}
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			text := lang.CLIApprovalsWatching
			if atTerminal() {
				text = lang.CLIApprovalsWaiting
			}
			fmt.Fprintln(a.stderr, text.In(a.lang))
			return a.watcher(store).Run(ctx)
		},
	}
}

// watcher shows the questions of a store as they come.
func (a *app) watcher(store policy.ApprovalStore) *ask.Watcher {
	return &ask.Watcher{
		Person: a.decider(store),
		Decided: func(d ask.Decision) error {
			if err := a.printDecision(d); !errors.Is(err, errReported) {
				return err
			}
			return nil // it is printed, and the next question comes
		},
		Line: func(v *state.Approval) error {
			if a.json {
				return a.printJSON(encodeJSON(ask.ViewOf(v), false))
			}
			return a.print(fmt.Sprintf("%s %s %s %s\n", v.ID, visible(v.Tool), cmp.Or(visible(ask.Caller(v, a.lang)), "-"), oneLine(visible(ask.Summary(v)))))
		},
	}
}

// decider is the user at the terminal of this process.
func (a *app) decider(store policy.ApprovalStore) *ask.Person {
	return &ask.Person{Asker: a.asker(nil), Store: store, Name: a.userName()}
}
