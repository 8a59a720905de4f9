package state

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// The kinds of [AuditProblem].
const (
	ProblemHead    = "head"    // the head is no seal of this store
	ProblemSeal    = "seal"    // a seal was changed, or one before it is missing
	ProblemRows    = "rows"    // rows of a seal were changed, added or removed
	ProblemPayload = "payload" // a payload was changed
	ProblemErased  = "erased"  // a payload is missing, and no row records its erasure
	ProblemRemoved = "removed" // rows are missing, and the head does not cover the row that records their removal
	ProblemLeft    = "left"    // rows are there that retention removed
	ProblemGap     = "gap"     // a row that has no seal yet is missing
)

// AuditProblem is what a check of the audit found.
type AuditProblem struct {
	Kind string `json:"kind"`
	// Seal and Row are where it is; 0 where it is not about one.
	Seal int64 `json:"seal,omitempty"`
	Row  int64 `json:"row,omitempty"`
}

// AuditReport is the result of [Store.VerifyAudit].
type AuditReport struct {
	// Head is the digest that was given, and HeadSeal the number of its seal; 0
	// if none was given or no seal has it.
	Head     string `json:"head,omitempty"`
	HeadSeal int64  `json:"headSeal,omitempty"`
	// Latest is the digest of the last seal.
	Latest string `json:"latest,omitempty"`
	Seals  int64  `json:"seals"`
	// Rows are in the store. Proven of them are covered by the head, and
	// Unsealed have no seal yet.
	Rows     int64 `json:"rows"`
	Proven   int64 `json:"proven"`
	Unsealed int64 `json:"unsealed"`
	// Removed counts rows that retention removed, Erased the payloads that were
	// erased, both recorded.
	Removed int64 `json:"removed"`
	Erased  int64 `json:"erased"`
	// Found counts the problems; Problems are the first of them.
	Found    int64          `json:"found"`
	Problems []AuditProblem `json:"problems"`
}

// maxAuditProblems is how many problems a report lists.
const maxAuditProblems = 100

func (r *AuditReport) problem(kind string, seal, row int64) {
	if r.Found++; len(r.Problems) < maxAuditProblems {
		r.Problems = append(r.Problems, AuditProblem{kind, seal, row})
	}
}

// VerifyAudit checks all seals, rows and payloads. With head, the digest of a
// seal that was stored elsewhere, it proves that every row up to that seal is as
// it was sealed. Without one it finds only what does not fit together: a writer
// of the store could have replaced all rows and seals, or removed the last ones.
func (s *Store) VerifyAudit(ctx context.Context, head string) (*AuditReport, error) {
	var want []byte
	if head != "" {
		var err error
		if want, err = hex.DecodeString(head); err != nil || len(want) != 32 {
			return nil, fmt.Errorf("%q is no head: it has 64 hexadecimal digits", head)
		}
	}
	v := &verifier{view: s.View, space: s.Space(), report: &AuditReport{Head: head, Problems: []AuditProblem{}}, head: want}
	if err := v.run(ctx); err != nil {
		return nil, fmt.Errorf("verify the audit: %w", err)
	}
	return v.report, nil
}

// verifier is one check. It reads a few seals in each transaction, so that a long
// check does not hold a snapshot of the store.
type verifier struct {
	view   func(context.Context, func(context.Context, *Tx) error) error
	space  string
	head   []byte
	report *AuditReport

	last *Seal
	// left is up to which row retention had removed all when the check began.
	left int64
	// kept means that a seal with rows was seen; empty are the seals without
	// rows before it.
	kept  bool
	empty []*Seal
	// gone has the rows whose payload is not there, with their seals.
	gone map[int64]int64
	// headLast is the last row that the head covers.
	headLast int64
}

// sealsAtOnce is how many seals are checked in one transaction.
const sealsAtOnce = 16

func (v *verifier) run(ctx context.Context) error {
	v.gone = map[int64]int64{}
	err := v.view(ctx, func(ctx context.Context, tx *Tx) error {
		return tx.eachAuditRecord(ctx, func(r auditRecord) {
			if r.kind == AuditRetention {
				v.left = max(v.left, r.subject)
			}
		})
	})
	for more := true; more && err == nil; {
		err = v.view(ctx, func(ctx context.Context, tx *Tx) (err error) {
			more, err = v.seals(ctx, tx)
			return err
		})
	}
	if err != nil {
		return err
	}
	if v.last != nil {
		v.report.Latest = hexOf(v.last.Digest)
	}
	if v.head != nil && v.report.HeadSeal == 0 {
		v.report.Proven = 0
		v.report.problem(ProblemHead, 0, 0)
	}
	return v.view(ctx, func(ctx context.Context, tx *Tx) error {
		if err := v.unsealed(ctx, tx); err != nil {
			return err
		}
		return v.records(ctx, tx)
	})
}

