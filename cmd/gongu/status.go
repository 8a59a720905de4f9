package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/lang"
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
		return a.print(a.statusText(report))
	}
	return cmd
}

// statusReport is what gongu status --json prints.
type statusReport struct {
	State  string               `json:"state"`
	Bundle httpapi.BundleStatus `json:"bundle"`
	// Unconsented means that the bundle needs a consent and has none.
	Unconsented bool            `json:"unconsented"`
	Servers     []runningServer `json:"servers"`
	Sources     int             `json:"sources"`
	Troubled    int             `json:"troubled"`
	Pending     httpapi.Pending `json:"pending"`
	// Records is nil when nothing was recorded yet.
	Records *httpapi.RecordStatus `json:"records,omitempty"`
}

// runningServer is a server of the bundle and what it says about itself.
type runningServer struct {
	PID     int       `json:"pid"`
	URL     string    `json:"url"`
	Started time.Time `json:"started"`
	NoAuth  bool      `json:"noAuth,omitempty"`
	// Status is nil when the server did not answer.
	Status *httpapi.ServerStatus `json:"status,omitempty"`
}

// statusTime bounds the question to a running server.
const statusTime = 5 * time.Second

// status starts and connects nothing but to servers of gongu that run.
func (a *app) status(ctx context.Context) (*statusReport, error) {
	root, err := a.statePath()
	if err != nil {
		return nil, err
	}
	report := &statusReport{State: root, Servers: []runningServer{}}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	for _, s := range attach.Servers(ctx, root) {
		report.Servers = append(report.Servers, askServer(ctx, s))
	}
	if len(report.Servers) == 0 || report.Servers[0].Status == nil {
		if report.Records, report.Pending.Approvals, err = a.localRecords(ctx); err != nil {
			return nil, err
		}
		return report, a.localStatus(ctx, report)
	}
	live := report.Servers[0].Status // it knows more than the files
	report.Bundle, report.Sources, report.Troubled, report.Pending = live.Bundle, live.Sources, live.Troubled, live.Pending
	report.Records = live.Records
	report.Unconsented = live.Bundle.Held != nil && live.Bundle.Held.Waiting
	return report, nil
}

func askServer(ctx context.Context, s *attach.Server) runningServer {
	out := runningServer{PID: s.PID, URL: s.URL, Started: s.Started, NoAuth: s.NoAuth}
	var status httpapi.ServerStatus
	if raw, err := s.Get(ctx, "/api/v1/status"); err == nil && json.Unmarshal(raw, &status) == nil {
		out.Status = &status
	}
	return out
}

// localStatus fills in what the files say.
func (a *app) localStatus(ctx context.Context, report *statusReport) error {
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

func (a *app) statusText(r *statusReport) string {
	var rows [][]string
	row := func(name lang.Text, value string) { rows = append(rows, []string{name.In(a.lang), value}) }
	if r.Bundle.Path == "" {
		row(lang.CLIStatusBundle, lang.CLIStatusStarter.In(a.lang))
	} else {
		row(lang.CLIStatusBundle, visible(r.Bundle.Path))
		row(lang.CLIStatusConsent, a.consentWords(r))
	}
	for _, p := range r.Bundle.BrokenPolicies {
		reason := strings.TrimPrefix(p.Error, p.Path+":") // the line and column come first
		row(lang.CLIStatusPolicy, lang.CLIStatusPolicyBad.In(a.lang, visible(p.Path), oneLine(visible(reason))))
	}
	for _, s := range r.Servers {
		row(lang.CLIStatusRunning, lang.CLIStatusServer.In(a.lang, s.URL, s.PID, s.Started.Local().Format(time.DateTime)))
		if s.Status != nil {
			row(lang.CLIStatusOffered, lang.CLIStatusTools.In(a.lang, s.Status.Offered, s.Status.Tools))
		}
	}
	if len(r.Servers) == 0 {
		row(lang.CLIStatusRunning, lang.CLIStatusNoServer.In(a.lang, a.again("serve", &openFlags{})))
	}
	row(lang.CLIStatusSources, lang.CLIStatusTroubled.In(a.lang, r.Sources, r.Troubled))
	row(lang.CLIStatusPending, a.pendingWords(r))
	row(lang.CLIStatusState, visible(r.State))
	row(lang.CLIStatusRecords, a.recordWords(r.Records))
	text := trimRows(table(rows))
	if held := r.Bundle.Held; held != nil && len(held.Changes) > 0 {
		text += "\n" + lang.CLIStatusHeld.In(a.lang, visible(held.Accept)) + "\n" + trimRows(a.changeTable(held.Changes))
	}
	return text
}

func (a *app) consentWords(r *statusReport) string {
	held := r.Bundle.Held
	switch {
	case r.Unconsented:
		return lang.CLIStatusNoConsent.In(a.lang, a.again("trust", &openFlags{}))
	case held != nil && held.Error != "":
		return lang.CLIStatusBroken.In(a.lang, oneLine(visible(held.Error)))
	case r.Bundle.Digest == "":
		return lang.CLIStatusNotNeeded.In(a.lang)
	}
	return lang.CLIStatusGiven.In(a.lang, short(r.Bundle.Digest), r.Bundle.Consented.Local().Format(time.DateTime), visible(r.Bundle.How))
}

func (a *app) pendingWords(r *statusReport) string {
	var parts []string
	for _, p := range []struct {
		n    int
		text lang.Text
		next string
	}{
		{r.Pending.Changes, lang.CLIStatusChanges, "trust"}, {r.Pending.Approvals, lang.CLIStatusApprovals, "approvals list"},
		{r.Pending.Requests, lang.CLIStatusRequests, "requests list"}, {r.Pending.Pins, lang.CLIStatusPins, "pins diff"},
	} {
		if p.n > 0 {
			parts = append(parts, p.text.In(a.lang, p.n, a.againWords(strings.Fields(p.next)...)))
		}
	}
	if len(parts) == 0 {
		return lang.CLIStatusNothing.In(a.lang)
	}
	return strings.Join(parts, "; ")
}
