package state

import (
	"context"
	"crypto/rand"
	"time"
)

// SealKey signs what clients keep and send back, such as the state of a call
// that waits. Hosts of one store share their keys, so that a client can go on at
// another host and after a restart.
type SealKey struct {
	ID     string
	Secret []byte
	// Created is when the key was made.
	Created time.Time
}

// SealKeys returns the keys that may have signed something that is still valid,
// the newest first, which signs. It makes a key when the newest is older than
// rotate, and keeps each for rotate and life after it was made: what it signs is
// valid for at most life.
func (s *Store) SealKeys(ctx context.Context, rotate, life time.Duration) ([]SealKey, error) {
	keys, now, err := s.readSealKeys(ctx)
	if err != nil || len(keys) > 0 && now.Before(keys[0].Created.Add(rotate)) {
		return keys, err
	}
	err = s.Update(ctx, func(ctx context.Context, tx *Tx) error {
		if keys, now, err = tx.sealKeys(ctx); err != nil {
			return err
		}
		if len(keys) > 0 && now.Before(keys[0].Created.Add(rotate)) {
			return nil // another host made one
		}
		made := SealKey{ID: rand.Text()[:8], Secret: make([]byte, 32), Created: now}
		rand.Read(made.Secret) // never fails
		if _, err := tx.Exec(ctx, "SealKeysExpire", tx.Space(), now.UnixMicro()); err != nil {
			return err
		}
		if _, err := tx.One(ctx, "SealKeyInsert", tx.Space(), made.ID, s.sealer.seal(tx.place("seal_keys", made.ID, "secret"), made.Secret), now.UnixMicro(), now.Add(rotate+life).UnixMicro()); err != nil {
			return err
		}
		keys = append([]SealKey{made}, keys...)
		return nil
	})
	return keys, err
}

func (s *Store) readSealKeys(ctx context.Context) (keys []SealKey, now time.Time, err error) {
	err = s.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		keys, now, err = tx.sealKeys(ctx)
		return err
	})
	return keys, now, err
}

func (t *Tx) sealKeys(ctx context.Context) ([]SealKey, time.Time, error) {
	now, err := t.Now(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	rows, err := t.Query(ctx, "SealKeys", t.Space(), now)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer rows.Close()
	var keys []SealKey
	for rows.Next() {
		var k SealKey
		var created int64
		if err := rows.Scan(&k.ID, &k.Secret, &created); err != nil {
			return nil, time.Time{}, err
		}
		if k.Secret, err = t.store.sealer.open(t.place("seal_keys", k.ID, "secret"), k.Secret); err != nil {
			return nil, time.Time{}, err
		}
		k.Created = time.UnixMicro(created)
		keys = append(keys, k)
	}
	return keys, time.UnixMicro(now), rows.Err()
}
