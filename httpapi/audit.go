package httpapi

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// auditRow is a row of the audit with the digests that its seal covers.
type auditRow struct {
	EventView
	Agent         string `json:"agent,omitempty"`
	Host          string `json:"host,omitempty"`
	ArgsDigest    string `json:"argsDigest,omitempty"`
	ResultDigest  string `json:"resultDigest,omitempty"`
	PayloadDigest string `json:"payloadDigest,omitempty"`
}

type auditList struct {
	Rows       []auditRow `json:"rows"`
	NextCursor string     `json:"nextCursor,omitempty"`
}

// auditHead is the latest seal, for gongu audit verify --head.
type auditHead struct {
	// Number is 0 when nothing is sealed yet.
	Number int64 `json:"number"`
	First  int64 `json:"first,omitempty"`
	// Last is the last row that is sealed.
	Last   int64     `json:"last,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Digest string    `json:"digest,omitempty"`
}

func (x *exchange) listAudit() (any, error) {
	store, err := x.records()
	if err != nil {
		return nil, err
	}
	f, err := x.auditFilter(x.query("kind"))
	if err != nil {
		return nil, err
	}
	rows, next, err := x.auditPage(store, f)
	if err != nil {
		return nil, err
	}
	list := auditList{Rows: []auditRow{}, NextCursor: next}
	for _, r := range rows {
		list.Rows = append(list.Rows, auditRow{
			EventView: ViewEvent(r), Agent: r.Agent, Host: r.Host, ArgsDigest: hex.EncodeToString(r.ArgsDigest),
			ResultDigest: hex.EncodeToString(r.ResultDigest), PayloadDigest: hex.EncodeToString(r.PayloadDigest),
		})
	}
	return list, nil
}

func (x *exchange) auditHead() (any, error) {
	store, err := x.records()
	if err != nil {
		return nil, err
	}
	seal, err := store.AuditHead(x.r.Context())
	if err != nil || seal == nil {
		return auditHead{}, err
	}
	return auditHead{Number: seal.Number, First: seal.First, Last: seal.Last, Time: moment(seal.Time), Digest: hex.EncodeToString(seal.Digest)}, nil
}

// verifyTime bounds a check of the audit over HTTP.
const verifyTime = 30 * time.Second

// verifyAudit checks the whole audit. One check runs at a time: it reads all rows.
func (x *exchange) verifyAudit() (any, error) {
	store, err := x.records()
	if err != nil {
		return nil, err
	}
	head := x.query("head")
	if raw, err := hex.DecodeString(head); head != "" && (err != nil || len(raw) != 32) {
		return nil, fail(CodeInvalid, lang.APIBadValue.With("head", clip(head)), lang.APIBadHead.With())
	}
	if !x.api.verifying.TryAcquire("") {
		return nil, fail(CodeBusy, lang.APIVerifies.With(), lang.APIVerifiesHint.With())
	}
	defer x.api.verifying.Release("")
	ctx, cancel := context.WithTimeout(x.r.Context(), x.api.opts.VerifyTime)
	defer cancel()
	report, err := store.VerifyAudit(ctx, head)
	if ctx.Err() != nil && x.r.Context().Err() == nil {
		return nil, fail(CodeBusy, lang.APIVerifyTime.With(x.api.opts.VerifyTime), lang.APIVerifyTimeHint.With())
	}
	return report, err
}
