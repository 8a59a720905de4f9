package state

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

const (
	// presenceStep is how long a person counts as seen without another write.
	presenceStep = 5 * time.Second
	// presenceKept is how long the store knows who was there.
	presenceKept = 24 * time.Hour
)

// RememberLife is how long an answer is remembered.
const RememberLife = 7 * 24 * time.Hour

// RememberedAnswer is a yes that counts again for the same call.
type RememberedAnswer struct {
	// Approval is what was approved, By who did, and ByKind how.
	Approval, By, ByKind string
	Created, Expires     time.Time
}

// AnswerKey returns a digest of all that a remembered answer is bound to: caller,
// agent, instance, tool with its definition, exact arguments, rule and resolved
// paths. The error is [ErrInvalid] if the answer must not be remembered: a command
// whose text does not decide what it runs, and several calls at once.
func (a *Approval) AnswerKey() (string, error) {
	if len(a.Calls) != 1 || a.Calls[0].Dynamic {
		return "", fmt.Errorf("%w: an answer is remembered for one call that its arguments decide", ErrInvalid)
	}
	c := &a.Calls[0]
	h := sha256.New()
	parts := [][]byte{
		[]byte(a.Principal), []byte(a.PrincipalKind), []byte(a.Agent), []byte(a.Instance),
		[]byte(c.Tool), c.Digest, c.Args, []byte(c.Rule), []byte(c.RuleDigest),
	}
	for _, f := range c.Files {
		parts = append(parts, []byte(f.Path))
	}
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return hexOf(h.Sum(nil)), nil
}

// Remembers returns what is remembered of an approved question.
func (a *Approval) Remembers(now time.Time) (key string, r RememberedAnswer, err error) {
	if a.State != ApprovalApproved && a.State != ApprovalUsed {
		return "", r, fmt.Errorf("%w: the approval is %s, and only a yes is remembered", ErrConflict, a.State)
	}
	key, err = a.AnswerKey()
	return key, RememberedAnswer{Approval: a.ID, By: a.By, ByKind: a.ByKind, Created: now, Expires: now.Add(RememberLife)}, err
}

// RememberApproval makes the yes to an approval count for later calls that are the
// same, for [RememberLife].
func (s *Store) RememberApproval(ctx context.Context, id string) error {
	err := s.Update(ctx, func(ctx context.Context, tx *Tx) error {
		a, err := tx.approval(ctx, id)
		if err != nil {
			return err
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		key, r, err := a.Remembers(time.UnixMicro(now))
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "AnswerPut", tx.Space(), key, r.Approval, r.By, r.ByKind, micros(r.Created), micros(r.Expires)); err != nil {
			return err
		}
		row, err := a.decision("approval.remember")
		if err != nil {
			return err
		}
		return tx.Audit(ctx, row)
	})
	if err != nil {
		return fmt.Errorf("remember the answer to %s: %w", id, err)
	}
	return nil
}

// Remembered returns the answer that counts for a question which is about to be
// opened, or [ErrNotFound].
func (s *Store) Remembered(ctx context.Context, a *Approval) (r RememberedAnswer, err error) {
	key, err := a.AnswerKey()
	if err != nil {
		return r, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	err = s.View(ctx, func(ctx context.Context, tx *Tx) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		var created, expires int64
		if err := tx.Row(ctx, "AnswerGet", tx.Space(), key, now).Scan(&r.Approval, &r.By, &r.ByKind, &created, &expires); err != nil {
			return err
		}
		r.Created, r.Expires = time.UnixMicro(created), time.UnixMicro(expires)
		return nil
	})
	return r, err
}

// SeePerson records that a person can see questions now, and how: session, watch
// or notifier.
func (s *Store) SeePerson(ctx context.Context, kind, name string) error {
	kind, name = auditText(kind), auditText(name)
	fresh := false
	err := s.View(ctx, func(ctx context.Context, tx *Tx) error {
		var seen int64
		err := tx.Row(ctx, "PresenceOf", tx.Space(), kind, name).Scan(&seen)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		now, late := tx.Now(ctx)
		fresh = seen > now-presenceStep.Microseconds() && seen <= now
		return errors.Join(err, late)
	})
	if err != nil || fresh {
		return err
	}
	return s.Update(ctx, func(ctx context.Context, tx *Tx) error {
		now, err := tx.Now(ctx)
		if err == nil {
			_, err = tx.Exec(ctx, "PresencePut", tx.Space(), kind, name, now)
		}
		return err
	})
}

// SeenPerson reports whether a person could see questions within the last time.
func (s *Store) SeenPerson(ctx context.Context, within time.Duration) (seen bool, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		var last int64
		err = tx.Row(ctx, "PresenceLast", tx.Space()).Scan(&last)
		seen = last > now-within.Microseconds()
		return err
	})
	return seen, err
}
