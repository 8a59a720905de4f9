package main

import (
	"encoding/json"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
)

// printOutput prints the output of a call.
func (a *app) printOutput(result gongu.Result) error {
	return a.printExact(report.Output(result))
}

// printExample shows a call that works, to copy and change.
func (a *app) printExample(tool gongu.Tool, call string) {
	if len(tool.Examples) == 0 {
		return
	}
	fmt.Fprintln(a.stderr, lang.CLIResultExample.In(a.lang, call, tool.Name, singleQuoted(string(tool.Examples[0]))))
}

// printPlan prints the result of a dry run.
func (a *app) printPlan(output json.RawMessage) error {
	text, err := a.texts().Plan(output)
	if err != nil {
		return err
	}
	return a.print(text)
}
