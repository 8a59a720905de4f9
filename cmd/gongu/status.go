package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/toolrequest"
)

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status [-b DIR] [--json]",
		Short:   lang.CLIStatusShort.In(a.lang),
		Long:    lang.CLIStatusLong.In(a.lang),
		Example: "  gongu status\n  gongu status -b my-bundle --json",
		Args:    a.noArguments,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		report, err := a.status(cmd.Context())
		if err != nil {
			return err
		}
		if a.json {
			return a.writeJSON(report)
		}
		return a.print(a.texts().Status(report))
	}
	return cmd
}

// statusTime bounds the question to a running server.
const statusTime = 5 * time.Second

// status starts and connects nothing but to servers of gongu that run.
func (a *app) status(ctx context.Context) (*report.Status, error) {
	root, err := a.statePath()
	if err != nil {
		return nil, err
	}
	found := &report.Status{State: root, Servers: []report.Server{}}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	for _, s := range attach.Servers(ctx, root) {
		found.Servers = append(found.Servers, askServer(ctx, s))
	}
	if len(found.Servers) == 0 || found.Servers[0].Status == nil {
		if found.Records, found.Pending.Approvals, err = a.localRecords(ctx); err != nil {
			return nil, err
		}
		return found, a.localStatus(ctx, found)
	}
	live := found.Servers[0].Status // it knows more than the files
	found.Bundle, found.Sources, found.Troubled, found.Pending = live.Bundle, live.Sources, live.Troubled, live.Pending
	found.Records = live.Records
	found.Unconsented = live.Bundle.Held != nil && live.Bundle.Held.Waiting
	return found, nil
}

func askServer(ctx context.Context, s *attach.Server) report.Server {
	out := report.Server{PID: s.PID, URL: s.URL, Started: s.Started, NoAuth: s.NoAuth}
	var status httpapi.ServerStatus
	if raw, err := s.Get(ctx, "/api/v1/status"); err == nil && json.Unmarshal(raw, &status) == nil {
		out.Status = &status
	}
	return out
}

// localStatus fills in what the files say.
func (a *app) localStatus(ctx context.Context, report *report.Status) error {
	dir := a.findBundle()
	if dir != "" {
		dir = absolutePath(dir)
	}
	report.Bundle.Path = dir
	consent, err := a.consentOptions("")
	if err != nil {
		return err
	}
	consent.Ask = nil
	rules, err := a.policyOptions()
	if err != nil {
		return err
	}
	h, err := host.Open(ctx, dir, &host.Options{
		Policy: rules, Lang: string(a.lang), StateRoot: a.stateRoot, Rows: consent.Records.Rows, Consent: consent, Child: childProgram(),
		Logger: slog.New(slog.DiscardHandler), Secrets: a.secrets, Inspect: true,
	})
	switch {
	case errors.Is(err, host.ErrNoConsent):
		report.Unconsented = true
		report.Pending.Changes = 1
		return nil
	case err != nil:
		return a.openFailed(dir, err)
	}
	defer a.close(h)
	report.Bundle = gateway.BundleStatus(h, dir)
	all := h.Sources().Status()
	report.Sources, report.Troubled = len(all), httpapi.Troubled(all)
	verdicts, err := h.Sources().Pins()
	if err != nil {
		return err
	}
	report.Pending.Pins = httpapi.CountHeld(verdicts)
	found, err := h.Requests().List(ctx, toolrequest.Filter{Status: toolrequest.Queued})
	if err != nil {
		return err
	}
	report.Pending.Requests = len(found.Requests)
	if report.Bundle.Held != nil {
		report.Pending.Changes = 1
	}
	return nil
}
