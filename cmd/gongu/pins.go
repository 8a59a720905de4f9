package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
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
		return a.print(a.pinDiff(chosen) + a.acceptNext(chosen))
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
		if err := a.decided(a.pinDiff(held) + "\n" + lang.CLIDecidePins.In(a.lang)); err != nil {
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
			a.recordDecision(ctx, "pin.accepted", pinName(v), v.Digest())
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
				err = a.print(a.pinDiff(held) + a.acceptNext(held))
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
	rows := [][]string{{lang.CLIColumnPinnedAs.In(a.lang), lang.CLIColumnSource.In(a.lang), lang.CLIColumnState.In(a.lang), lang.CLIColumnReason.In(a.lang)}}
	for _, v := range all {
		rows = append(rows, []string{cmp.Or(oneLine(visible(v.Name)), lang.CLIPinsLaunchRow.In(a.lang)), visible(v.Source), string(v.State), a.pinReason(v)})
	}
	return a.print(trimRows(table(rows)))
}

// pinReason is what there is to a verdict, in a few words.
func (a *app) pinReason(v pin.Verdict) string {
	var parts []string
	switch n := len(v.Changes); {
	case n == 1:
		parts = append(parts, lang.CLIPinsOneChange.In(a.lang)+": "+visible(v.Changes[0].Path))
	case n > 1:
		parts = append(parts, lang.CLIPinsChanges.In(a.lang, n))
	}
	if n := len(v.Also); n > 0 {
		parts = append(parts, lang.CLIPinsAlsoCount.In(a.lang, n))
	}
	if v.State != pin.Pinned {
		for _, f := range v.Findings {
			if part := f.Rule + ": " + visible(f.Path); !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return oneLine(strings.Join(parts, ", "))
}

// pinDiff shows what differs. The texts come from the server: they are indented,
// and nothing in them can hide or control the terminal.
func (a *app) pinDiff(chosen []pin.Verdict) string {
	var b strings.Builder
	for i, v := range chosen {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", visible(pinName(v)), v.State)
		a.writeVerdict(&b, v)
		for _, f := range v.Findings {
			fmt.Fprintf(&b, "%s\n    %s\n", lang.CLIPinsFinding.In(a.lang, visible(f.Path), f.Rule, f.Severity), visible(f.Excerpt))
		}
	}
	return b.String()
}

// acceptNext is the line that says how to accept what is held back.
func (a *app) acceptNext(chosen []pin.Verdict) string {
	words := []string{"pins", "accept"}
	for _, v := range chosen {
		if v.Held() {
			words = append(words, pinName(v))
		}
	}
	if len(words) == 2 {
		return ""
	}
	if line := shellWords(words); len(words) > 5 || visible(line) != line {
		words = []string{"pins", "accept", "--all"}
	}
	return "\n" + lang.CLIPinsNext.In(a.lang, a.againWords(words...)) + "\n"
}

func (a *app) writeVerdict(b *strings.Builder, v pin.Verdict) {
	line := func(t lang.Text) { b.WriteString(t.In(a.lang) + "\n") }
	switch v.State {
	case pin.Pinned:
		line(lang.CLIPinsSame)
	case pin.Gone:
		line(lang.CLIPinsGoneText)
	case pin.New, pin.Flagged:
		text := lang.CLIPinsNewText
		if v.Elsewhere {
			text = lang.CLIPinsElsewhere
		}
		line(text)
		writeDefinition(b, v.Show)
	case pin.Moved:
		line(lang.CLIPinsMovedText)
	case pin.Changed:
		if len(v.Changes) == 0 {
			line(lang.CLIPinsNoText)
			writeDefinition(b, v.Show)
		}
	}
	writeChanges(b, v.Changes)
	if v.State == pin.Moved && v.Name != "" && v.Pinned != v.Listed && !slices.ContainsFunc(v.Changes, ofDefinition) {
		text := lang.CLIPinsNewText
		if v.Pinned != "" {
			text = lang.CLIPinsNoText
		}
		line(text)
		writeDefinition(b, v.Show)
	}
	for _, other := range v.Also {
		b.WriteString(lang.CLIPinsAlso.In(a.lang, other.Digest) + "\n")
		writeChanges(b, other.Changes)
	}
	if v.Digest() != "" {
		b.WriteString(lang.CLIPinsDigest.In(a.lang, v.Digest()) + "\n")
	}
}

// ofDefinition reports whether a change is not one of how the source is started.
func ofDefinition(c pin.Change) bool { return !strings.HasPrefix(c.Path, pin.LaunchPath) }

// writeDefinition shows all of a definition that a pin covers.
func writeDefinition(b *strings.Builder, d pin.Definition) {
	writeField(b, "title", "", d.Title)
	writeField(b, "description", "", d.Description)
	writeField(b, "inputSchema", "", string(d.Input))
	writeField(b, "outputSchema", "", string(d.Output))
	writeField(b, "annotations", "", string(d.Annotations))
	writeField(b, "...", "", string(d.Extra))
}

func writeChanges(b *strings.Builder, changes []pin.Change) {
	for _, change := range changes {
		writeField(b, change.Path, plainText(change.Was), plainText(change.Now))
	}
}

// pinName is a verdict as a person names it: a tool, or a source for the way it
// is started.
func pinName(v pin.Verdict) string {
	if v.Name == "" {
		return v.Source
	}
	return v.Source + "/" + v.Name
}

// plainText is a JSON string without its quotes, and any other value as it is.
func plainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// writeField shows a field before and after.
func writeField(b *strings.Builder, path, was, now string) {
	if was == "" && now == "" {
		return
	}
	fmt.Fprintf(b, "  %s\n", visible(path))
	for _, side := range []struct{ sign, text string }{{"-", was}, {"+", now}} {
		if side.text == "" {
			continue
		}
		for line := range strings.SplitSeq(side.text, "\n") {
			fmt.Fprintf(b, "    %s %s\n", side.sign, visible(strings.TrimRight(line, "\r")))
		}
	}
}

func (a *app) printAccepted(accepted []pin.Verdict) error {
	if a.json {
		return a.writeJSON(httpapi.ViewPins(accepted))
	}
	if len(accepted) == 0 {
		a.complain(lang.CLIPinsNoneHeld.In(a.lang))
		return nil
	}
	var b strings.Builder
	launches, waiting := map[string]bool{}, ""
	for _, v := range accepted {
		text := lang.CLIPinsAccepted
		switch {
		case v.Name == "":
			text, launches[v.Source] = lang.CLIPinsLaunch, true
		case v.State == pin.Gone:
			text = lang.CLIPinsForgotten
		case v.State == pin.Moved:
			waiting = v.Source
		}
		fmt.Fprintln(&b, text.In(a.lang, visible(pinName(v))))
	}
	if waiting != "" && !launches[waiting] {
		fmt.Fprintln(&b, lang.CLIPinsLaunchHeld.In(a.lang, visible(waiting), a.againWords("pins", "accept", waiting)))
	}
	file, err := a.bundleFile("gongu.lock")
	if err != nil {
		return err
	}
	fmt.Fprintln(&b, lang.CLIPinsSee.In(a.lang, visible(file), a.againWords("pins", "list")))
	return a.print(b.String())
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
