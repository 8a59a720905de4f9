package state

import (
	"context"
	"fmt"
)

// Status is how a store is.
type Status struct {
	// Engine is sqlite or postgres, Place where the store is, without a password.
	Engine, Place string
	// Bytes is about how much the records take.
	Bytes int64
	// Rows is the number of the last audit row, Sealed that of the last one that
	// is sealed, and SealedAt when that was.
	Rows, Sealed, SealedAt int64
	// Hosts is how many hosts have a lease.
	Hosts int64
}

// Status reports how the store is.
func (s *Store) Status(ctx context.Context) (Status, error) {
	out := Status{Engine: s.Engine(), Place: s.String()}
	err := s.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		if err := tx.Row(ctx, "StoreBytes").Scan(&out.Bytes); err != nil {
			return err
		}
		if out.Rows, err = tx.Last(ctx, AuditFeed); err != nil {
			return err
		}
		seal, err := tx.lastSeal(ctx)
		if err != nil {
			return err
		}
		if seal != nil {
			out.Sealed, out.SealedAt = seal.Last, seal.Time
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		return tx.Row(ctx, "HostCount", tx.Space(), now).Scan(&out.Hosts)
	})
	if err != nil {
		return Status{}, fmt.Errorf("read the state of the records: %w", err)
	}
	return out, nil
}
