package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/shellword"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/pin"
)

// Pins lists verdicts.
func (x *Texts) Pins(all []pin.Verdict) string {
	rows := [][]string{{lang.CLIColumnPinnedAs.In(x.Lang), lang.CLIColumnSource.In(x.Lang), lang.CLIColumnState.In(x.Lang), lang.CLIColumnReason.In(x.Lang)}}
	for _, v := range all {
		rows = append(rows, []string{cmp.Or(terminal.OneLine(terminal.Visible(v.Name)), lang.CLIPinsLaunchRow.In(x.Lang)), terminal.Visible(v.Source), string(v.State), x.pinReason(v)})
	}
	return terminal.TrimRows(terminal.Table(rows))
}

// pinReason is what there is to a verdict, in a few words.
func (x *Texts) pinReason(v pin.Verdict) string {
	var parts []string
	switch n := len(v.Changes); {
	case n == 1:
		parts = append(parts, lang.CLIPinsOneChange.In(x.Lang)+": "+terminal.Visible(v.Changes[0].Path))
	case n > 1:
		parts = append(parts, lang.CLIPinsChanges.In(x.Lang, n))
	}
	if n := len(v.Also); n > 0 {
		parts = append(parts, lang.CLIPinsAlsoCount.In(x.Lang, n))
	}
	if v.State != pin.Pinned {
		for _, f := range v.Findings {
			if part := f.Rule + ": " + terminal.Visible(f.Path); !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return terminal.OneLine(strings.Join(parts, ", "))
}

// PinDiff shows what differs. The texts come from the server: they are indented,
// and nothing in them can hide or control the terminal.
func (x *Texts) PinDiff(chosen []pin.Verdict) string {
	var b strings.Builder
	for i, v := range chosen {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", terminal.Visible(PinName(v)), v.State)
		x.writeVerdict(&b, v)
		for _, f := range v.Findings {
			fmt.Fprintf(&b, "%s\n    %s\n", lang.CLIPinsFinding.In(x.Lang, terminal.Visible(f.Path), f.Rule, f.Severity), terminal.Visible(f.Excerpt))
		}
	}
	return b.String()
}

// AcceptNext is the line that says how to accept what is held back.
func (x *Texts) AcceptNext(chosen []pin.Verdict) string {
	words := []string{"pins", "accept"}
	for _, v := range chosen {
		if v.Held() {
			words = append(words, PinName(v))
		}
	}
	if len(words) == 2 {
		return ""
	}
	if line := shellword.Join(words...); len(words) > 5 || terminal.Visible(line) != line {
		words = []string{"pins", "accept", "--all"}
	}
	return "\n" + lang.CLIPinsNext.In(x.Lang, x.Again(words...)) + "\n"
}

func (x *Texts) writeVerdict(b *strings.Builder, v pin.Verdict) {
	line := func(t lang.Text) { b.WriteString(t.In(x.Lang) + "\n") }
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
	WriteChanges(b, v.Changes)
	if v.State == pin.Moved && v.Name != "" && v.Pinned != v.Listed && !slices.ContainsFunc(v.Changes, ofDefinition) {
		text := lang.CLIPinsNewText
		if v.Pinned != "" {
			text = lang.CLIPinsNoText
		}
		line(text)
		writeDefinition(b, v.Show)
	}
	for _, other := range v.Also {
		b.WriteString(lang.CLIPinsAlso.In(x.Lang, other.Digest) + "\n")
		WriteChanges(b, other.Changes)
	}
	if v.Digest() != "" {
		b.WriteString(lang.CLIPinsDigest.In(x.Lang, v.Digest()) + "\n")
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

// WriteChanges shows fields before and after.
func WriteChanges(b *strings.Builder, changes []pin.Change) {
	for _, change := range changes {
		writeField(b, change.Path, plainText(change.Was), plainText(change.Now))
	}
}

// PinName is a verdict as a person names it: a tool, or a source for the way it
// is started.
func PinName(v pin.Verdict) string {
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
	fmt.Fprintf(b, "  %s\n", terminal.Visible(path))
	for _, side := range []struct{ sign, text string }{{"-", was}, {"+", now}} {
		if side.text == "" {
			continue
		}
		for line := range strings.SplitSeq(side.text, "\n") {
			fmt.Fprintf(b, "    %s %s\n", side.sign, terminal.Visible(strings.TrimRight(line, "\r")))
		}
	}
}

// Accepted says what was accepted, and the lock file that it is in.
func (x *Texts) Accepted(accepted []pin.Verdict, file string) string {
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
		fmt.Fprintln(&b, text.In(x.Lang, terminal.Visible(PinName(v))))
	}
	if waiting != "" && !launches[waiting] {
		fmt.Fprintln(&b, lang.CLIPinsLaunchHeld.In(x.Lang, terminal.Visible(waiting), x.Again("pins", "accept", waiting)))
	}
	fmt.Fprintln(&b, lang.CLIPinsSee.In(x.Lang, terminal.Visible(file), x.Again("pins", "list")))
	return b.String()
}
