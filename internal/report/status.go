package report

import (
	"strings"
	"time"

	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// Status is what gongu status --json prints.
type Status struct {
	State  string               `json:"state"`
	Bundle httpapi.BundleStatus `json:"bundle"`
	// Unconsented means that the bundle needs a consent and has none.
	Unconsented bool            `json:"unconsented"`
	Servers     []Server        `json:"servers"`
	Sources     int             `json:"sources"`
	Troubled    int             `json:"troubled"`
	Pending     httpapi.Pending `json:"pending"`
	// Records is nil when nothing was recorded yet.
	Records *httpapi.RecordStatus `json:"records,omitempty"`
}

// Server is a server of the bundle and what it says about itself.
type Server struct {
	PID     int       `json:"pid"`
	URL     string    `json:"url"`
	Started time.Time `json:"started"`
	NoAuth  bool      `json:"noAuth,omitempty"`
	// Status is nil when the server did not answer.
	Status *httpapi.ServerStatus `json:"status,omitempty"`
}

// Status says how a bundle and its servers are.
func (x *Texts) Status(r *Status) string {
	var rows [][]string
	row := func(name lang.Text, value string) { rows = append(rows, []string{name.In(x.Lang), value}) }
	if r.Bundle.Path == "" {
		row(lang.CLIStatusBundle, lang.CLIStatusStarter.In(x.Lang))
	} else {
		row(lang.CLIStatusBundle, terminal.Visible(r.Bundle.Path))
		row(lang.CLIStatusConsent, x.consent(r))
	}
	for _, p := range r.Bundle.BrokenPolicies {
		reason := strings.TrimPrefix(p.Error, p.Path+":") // the line and column come first
		row(lang.CLIStatusPolicy, lang.CLIStatusPolicyBad.In(x.Lang, terminal.Visible(p.Path), terminal.OneLine(terminal.Visible(reason))))
	}
	for _, s := range r.Servers {
		row(lang.CLIStatusRunning, lang.CLIStatusServer.In(x.Lang, s.URL, s.PID, s.Started.Local().Format(time.DateTime)))
		if s.Status != nil {
			row(lang.CLIStatusOffered, lang.CLIStatusTools.In(x.Lang, s.Status.Offered, s.Status.Tools))
		}
	}
	if len(r.Servers) == 0 {
		row(lang.CLIStatusRunning, lang.CLIStatusNoServer.In(x.Lang, x.Again("serve")))
	}
	row(lang.CLIStatusSources, lang.CLIStatusTroubled.In(x.Lang, r.Sources, r.Troubled))
	row(lang.CLIStatusPending, x.pending(r))
	row(lang.CLIStatusState, terminal.Visible(r.State))
	row(lang.CLIStatusRecords, x.records(r.Records))
	text := terminal.TrimRows(terminal.Table(rows))
	if held := r.Bundle.Held; held != nil && len(held.Changes) > 0 {
		text += "\n" + lang.CLIStatusHeld.In(x.Lang, terminal.Visible(held.Accept)) + "\n" + terminal.TrimRows(x.Changes(held.Changes))
	}
	return text
}

func (x *Texts) consent(r *Status) string {
	held := r.Bundle.Held
	switch {
	case r.Unconsented:
		return lang.CLIStatusNoConsent.In(x.Lang, x.Again("trust"))
	case held != nil && held.Error != "":
		return lang.CLIStatusBroken.In(x.Lang, terminal.OneLine(terminal.Visible(held.Error)))
	case r.Bundle.Digest == "":
		return lang.CLIStatusNotNeeded.In(x.Lang)
	}
	return lang.CLIStatusGiven.In(x.Lang, Short(r.Bundle.Digest), r.Bundle.Consented.Local().Format(time.DateTime), terminal.Visible(r.Bundle.How))
}

func (x *Texts) pending(r *Status) string {
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
			parts = append(parts, p.text.In(x.Lang, p.n, x.Again(strings.Fields(p.next)...)))
		}
	}
	if len(parts) == 0 {
		return lang.CLIStatusNothing.In(x.Lang)
	}
	return strings.Join(parts, "; ")
}

// records are the records in one line.
func (x *Texts) records(r *httpapi.RecordStatus) string {
	switch {
	case r == nil:
		return lang.CLIRecordsNone.In(x.Lang)
	case r.Error != "":
		return lang.CLIRecordsBroken.In(x.Lang, terminal.Visible(r.Place), terminal.OneLine(terminal.Visible(r.Error)))
	}
	words := lang.CLIRecords.In(x.Lang, r.Engine, terminal.Visible(r.Place), float64(r.Bytes)/1e6, r.Rows)
	if r.SealedAt != nil {
		words += "; " + lang.CLIRecordsSealed.In(x.Lang, r.Sealed, r.SealedAt.Local().Format(time.DateTime))
	}
	if r.Hosts > 0 {
		words += "; " + lang.CLIRecordsHosts.In(x.Lang, r.Hosts)
	}
	if q := r.Queue; q != nil && q.Waiting+q.Lost > 0 {
		words += "; " + lang.CLIRecordsQueue.In(x.Lang, q.Waiting, q.Lost)
	}
	return words
}