// seals checks the next seals and reports whether there are more.
func (v *verifier) seals(ctx context.Context, tx *Tx) (more bool, err error) {
	from := int64(math.MinInt64)
	if v.last != nil {
		from = v.last.Number
	}
	seals, err := tx.sealQuery(ctx, "SealsFrom", v.space, from, sealsAtOnce)
	if err != nil {
		return false, err
	}
	for _, seal := range seals {
		if err := v.seal(ctx, tx, seal); err != nil {
			return false, err
		}
	}
	return len(seals) == sealsAtOnce, nil
}

// seal checks a seal and its rows.
func (v *verifier) seal(ctx context.Context, tx *Tx, s *Seal) error {
	r := v.report
	r.Seals++
	if !s.follows(v.last, v.space) {
		r.problem(ProblemSeal, s.Number, 0)
	}
	after := int64(math.MinInt64) // also rows before the first number
	if v.last != nil {
		after = v.last.Last
	}
	v.last = s
	h, count := newRowsHash(v.space), int64(0)
	err := tx.eachAudit(ctx, func(row *AuditRow) error {
		count++
		h.add(row)
		v.payload(row, s.Number)
		return nil
	}, "AuditAfter", v.space, after, s.Last, math.MaxInt64)
	if err != nil {
		return err
	}
	r.Rows += count
	switch {
	case count == 0 && !v.kept:
		v.empty = append(v.empty, s)
	case s.Last <= v.left:
		r.problem(ProblemLeft, s.Number, 0)
	case count != s.Count() || !bytes.Equal(h.hash.Sum(nil), s.RowsDigest):
		r.problem(ProblemRows, s.Number, 0)
	}
	v.kept = v.kept || count > 0
	if v.head != nil && r.HeadSeal == 0 {
		r.Proven += count
		if bytes.Equal(s.Digest, v.head) {
			r.HeadSeal, v.headLast = s.Number, s.Last
		}
	}
	return nil
}

// payload compares a payload with the digest in its row.
func (v *verifier) payload(row *AuditRow, seal int64) {
	switch {
	case row.Payload == nil && len(row.PayloadDigest) > 0:
		v.gone[row.Seq] = seal
	case !bytes.Equal(row.Payload.Digest(), row.PayloadDigest):
		v.report.problem(ProblemPayload, seal, row.Seq)
	}
}

// unsealed checks the rows after the last seal: their numbers have no gaps.
func (v *verifier) unsealed(ctx context.Context, tx *Tx) error {
	next := int64(1)
	after := int64(math.MinInt64)
	if v.last != nil {
		next, after = v.last.Last+1, v.last.Last
	}
	return tx.eachAudit(ctx, func(row *AuditRow) error {
		if row.Seq != next {
			v.report.problem(ProblemGap, 0, next)
		}
		next = row.Seq + 1
		v.report.Rows++
		v.report.Unsealed++
		v.payload(row, 0)
		return nil
	}, "AuditAfter", v.space, after, math.MaxInt64, math.MaxInt64)
}

// records reads which removals and erasures are on record, and reports the
// others. With a head, it has to cover the record of a removal: a later one could
// be made by the one who removed the rows.
func (v *verifier) records(ctx context.Context, tx *Tx) error {
	var removed, covered int64 // rows are removed up to these, by any record and by one that the head covers
	err := tx.eachAuditRecord(ctx, func(r auditRecord) {
		if r.kind == AuditRetention {
			removed = max(removed, r.subject)
			if r.seq <= v.headLast {
				covered = max(covered, r.subject)
			}
			return
		}
		if _, gone := v.gone[r.subject]; gone {
			v.report.Erased++
			delete(v.gone, r.subject)
		}
	})
	if err != nil {
		return err
	}
	for _, s := range v.empty {
		switch {
		case s.Last > removed:
			v.report.problem(ProblemRows, s.Number, 0)
		case v.report.HeadSeal >= s.Number && s.Last > covered:
			v.report.problem(ProblemRemoved, s.Number, 0)
		default:
			v.report.Removed += s.Count()
		}
	}
	for _, seq := range slices.Sorted(maps.Keys(v.gone)) {
		v.report.problem(ProblemErased, v.gone[seq], seq)
	}
	return nil
}

// auditRecord is a row that records a removal or an erasure. Its subject is the
// last row that was removed, or the row whose payload was erased.
type auditRecord struct {
	kind         string
	seq, subject int64
}

func (t *Tx) eachAuditRecord(ctx context.Context, fn func(auditRecord)) error {
	rows, err := t.Query(ctx, "AuditRecords", t.Space())
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r auditRecord
		var subject string
		if err := rows.Scan(&r.seq, &r.kind, &subject); err != nil {
			return err
		}
		if r.subject, err = strconv.ParseInt(subject, 10, 64); err == nil { // another subject covers nothing
			fn(r)
		}
	}
	return rows.Err()
}
