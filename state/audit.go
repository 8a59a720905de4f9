package state

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The kinds of audit rows.
const (
	AuditCall      = "call"      // a call of a tool
	AuditDecision  = "decision"  // a decision of a person
	AuditRetention = "retention" // rows were removed because of their age or size
	AuditErasure   = "erasure"   // the payload of a row was erased
	AuditGap       = "gap"       // rows were lost, because the store could not take them
)

// The phases of audit rows. A call has one row, or a begin row that is committed
// before its handler runs and an end row.
const (
	PhaseSingle = "single"
	PhaseBegin  = "begin"
	PhaseEnd    = "end"
)

const (
	// AuditStarted is the status of a begin row. It is shown as one of the
	// others until there is an end row.
	AuditStarted = "started"
	// AuditRunning means that the host of the call still has its lease.
	AuditRunning = "running"
	// AuditUnknown means that the outcome of the call is not known.
	AuditUnknown = "unknown"
)

// auditFeed is the feed that numbers audit rows.
const auditFeed = "audit"

// AuditRow is one row of the audit. Times are microseconds of the store's clock.
type AuditRow struct {
	// Seq numbers the rows of a space without gaps. Time is when the row was
	// recorded; it never goes back. [Tx.Audit] assigns both.
	Seq, Time int64
	Kind      string
	Phase     string
	// Begins is the Seq of the begin row that an end row belongs to.
	Begins                        int64
	CallID, ParentID, Trace       string
	Principal, PrincipalKind      string
	Agent, Instance, Tool, Source string
	// Action and Subject are what a decision did, and to what.
	Action, Subject              string
	Status, Code, Rule, Approval string
	// Host is the token of the lease of the host that runs a call.
	Host string
	// Started is when a call began, Duration how long it took.
	Started, Duration int64
	// ArgsSize and ResultSize are of the exact bytes, as are the digests:
	// SHA-256 of the salt and the bytes.
	ArgsSize, ResultSize     int64
	ArgsDigest, ResultDigest []byte
	// PayloadDigest is that of the payload; see [AuditPayload.Digest]. Without
	// a payload it is empty.
	PayloadDigest []byte
	// Payload is nil when there is none, and when it was erased.
	Payload *AuditPayload
}

// AuditPayload is what a row keeps of arguments and result: redacted, bounded and
// erasable. The salt is part of it, so that nothing in the store can confirm a
// guess about erased bytes.
type AuditPayload struct{ Salt, Args, Result []byte }

// Digest returns the digest that the row has of its payload.
func (p *AuditPayload) Digest() []byte {
	if p == nil {
		return nil
	}
	h := sha256.New()
	for _, part := range [][]byte{p.Salt, p.Args, p.Result} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return h.Sum(nil)
}

