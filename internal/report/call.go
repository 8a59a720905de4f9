package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// Output is the output of a call: a text as it is and everything else as indented
// JSON. It is the content when the output is null.
func Output(result gongu.Result) string {
	output := result.Output
	if string(output) == "null" && len(result.Content) > 0 {
		output = result.Content
	}
	var text string
	if json.Unmarshal(output, &text) != nil || string(output) == "null" {
		text = IndentedJSON(output)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// Plan says what a call would run, from the result of a dry run.
func (x *Texts) Plan(output json.RawMessage) (string, error) {
	var plan struct {
		Tool   string          `json:"tool"`
		Source string          `json:"source"`
		Args   json.RawMessage `json:"args"`
		Passed []string        `json:"passed"`
	}
	if err := json.Unmarshal(output, &plan); err != nil {
		return "", fmt.Errorf("read the dry run: %w", err)
	}
	return fmt.Sprintf("%s\n%s\n%s\n",
		lang.CLIWouldRun.In(x.Lang, plan.Tool, plan.Source),
		IndentedJSON(plan.Args),
		lang.CLIPassed.In(x.Lang, strings.Join(plan.Passed, ", "))), nil
}

// Failure says why a call failed and what to do next.
func (x *Texts) Failure(result gongu.Result) string {
	var b strings.Builder
	line := func(text lang.Text, value string) {
		if value != "" {
			fmt.Fprintln(&b, text.In(x.Lang, terminal.VisibleLines(value)))
		}
	}
	e := result.Error
	if e == nil {
		return "" // an executor never leaves it out
	}
	line(lang.CLIResultError, e.Message)
	line(lang.CLIResultCode, e.Code)
	line(lang.CLIResultSuggestion, e.Suggestion)
	line(lang.CLIResultHelp, e.HelpURL)
	if output := bytes.TrimSpace(result.Output); len(output) > 0 && string(output) != "null" && string(output) != "{}" {
		if details := terminal.Outline(output); details != "" {
			fmt.Fprintf(&b, "%s\n%s", lang.CLIResultDetails.In(x.Lang), details)
		}
	}
	return b.String()
}
