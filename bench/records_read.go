package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// readingGate is what a page of the audit and a list of calls may take.
const readingGate = 100 // milliseconds

// pending is how many calls run while they are listed.
const pending = 1_000

// auditQuestions are what people ask an audit. The tool rare was called once, when
// a tenth of the rows was there.
var auditQuestions = []struct {
	name   string
	filter state.AuditFilter
}{
	{"the newest", state.AuditFilter{}},
	{"of a tool", state.AuditFilter{Tool: "tool7"}},
	{"of a tool that was called once, long ago", state.AuditFilter{Tool: "rare"}},
	{"of a principal and a tool", state.AuditFilter{Principal: "user4", Tool: "tool7"}},
	{"of an agent, failed", state.AuditFilter{Agent: "agent1", Status: "error"}},
	{"of a principal and a tool that never met", state.AuditFilter{Principal: "user1", Tool: "tool7"}},
	{"of a trace", state.AuditFilter{Trace: traceOf(777)}},
	{"one call", state.AuditFilter{Call: callIDOf(777)}},
}

func traceOf(n int) string  { return fmt.Sprintf("%032x", n*104729%1000003) }
func callIDOf(n int) string { return fmt.Sprintf("call_%d", n*7919%1000003) }

// reading measures opening a store and reading from a large one.
func (r *records) reading(ctx context.Context, pace pace, rows int) (table, []gate, error) {
	url := "sqlite:" + filepath.Join(r.dir, "audit.db")
	s, err := r.open(ctx, url)
	if err != nil {
		return table{}, nil, err
	}
	took, err := fillAudit(ctx, s, rows)
	if err != nil {
		return table{}, nil, err
	}
	subjects := []subject{{name: "open and close the store", run: func(n int) error { return reopen(ctx, url, n) }}}
	for _, q := range auditQuestions {
		subjects = append(subjects, subject{name: "a page of the audit: " + q.name, run: func(n int) error {
			for range n {
				if err := readPage(ctx, s, q.filter); err != nil {
					return err
				}
			}
			return nil
		}})
	}
	if err := startCalls(ctx, s); err != nil {
		return table{}, nil, err
	}
	subjects = append(subjects, subject{name: pendingName, run: func(n int) error {
		for range n {
			page, err := s.AuditPage(ctx, state.AuditFilter{Status: state.AuditRunning, Limit: pending})
			if err != nil {
				return err
			}
			if len(page.Rows) != pending {
				return fmt.Errorf("%d of %d pending calls are listed", len(page.Rows), pending)
			}
		}
		return nil
	}})
	asked, err := r.approvals(ctx, rows/100)
	if err != nil {
		return table{}, nil, err
	}
	found, err := pace.measure(append(subjects, asked))
	if err != nil {
		return table{}, nil, err
	}
	worst := 0.0
	for _, m := range found[1 : 1+len(auditQuestions)] {
		worst = max(worst, m.time.median)
	}
	list, _ := find(found, pendingName)
	questions, _ := find(found, approvalsName)
	gates := []gate{
		atMost(fmt.Sprintf("records: a filtered page of %s audit rows, the slowest", count(rows)), worst/1e6, readingGate, milliseconds),
		atMost("records: a list of 1,000 pending calls", list.time.median/1e6, readingGate, milliseconds),
		atMost("records: a list of 1,000 pending approvals", questions.time.median/1e6, readingGate, milliseconds),
	}
	title := fmt.Sprintf("Reading on SQLite, with %s audit rows (written in %s)", count(rows), took.Round(100*time.Millisecond))
	return table{title: title, rows: found}, gates, nil
}

// pendingName is the row of the calls that have not ended.
const pendingName = "a list of 1,000 pending calls"

// startCalls records calls that have begun and not ended, of a host that lives.
func startCalls(ctx context.Context, s *state.Store) error {
	lease, err := s.Lease(ctx)
	if err != nil {
		return err
	}
	list := make([]*state.AuditRow, pending)
	for i := range list {
		list[i] = auditRow(i, pending)
		list[i].Phase, list[i].Status, list[i].Code, list[i].Host = state.PhaseBegin, state.AuditStarted, "", lease.Token()
	}
	return s.Audit(ctx, list...)
}

func milliseconds(ms float64) string { return digits(ms) + " ms" }

func reopen(ctx context.Context, url string, n int) error {
	for range n {
		s, err := state.Open(ctx, url, nil)
		if err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// readPage reads until there is a row, or no more: a page that took too long to
// find is empty and says where to go on, and the time of that counts as well.
func readPage(ctx context.Context, s *state.Store, f state.AuditFilter) error {
	for {
		page, err := s.AuditPage(ctx, f)
		if err != nil || len(page.Rows) > 0 || page.Next == 0 {
			return err
		}
		f.Before = page.Next
	}
}

// fillAudit writes rows as a busy gateway does, many in one transaction.
func fillAudit(ctx context.Context, s *state.Store, rows int) (time.Duration, error) {
	const batch = 1_000
	start := time.Now()
	for done := 0; done < rows; done += batch {
		list := make([]*state.AuditRow, min(batch, rows-done))
		for i := range list {
			list[i] = auditRow(done+i, rows)
		}
		if err := s.Audit(ctx, list...); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

func auditRow(n, rows int) *state.AuditRow {
	p := &state.AuditPayload{Salt: fmt.Appendf(nil, "salt%d", n), Args: fmt.Appendf(nil, `{"title":"note %d","lines":["a","b"]}`, n), Result: []byte(`{"ok":true}`)}
	row := &state.AuditRow{
		Kind: state.AuditCall, CallID: callIDOf(n), Trace: traceOf(n), Principal: fmt.Sprint("user", n%5), PrincipalKind: "token",
		// A tool belongs to one principal: 5 divides 200.
		Agent: fmt.Sprint("agent", n%3), Instance: "default", Tool: fmt.Sprint("tool", (n*3)%200), Source: "MCPServer/notes", Status: "ok",
		Started: int64(n), Duration: 7, ArgsSize: int64(len(p.Args)), ResultSize: int64(len(p.Result)),
		ArgsDigest: state.AuditBytes(p.Salt, p.Args), ResultDigest: state.AuditBytes(p.Salt, p.Result), Payload: p,
	}
	if n%1000 == 0 {
		row.Status, row.Code = "error", "E_TOOL"
	}
	if n == rows/10 {
		row.Tool = "rare"
	}
	return row
}
