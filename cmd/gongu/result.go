package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// printOutput prints a text as it is and everything else as indented JSON. It
// prints the content when the output is null.
func (a *app) printOutput(result gongu.Result) error {
	output := result.Output
	if string(output) == "null" && len(result.Content) > 0 {
		output = result.Content
	}
	var text string
	if json.Unmarshal(output, &text) != nil || string(output) == "null" {
		text = report.IndentedJSON(output)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return a.printExact(text)
}

// printPlan prints the result of a dry run.
func (a *app) printPlan(output json.RawMessage) error {
	var plan struct {
		Tool   string          `json:"tool"`
		Source string          `json:"source"`
		Args   json.RawMessage `json:"args"`
		Passed []string        `json:"passed"`
	}
	if err := json.Unmarshal(output, &plan); err != nil {
		return fmt.Errorf("read the dry run: %w", err)
	}
	_, err := fmt.Fprintf(a.stdout, "%s\n%s\n%s\n",
		lang.CLIWouldRun.In(a.lang, plan.Tool, plan.Source),
		report.IndentedJSON(plan.Args),
		lang.CLIPassed.In(a.lang, strings.Join(plan.Passed, ", ")))
	return err
}

// printFailure prints why a call failed and what to do next.
func (a *app) printFailure(result gongu.Result) {
	line := func(text lang.Text, value string) {
		if value != "" {
			fmt.Fprintln(a.stderr, text.In(a.lang, terminal.VisibleLines(value)))
		}
	}
	e := result.Error
	if e == nil {
		return // an executor never leaves it out
	}
	line(lang.CLIResultError, e.Message)
	line(lang.CLIResultCode, e.Code)
	line(lang.CLIResultSuggestion, e.Suggestion)
	line(lang.CLIResultHelp, e.HelpURL)
	if output := bytes.TrimSpace(result.Output); len(output) > 0 && string(output) != "null" && string(output) != "{}" {
		if details := terminal.Outline(output); details != "" {
			fmt.Fprintf(a.stderr, "%s\n%s", lang.CLIResultDetails.In(a.lang), details)
		}
	}
}

// printExample shows a call that works, to copy and change.
func (a *app) printExample(tool gongu.Tool, call string) {
	if len(tool.Examples) == 0 {
		return
	}
	fmt.Fprintln(a.stderr, lang.CLIResultExample.In(a.lang, call, tool.Name, singleQuoted(string(tool.Examples[0]))))
}
