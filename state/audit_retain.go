package state

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// dropAtOnce is how many rows one transaction removes: writers wait for it.
const dropAtOnce = 2000

// RetainAudit removes the rows of whole seals that are older than r.Age, and of
// the oldest ones until the rest takes at most r.Bytes. The seals stay. A row
// records what is removed; it is committed before the first removal.
func (s *Store) RetainAudit(ctx context.Context, r Retention) (removed int64, err error) {
	var first, through int64
	err = s.Update(ctx, func(ctx context.Context, tx *Tx) (err error) {
		if first, through, err = tx.auditExpired(ctx, r); err != nil || through < first {
			return err
		}
		return tx.Audit(ctx, &AuditRow{Kind: AuditRetention, Action: "remove rows", Subject: strconv.FormatInt(through, 10), Status: "ok"})
	})
	for next := first; err == nil && next <= through; next += dropAtOnce {
		err = s.Update(ctx, func(ctx context.Context, tx *Tx) error {
			hit, err := tx.Exec(ctx, "AuditDrop", tx.Space(), min(next+dropAtOnce-1, through))
			removed += hit
			return err
		})
	}
	if err != nil {
		return removed, fmt.Errorf("remove old audit rows: %w", err)
	}
	return removed, nil
}

// auditExpired returns the first row that is there, and the last one of the
// seals that retention removes.
func (t *Tx) auditExpired(ctx context.Context, r Retention) (first, through int64, err error) {
	var last int64
	if err := t.Row(ctx, "AuditEnds", t.Space()).Scan(&first, &last); err != nil || last == 0 {
		return 1, 0, err
	}
	if r.Age > 0 {
		now, err := t.Now(ctx)
		if err != nil {
			return 0, 0, err
		}
		seal, err := t.sealRow(ctx, "SealBefore", t.Space(), now-int64(r.Age/time.Microsecond))
		if err != nil {
			return 0, 0, err
		}
		if seal != nil {
			through = seal.Last
		}
	}
	if r.Bytes > 0 {
		seal, err := t.sealRow(ctx, "SealOverBytes", t.Space(), first, r.Bytes)
		if err != nil {
			return 0, 0, err
		}
		if seal != nil {
			through = max(through, seal.Last)
		}
	}
	return first, through, nil
}

// EraseAudit erases the payload of a row, and of the other row of its call, and
// records who did it. It reports how many payloads were erased.
func (s *Store) EraseAudit(ctx context.Context, seq int64, by AuditRow) (erased int, err error) {
	rows, err := s.AuditGet(ctx, seq)
	if err != nil {
		return 0, err
	}
	err = s.Update(ctx, func(ctx context.Context, tx *Tx) error {
		erased = 0
		for _, row := range rows {
			hit, err := tx.One(ctx, "AuditErase", tx.Space(), row.Seq)
			if err != nil || !hit {
				if err != nil {
					return err
				}
				continue // it has none
			}
			record := by
			record.Kind, record.Phase, record.Action, record.Subject, record.Status = AuditErasure, PhaseSingle, "erase payload", strconv.FormatInt(row.Seq, 10), "ok"
			if err := tx.Audit(ctx, &record); err != nil {
				return err
			}
			erased++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("erase the payload of audit row %d: %w", seq, err)
	}
	return erased, nil
}

// auditRestore records that the store came out of a backup: rows and seals that
// are newer than the backup are gone.
func auditRestore(ctx context.Context, tx *Tx, _ int64) error {
	last, err := tx.Last(ctx, auditFeed)
	if err != nil || last == 0 {
		return err // nothing was recorded yet
	}
	return tx.Audit(ctx, &AuditRow{Kind: AuditDecision, Action: "restore a backup", Status: "ok"})
}

// checkAudit reports what [Store.VerifyAudit] finds without a head.
func checkAudit(ctx context.Context, tx *Tx) ([]Problem, error) {
	v := &verifier{
		view:  func(ctx context.Context, f func(context.Context, *Tx) error) error { return f(ctx, tx) },
		space: tx.Space(), report: &AuditReport{},
	}
	if err := v.run(ctx); err != nil {
		return nil, err
	}
	var problems []Problem
	for _, p := range v.report.Problems {
		problems = append(problems, Problem{Kind: "audit", Text: fmt.Sprintf("%s: seal %d, row %d", p.Kind, p.Seal, p.Row)})
	}
	return problems, nil
}
