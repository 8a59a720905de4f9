package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
)

// Why shows the answer: what happens, each stage, and what changes it.
func (x *Texts) Why(w policy.Why) string {
	var b strings.Builder
	head := map[policy.Effect]lang.Text{policy.Allow: lang.CLIWhyAllowed, policy.Ask: lang.CLIWhyAsked, policy.Deny: lang.CLIWhyDenied}[w.Effect]
	fmt.Fprintln(&b, head.In(x.Lang, terminal.Visible(w.Tool), terminal.Visible(cmp.Or(w.Rule, "-"))))
	var rows [][]string
	for _, s := range w.Steps {
		mark := lang.CLIWhyYes
		if !s.OK {
			mark = lang.CLIWhyNo
		}
		rows = append(rows, []string{"  " + string(s.Stage), mark.In(x.Lang), inOneLine(s.Text)})
		for _, r := range s.Rules {
			rows = append(rows, []string{"", "", "  " + x.whyRule(r)})
		}
	}
	b.WriteString(terminal.TrimRows(terminal.Table(rows)))
	if s, refused := w.Refused(); refused && s.Command != "" {
		fmt.Fprintln(&b, lang.CLIWhyChange.In(x.Lang, terminal.Visible(s.Command)))
	}
	return b.String()
}

// whyRule is a rule that was tried.
func (x *Texts) whyRule(s policy.WhyRule) string {
	text := lang.CLIWhyNoMatch
	switch {
	case s.Failed != "":
		return inOneLine(lang.CLIWhyFailed.In(x.Lang, s.Rule, s.Effect, s.Failed))
	case s.Matched:
		text = lang.CLIWhyMatch
	}
	return inOneLine(text.In(x.Lang, s.Rule, s.Effect))
}

// inOneLine is a text without line breaks, whole: people need its end.
func inOneLine(text string) string { return terminal.Visible(strings.Join(strings.Fields(text), " ")) }
