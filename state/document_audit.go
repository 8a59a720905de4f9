package state

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/rows"
)

// Decided records a decision with the change that it leads to.
func (t *documentTx) Decided(_ context.Context, d rows.Decision) error {
	t.decisions = append(t.decisions, d)
	return nil
}

// finish writes the audit rows of the decisions, last: all writers share their feed.
func (t *documentTx) finish(ctx context.Context) error {
	made := make([]*AuditRow, len(t.decisions))
	for i, d := range t.decisions {
		row := &AuditRow{Kind: AuditDecision, Action: d.Action, Subject: d.Subject, Status: "ok", Principal: cmp.Or(d.By, t.by.By), PrincipalKind: t.by.ByKind}
		if p := gongu.PrincipalOf(ctx); p != nil {
			row.Principal, row.PrincipalKind = p.Name, p.Kind
		}
		if d.Digest != "" {
			details, err := json.Marshal(struct {
				Digest string `json:"digest"`
			}{d.Digest})
			if err != nil {
				return err
			}
			row.Payload = &AuditPayload{Salt: []byte(rand.Text()), Result: details}
		}
		made[i] = row
	}
	return t.tx.Audit(ctx, made...)
}

// checkDocuments looks for documents of all spaces whose value is not what was
// written.
func checkDocuments(ctx context.Context, tx *Tx) ([]Problem, error) {
	found, err := tx.Query(ctx, "DocumentAll")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var problems []Problem
	for found.Next() {
		var space, kind string
		var row rows.Row
		var digest []byte
		if err := found.Scan(&space, &kind, &row.Key, &row.Value, &digest); err != nil {
			return nil, err
		}
		if err := checkDocument(kind, row, digest); err != nil {
			problems = append(problems, Problem{Kind: "documents", Text: fmt.Sprintf("space %s: %v", space, err)})
		}
	}
	return problems, found.Err()
}
