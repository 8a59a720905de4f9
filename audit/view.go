package audit

import (
	"context"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// View is a row as people and programs read it in JSON. Digests are hexadecimal.
type View struct {
	Seq           int64     `json:"seq"`
	Time          time.Time `json:"time"`
	Kind          string    `json:"kind"`
	Phase         string    `json:"phase"`
	Begins        int64     `json:"begins,omitempty"`
	CallID        string    `json:"callId,omitempty"`
	ParentID      string    `json:"parentId,omitempty"`
	Trace         string    `json:"traceId,omitempty"`
	Principal     string    `json:"principal,omitempty"`
	PrincipalKind string    `json:"principalKind,omitempty"`
	Agent         string    `json:"agent,omitempty"`
	Instance      string    `json:"instance,omitempty"`
	Tool          string    `json:"tool,omitempty"`
	Source        string    `json:"source,omitempty"`
	Action        string    `json:"action,omitempty"`
	Subject       string    `json:"subject,omitempty"`
	Status        string    `json:"status"`
	Code          string    `json:"code,omitempty"`
	Rule          string    `json:"rule,omitempty"`
	Approval      string    `json:"approval,omitempty"`
	Started       time.Time `json:"started,omitzero"`
	Microseconds  int64     `json:"microseconds,omitempty"`
	ArgsSize      int64     `json:"argsSize,omitempty"`
	ResultSize    int64     `json:"resultSize,omitempty"`
	ArgsDigest    string    `json:"argsDigest,omitempty"`
	ResultDigest  string    `json:"resultDigest,omitempty"`
	PayloadDigest string    `json:"payloadDigest,omitempty"`
	// Salt, Args and Result are the payload, as text.
	Salt   string `json:"salt,omitempty"`
	Args   string `json:"args,omitempty"`
	Result string `json:"result,omitempty"`
}

// ViewOf returns the view of a row, with the payload if it is asked for.
func ViewOf(r *state.AuditRow, payload bool) View {
	v := View{
		Seq: r.Seq, Time: time.UnixMicro(r.Time).UTC(), Kind: r.Kind, Phase: r.Phase, Begins: r.Begins, CallID: r.CallID, ParentID: r.ParentID,
		Trace: r.Trace, Principal: r.Principal, PrincipalKind: r.PrincipalKind, Agent: r.Agent, Instance: r.Instance, Tool: r.Tool, Source: r.Source,
		Action: r.Action, Subject: r.Subject, Status: r.Status, Code: r.Code, Rule: r.Rule, Approval: r.Approval, Microseconds: r.Duration,
		ArgsSize: r.ArgsSize, ResultSize: r.ResultSize, ArgsDigest: hex.EncodeToString(r.ArgsDigest),
		ResultDigest: hex.EncodeToString(r.ResultDigest), PayloadDigest: hex.EncodeToString(r.PayloadDigest),
	}
	if r.Started > 0 {
		v.Started = time.UnixMicro(r.Started).UTC()
	}
	if payload && r.Payload != nil {
		v.Salt, v.Args, v.Result = hex.EncodeToString(r.Payload.Salt), string(r.Payload.Args), string(r.Payload.Result)
	}
	return v
}

// Rows reads pages of rows, the newest first, until it has as many as asked for. Next
// is the Before of the rows that follow; 0 is the end.
func Rows(ctx context.Context, store *state.Store, f state.AuditFilter, most int) (rows []*state.AuditRow, next int64, err error) {
	for {
		f.Limit = most - len(rows)
		page, err := store.AuditPage(ctx, f)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, page.Rows...)
		if page.Next == 0 || len(rows) >= most {
			return rows, page.Next, nil
		}
		f.Before = page.Next
	}
}

// Find finds a row by its number, or the rows of a call by its id.
func Find(ctx context.Context, store *state.Store, id string) ([]*state.AuditRow, error) {
	if seq, err := strconv.ParseInt(id, 10, 64); err == nil {
		return store.AuditGet(ctx, seq)
	}
	rows, _, err := Rows(ctx, store, state.AuditFilter{Call: id, Raw: true}, 1000)
	if err != nil || len(rows) != 1 {
		return rows, err
	}
	return store.AuditGet(ctx, rows[0].Seq) // with the outcome of a begin row
}

// Moment reads a time, or how long ago it was, as microseconds; an empty text is 0.
func Moment(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago).UnixMicro(), ago >= 0
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UnixMicro(), at.Unix() > 0
		}
	}
	return 0, false
}
