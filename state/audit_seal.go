package state

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
)

// Seal proves the rows from First to Last and all seals before it.
type Seal struct {
	Number      int64
	First, Last int64
	// Bytes is about how much the rows took when they were sealed, Time when
	// that was.
	Bytes, Time int64
	// RowsDigest is over the digests of the rows, Previous is the Digest of the
	// seal before (empty for the first), and Digest is over all of these.
	RowsDigest, Previous, Digest []byte
}

// Count returns how many rows the seal covers.
func (s *Seal) Count() int64 { return s.Last - s.First + 1 }

// sum returns what Digest has to be.
func (s *Seal) sum(space string) []byte {
	raw := binary.BigEndian.AppendUint64(nil, uint64(len(space)))
	raw = append(raw, space...)
	for _, n := range []int64{s.Number, s.First, s.Last, s.Count(), s.Bytes, s.Time} {
		raw = binary.BigEndian.AppendUint64(raw, uint64(n))
	}
	for _, d := range [][]byte{s.RowsDigest, s.Previous} {
		raw = binary.BigEndian.AppendUint64(raw, uint64(len(d)))
		raw = append(raw, d...)
	}
	sum := sha256.Sum256(raw)
	return sum[:]
}

// rowsHash computes the RowsDigest of a seal.
type rowsHash struct {
	space string
	hash  hash.Hash
	bytes int64
}

func newRowsHash(space string) *rowsHash { return &rowsHash{space: space, hash: sha256.New()} }

// auditOverhead is about what a row takes beside its payload, with its indexes.
const auditOverhead = 1024

func (h *rowsHash) add(r *AuditRow) {
	sum := r.sum(h.space)
	h.hash.Write(sum[:])
	h.bytes += auditOverhead
	if r.Payload != nil {
		h.bytes += int64(len(r.Payload.Args) + len(r.Payload.Result))
	}
}

// maxSealed is how many rows one seal covers at most.
const maxSealed = 5000

// SealAudit seals the rows that have no seal yet, unless another host with a valid
// lease does that. It returns how many seals it wrote, and writes nothing when
// there is nothing to seal.
func (s *Store) SealAudit(ctx context.Context) (written int, err error) {
	for {
		pending, err := s.unsealedAudit(ctx)
		if err != nil || !pending {
			return written, err
		}
		lease, err := s.Lease(ctx)
		if err != nil {
			return written, fmt.Errorf("seal the audit: %w", err)
		}
		var seal *Seal
		err = s.UpdateOwned(ctx, lease, func(ctx context.Context, tx *Tx) error {
			seal = nil
			mine, err := tx.claimSealer(ctx, lease.Token())
			if err == nil && mine {
				seal, err = tx.sealRows(ctx)
			}
			return err
		})
		if err != nil {
			return written, fmt.Errorf("seal the audit: %w", err)
		}
		if seal == nil {
			return written, nil
		}
		written++
	}
}

// unsealedAudit reports whether there are rows without a seal.
func (s *Store) unsealedAudit(ctx context.Context) (pending bool, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) error {
		last, err := tx.Last(ctx, auditFeed)
		if err != nil {
			return err
		}
		seal, err := tx.lastSeal(ctx)
		pending = last > 0 && (seal == nil || seal.Last < last)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("read the seals: %w", err)
	}
	return pending, nil
}

// claimSealer makes the host of a lease the one that seals, unless another one
// with a valid lease is.
func (t *Tx) claimSealer(ctx context.Context, token string) (bool, error) {
	var holder string
	switch err := t.Row(ctx, "SealerGet", t.Space()).Scan(&holder); {
	case isNoRows(err):
	case err != nil:
		return false, err
	case holder == token:
		return true, nil
	default:
		if alive, err := t.HostAlive(ctx, holder); err != nil || alive {
			return false, err
		}
	}
	_, err := t.Exec(ctx, "SealerPut", t.Space(), token)
	return err == nil, err
}

// sealRows writes one seal over the rows that have none.
func (t *Tx) sealRows(ctx context.Context) (*Seal, error) {
	next := Seal{Number: 1, First: 1}
	last, err := t.lastSeal(ctx)
	if err != nil {
		return nil, err
	}
	if last != nil {
		next = Seal{Number: last.Number + 1, First: last.Last + 1, Previous: last.Digest}
	}
	h, seq := newRowsHash(t.Space()), next.First
	err = t.eachAudit(ctx, func(r *AuditRow) error {
		if r.Seq != seq {
			return fmt.Errorf("audit row %d is missing; run: gongu audit verify", seq)
		}
		h.add(r)
		seq++
		return nil
	}, "AuditAfter", t.Space(), next.First-1, next.First-1+maxSealed, maxSealed)
	if err != nil || seq == next.First {
		return nil, err
	}
	if next.Time, err = t.Now(ctx); err != nil {
		return nil, err
	}
	next.Last, next.Bytes, next.RowsDigest = seq-1, h.bytes, h.hash.Sum(nil)
	next.Digest = next.sum(t.Space())
	_, err = t.Exec(ctx, "SealInsert", t.Space(), next.Number, next.First, next.Last, next.Bytes, next.Time,
		next.RowsDigest, append([]byte{}, next.Previous...), next.Digest)
	return &next, err
}

// AuditHead returns the latest seal, or nil if nothing is sealed yet.
func (s *Store) AuditHead(ctx context.Context) (seal *Seal, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		seal, err = tx.lastSeal(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the seals: %w", err)
	}
	return seal, nil
}

func (t *Tx) lastSeal(ctx context.Context) (*Seal, error) {
	return t.sealRow(ctx, "SealLast", t.Space())
}

// sealRow returns the seal that a statement finds, or nil.
func (t *Tx) sealRow(ctx context.Context, name string, args ...any) (*Seal, error) {
	found, err := t.sealQuery(ctx, name, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

func (t *Tx) sealQuery(ctx context.Context, name string, args ...any) (out []*Seal, err error) {
	rows, err := t.Query(ctx, name, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		s := &Seal{}
		if err := rows.Scan(&s.Number, &s.First, &s.Last, &s.Bytes, &s.Time, &s.RowsDigest, &s.Previous, &s.Digest); err != nil {
			return nil, fmt.Errorf("read a seal: %w", err)
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// follows reports whether the seal is the next one of a chain; before is nil for
// the first.
func (s *Seal) follows(before *Seal, space string) bool {
	number, first, previous := int64(1), int64(1), []byte(nil)
	if before != nil {
		number, first, previous = before.Number+1, before.Last+1, before.Digest
	}
	return s.Number == number && s.First == first && s.Last >= s.First && bytes.Equal(s.Previous, previous) && bytes.Equal(s.Digest, s.sum(space))
}