// AuditBytes returns the digest of bytes under a salt, as in ArgsDigest.
func AuditBytes(salt []byte, parts ...[]byte) []byte {
	h := sha256.New()
	h.Write(salt)
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// maxAuditText is the longest text of a column, in bytes. Names of tools and ids
// of calls come from clients and can be of any length.
const maxAuditText = 256

// auditText makes any text fit for a column.
func auditText(s string) string { return fitText(s, maxAuditText) }

// fitText makes any text fit for a column of some bytes: PostgreSQL takes neither
// NUL nor invalid UTF-8.
func fitText(s string, most int) string {
	if len(s) > most {
		const mark = "…"
		cut := most - len(mark)
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + mark
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// texts returns the text columns in the order of the table.
func (r *AuditRow) texts() []*string {
	return []*string{
		&r.CallID, &r.ParentID, &r.Trace, &r.Principal, &r.PrincipalKind, &r.Agent, &r.Instance, &r.Tool, &r.Source,
		&r.Action, &r.Subject, &r.Status, &r.Code, &r.Rule, &r.Approval, &r.Host,
	}
}

// numbers returns the number columns after the texts.
func (r *AuditRow) numbers() []*int64 {
	return []*int64{&r.Started, &r.Duration, &r.ArgsSize, &r.ResultSize}
}

func (r *AuditRow) digests() []*[]byte {
	return []*[]byte{&r.ArgsDigest, &r.ResultDigest, &r.PayloadDigest}
}

// sum returns the digest of all that a seal covers: every column but the payload.
func (r *AuditRow) sum(space string) [sha256.Size]byte {
	raw := make([]byte, 0, 640)
	number := func(n int64) { raw = binary.BigEndian.AppendUint64(raw, uint64(n)) }
	text := func(s string) {
		number(int64(len(s)))
		raw = append(raw, s...)
	}
	text(space)
	number(r.Seq)
	number(r.Time)
	text(r.Kind)
	text(r.Phase)
	number(r.Begins)
	for _, s := range r.texts() {
		text(*s)
	}
	for _, n := range r.numbers() {
		number(*n)
	}
	for _, d := range r.digests() {
		text(string(*d))
	}
	return sha256.Sum256(raw)
}

// Audit writes rows in the transaction, in their order, and sets their Seq and
// Time. The lock of the audit's feed is held until the transaction ends, so Audit
// comes after the other writes.
func (t *Tx) Audit(ctx context.Context, rows ...*AuditRow) error {
	if len(rows) == 0 {
		return nil
	}
	var last int64
	if err := t.Row(ctx, "FeedTake", t.Space(), auditFeed, len(rows)).Scan(&last); err != nil {
		return fmt.Errorf("number audit rows: %w", err)
	}
	t.touch(auditFeed)
	now, err := t.auditTime(ctx, last-int64(len(rows)))
	if err != nil {
		return err
	}
	for i, row := range rows {
		row.Seq, row.Time = last-int64(len(rows)-1-i), now
		if err := t.insertAudit(ctx, row); err != nil {
			return fmt.Errorf("write an audit row: %w", err)
		}
	}
	return nil
}

// auditTime returns the store's time, or that of the row before if the clock was
// set back: pages find times by sequence.
func (t *Tx) auditTime(ctx context.Context, before int64) (int64, error) {
	now, err := t.Now(ctx)
	if err != nil {
		return 0, err
	}
	var previous int64
	switch err := t.Row(ctx, "AuditTimeOf", t.Space(), before).Scan(&previous); {
	case err == nil:
		return max(now, previous), nil
	case isNoRows(err):
		return now, nil
	default:
		return 0, fmt.Errorf("read the last audit row: %w", err)
	}
}

func (t *Tx) insertAudit(ctx context.Context, row *AuditRow) error {
	if row.Phase == "" {
		row.Phase = PhaseSingle
	}
	row.PayloadDigest = row.Payload.Digest()
	args := []any{t.Space(), row.Seq, row.Time, row.Kind, row.Phase, row.Begins}
	for _, s := range row.texts() {
		*s = auditText(*s)
		args = append(args, *s)
	}
	for _, n := range row.numbers() {
		args = append(args, *n)
	}
	for _, d := range row.digests() {
		args = append(args, append([]byte{}, *d...)) // an empty digest is not NULL
	}
	payload := row.Payload
	if payload == nil {
		payload = &AuditPayload{}
	}
	args = append(args, payload.Salt, payload.Args, payload.Result)
	_, err := t.Exec(ctx, "AuditInsert", args...)
	return err
}

// scanAudit reads a row with all columns but space.
func scanAudit(rows interface{ Scan(...any) error }) (*AuditRow, error) {
	r := &AuditRow{}
	var p AuditPayload
	into := []any{&r.Seq, &r.Time, &r.Kind, &r.Phase, &r.Begins}
	for _, s := range r.texts() {
		into = append(into, s)
	}
	for _, n := range r.numbers() {
		into = append(into, n)
	}
	for _, d := range r.digests() {
		into = append(into, d)
	}
	if err := rows.Scan(append(into, &p.Salt, &p.Args, &p.Result)...); err != nil {
		return nil, fmt.Errorf("read an audit row: %w", err)
	}
	if p.Salt != nil {
		r.Payload = &p
	}
	return r, nil
}

// eachAudit calls fn for each row of a statement, so that only one is in memory.
func (t *Tx) eachAudit(ctx context.Context, fn func(*AuditRow) error, name string, args ...any) error {
	rows, err := t.Query(ctx, name, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scanAudit(rows)
		if err == nil {
			err = fn(r)
		}
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

// auditQuery returns the rows of a statement.
func (t *Tx) auditQuery(ctx context.Context, name string, args ...any) (out []*AuditRow, err error) {
	err = t.eachAudit(ctx, func(r *AuditRow) error {
		out = append(out, r)
		return nil
	}, name, args...)
	return out, err
}

// Audit writes rows in a transaction of their own.
func (s *Store) Audit(ctx context.Context, rows ...*AuditRow) error {
	return s.Update(ctx, func(ctx context.Context, tx *Tx) error { return tx.Audit(ctx, rows...) })
}

func isNoRows(err error) bool { return errors.Is(err, ErrNotFound) }

func hexOf(digest []byte) string { return hex.EncodeToString(digest) }
