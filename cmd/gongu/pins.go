package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/pin"
)

func (a *app) pinsCommand() *cobra.Command {
	return a.group(&cobra.Command{
		Use:   "pins",
		Short: lang.CLIPinsShort.In(a.lang),
		Long:  lang.CLIPinsLong.In(a.lang),
		Example: "  gongu pins list -b my-bundle\n" +
			"  gongu pins diff\n" +
			"  gongu pins accept search_issues\n" +
			"  gongu pins check",
	}, a.pinsList(), a.pinsDiff(), a.pinsAccept(), a.pinsCheck())
}

func (a *app) pinsList() *cobra.Command {
	cmd := a.pinsSub("list [-b DIR] [--json]", lang.CLIPinsListShort, false, func(_ context.Context, h *host.Host, _ []string) error {
		all, err := h.Sources().Pins()
		if err != nil {
			return err
		}
		return a.printPins(all)
	})
	cmd.Args = a.noArguments
	return cmd
}

func (a *app) pinsDiff() *cobra.Command {
	return a.pinsSub("diff [-b DIR] [NAME...] [--json]", lang.CLIPinsDiffShort, false, func(_ context.Context, h *host.Host, names []string) error {
		all, err := h.Sources().Pins()
		if err != nil {
			return err
		}
		chosen, err := pin.Choose(all, names...)
		if err != nil {
			return a.pinFailed(err)
		}
		if a.json {
			return a.writeJSON(httpapi.ViewPins(chosen))
		}
		if len(chosen) == 0 {
			a.complain(lang.CLIPinsNoneHeld.In(a.lang))
			return nil
		}
		return a.print(a.texts().PinDiff(chosen) + a.texts().AcceptNext(chosen))
	})
}

func (a *app) pinsAccept() *cobra.Command {
	all := false
	cmd := a.pinsSub("accept [-b DIR] NAME... | --all [--json]", lang.CLIPinsAcceptShort, true, func(ctx context.Context, h *host.Host, names []string) error {
		held, err := h.Sources().Pins()
		if err != nil {
			return err
		}
		if held, err = pin.Choose(held, names...); err != nil {
			return a.pinFailed(err)
		}
		if len(held) == 0 {
			return a.printAccepted(nil)
		}
		if err := a.decided(a.texts().PinDiff(held) + "\n" + lang.CLIDecidePins.In(a.lang)); err != nil {
			return err
		}
		shown := make([]string, len(held)) // with digests: what is listed by then may be another
		for i, v := range held {
			shown[i] = v.FullName()
		}
		accepted, err := h.Sources().AcceptPins(ctx, shown...)
		if err != nil {
			return a.pinFailed(err)
		}
		for _, v := range accepted {
			a.recordDecision(ctx, "pin.accepted", report.PinName(v), v.Digest())
		}
		return a.printAccepted(accepted)
	})
	cmd.Flags().BoolVar(&all, "all", false, lang.CLIFlagPinsAll.In(a.lang))
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case all && len(args) > 0:
			return a.misuse(cmd, "", lang.CLIFlagsConflict, "all", args[0])
		case !all && len(args) == 0:
			return a.misuse(cmd, lang.CLIPinsWhichHint.In(a.lang, a.againWords("pins", "diff")), lang.CLIPinsWhich)
		}
		return nil
	}
	return cmd
}

// pinsCheck lists every source and compares it with gongu.lock, which it does not
// change. It fails when they differ: for continuous integration.
func (a *app) pinsCheck() *cobra.Command {
	flags := &openFlags{checkPins: true}
	return &cobra.Command{
		Use:   "check [-b DIR] [--json]",
		Short: lang.CLIPinsCheckShort.In(a.lang),
		Long:  lang.CLIPinsCheckLong.In(a.lang),
		Args:  a.noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := a.open(cmd, flags)
			if err != nil {
				return err
			}
			defer a.close(h)
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			if err := h.Sources().Refresh(ctx); err != nil {
				return err
			}
			all, err := h.Sources().Pins()
			if err != nil {
				return err
			}
			held, err := pin.Choose(all)
			switch {
			case err != nil:
				return err
			case a.json:
				err = a.writeJSON(httpapi.ViewPins(held))
			case len(held) > 0:
				err = a.print(a.texts().PinDiff(held) + a.texts().AcceptNext(held))
			default:
				return a.print(lang.CLIPinsChecked.In(a.lang, len(all)) + "\n")
			}
			if err == nil && len(held) > 0 {
				a.complain(lang.CLIPinsDiffer.In(a.lang, len(held)))
				err = errReported
			}
			return err
		},
	}
}

// pinsSub is a command about the pins of the bundle. No source is reached. One that
// decides is recorded.
func (a *app) pinsSub(use string, short lang.Text, decides bool, work func(context.Context, *host.Host, []string) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short.In(a.lang),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := a.open(cmd, &openFlags{records: decides})
			if err != nil {
				return err
			}
			defer a.close(h)
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			return work(gongu.WithPrincipal(ctx, a.caller()), h, args)
		},
	}
}

func (a *app) printPins(all []pin.Verdict) error {
	if a.json {
		return a.writeJSON(httpapi.ViewPins(all))
	}
	if len(all) == 0 {
		a.complain(lang.CLIPinsNone.In(a.lang))
		fmt.Fprintln(a.stderr, lang.CLIPinsNoneHint.In(a.lang, a.againWords("tools", "--refresh")))
		return nil
	}
	return a.print(a.texts().Pins(all))
}

func (a *app) printAccepted(accepted []pin.Verdict) error {
	if a.json {
		return a.writeJSON(httpapi.ViewPins(accepted))
	}
	if len(accepted) == 0 {
		a.complain(lang.CLIPinsNoneHeld.In(a.lang))
		return nil
	}
	file, err := a.bundleFile("gongu.lock")
	if err != nil {
		return err
	}
	return a.print(a.texts().Accepted(accepted, file))
}

// pinFailed words a wrong name for a person.
func (a *app) pinFailed(err error) error {
	if other, ok := errors.AsType[*pin.DigestError](err); ok {
		return a.fail(lang.CLIPinsOther.In(a.lang, visible(other.Name)), lang.CLIPinsWhichHint.In(a.lang, a.againWords("pins", "diff")))
	}
	wrong, ok := errors.AsType[*pin.NameError](err)
	switch {
	case !ok:
		return err
	case len(wrong.Several) > 0:
		return a.fail(lang.CLIPinsSeveral.In(a.lang, wrong.Name), lang.CLIPinsSeveralHint.In(a.lang, visible(strings.Join(wrong.Several, ", "))))
	case len(wrong.Near) > 0:
		return a.fail(lang.CLIPinsUnknown.In(a.lang, wrong.Name), lang.CLIDidYouMean.In(a.lang, visible(strings.Join(wrong.Near, ", "))))
	default:
		return a.fail(lang.CLIPinsUnknown.In(a.lang, wrong.Name), lang.CLIPinsUnknownHint.In(a.lang, a.againWords("pins", "list")))
	}
}
