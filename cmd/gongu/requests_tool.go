package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/macro"
	"github.com/gongu-ai/gongu/toolrequest"
)

// approveWithTool approves a request by giving it its tool: from a file, or
// the macro that the model proposed.
func (a *app) approveWithTool(ctx context.Context, q requestQueue, r toolrequest.Request, f *requestsFlags) error {
	// Files are read once: what is shown is what is installed.
	var definition json.RawMessage
	var code *host.Script
	more := ""
	switch {
	case f.macro != "":
		read, err := host.ReadMacro(f.macro)
		if err != nil {
			return a.fail(lang.CLIRequestsMacroFile.In(a.lang, visible(f.macro), err), lang.CLIRequestsMacroHint.In(a.lang))
		}
		definition = read
		more = "\n" + lang.CLIRequestTool.In(a.lang, visible(f.macro)) + "\n" + report.Indented(report.IndentedJSON(read))
	case f.script != "":
		read, err := host.ReadTool(f.script)
		if err != nil {
			return a.fail(lang.CLIRequestsNoTool.In(a.lang, r.ID, visible(err.Error())), lang.CLIRequestsNoToolHint.In(a.lang))
		}
		code = &host.Script{Ext: filepath.Ext(f.script), Code: read}
		more = "\n" + lang.CLIRequestTool.In(a.lang, visible(f.script)) + "\n" + report.Indented(string(read))
	}
	if f.agent != "" {
		more += "\n" + lang.CLIRequestOneAgent.In(a.lang, visible(f.agent)) + "\n"
	}
	if err := a.confirm(r, f, more, lang.CLIDecideApprove, toolrequest.Approved); err != nil {
		return err
	}
	dir := a.findBundle()
	consent, err := a.consentOptions("")
	if err != nil {
		return err
	}
	h, err := host.Open(ctx, dir, &host.Options{
		Lang: string(a.lang), StateRoot: a.stateRoot, Requests: q.Path(), Rows: consent.Records.Rows, Store: a.records, Logger: a.logger(), Consent: consent, Child: childProgram(),
		Executor: gongu.ExecutorOptions{AgentName: "cli"},
	})
	if err != nil {
		return a.openFailed(dir, fmt.Errorf("open the bundle: %w", err))
	}
	defer a.close(h)
	decided, err := h.Approve(ctx, r.ID, a.decision(r, f, toolrequest.Approved), definition, code)
	if err != nil {
		return a.approvalFailed(ctx, q, err, r)
	}
	a.recordDecision(ctx, "request.approved", r.ID+" "+r.Name, r.Digest())
	if a.json {
		return a.writeJSON(decided)
	}
	return a.print(lang.CLIRequestInstalled.In(a.lang, r.ID, visible(r.Name), a.again("call", &openFlags{})+" "+visible(r.Name)) + "\n")
}

// approvalFailed prints why the tool of a request could not be made. The request
// is still queued.
func (a *app) approvalFailed(ctx context.Context, q requestQueue, err error, r toolrequest.Request) error {
	if _, ok := errors.AsType[*toolrequest.Error](err); ok {
		return a.decisionFailed(ctx, q, r, err)
	}
	message := err.Error()
	if problems := macro.ProblemsOf(err); len(problems) > 0 {
		message = problems.In(string(a.lang))
	}
	return a.fail(lang.CLIRequestsNoTool.In(a.lang, r.ID, terminal.VisibleLines(message)), lang.CLIRequestsNoToolHint.In(a.lang))
}
