package state

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// KeySize is the length of [Options.Key] in bytes.
const KeySize = 32

// ErrSealed means that records are sealed with a key that this host does not have.
var ErrSealed = errors.New("the records are sealed with another key")

// sealedMark begins sealed bytes. No JSON begins with a NUL.
const sealedMark = "\x00gs1"

// sealer encrypts the bytes that a resumed call must get again, and which can
// therefore not be redacted; a reader of the database could read them. A nil
// sealer keeps them as they are.
type sealer struct{ aead cipher.AEAD }

func newSealer(key []byte) (*sealer, error) {
	if key == nil {
		return nil, nil
	}
	if len(key) != KeySize {
		return nil, fmt.Errorf("%w: a key has %d bytes, not %d", ErrInvalid, KeySize, len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &sealer{aead}, nil
}

// Sealed reports whether the store has a key that seals the bytes of calls.
func (s *Store) Sealed() bool { return s.sealer != nil }

// seal encrypts a value for one column of one record: it cannot be moved to
// another. No bytes stay NULL.
func (s *sealer) seal(place string, value []byte) []byte {
	if s == nil || len(value) == 0 {
		return bytesOrNull(value)
	}
	nonce := make([]byte, s.aead.NonceSize())
	rand.Read(nonce) // never fails
	out := append([]byte(sealedMark), nonce...)
	return s.aead.Seal(out, nonce, value, []byte(place))
}

// open decrypts a value. Values from before there was a key are read as they are.
func (s *sealer) open(place string, value []byte) ([]byte, error) {
	sealed, isSealed := strings.CutPrefix(string(value), sealedMark)
	if !isSealed {
		return value, nil
	}
	if s == nil || len(sealed) < s.aead.NonceSize() {
		return nil, sealedError()
	}
	n := s.aead.NonceSize()
	plain, err := s.aead.Open(nil, []byte(sealed[:n]), []byte(sealed[n:]), []byte(place))
	if err != nil {
		return nil, sealedError()
	}
	return plain, nil
}

func sealedError() error {
	return lang.NewError(ErrSealed, lang.StoreSealed.With(), lang.StoreSealedHint.With())
}

// place names a column of a record.
func (t *Tx) place(table, id, column string) string {
	return strings.Join([]string{t.Space(), table, id, column}, "\x00")
}

// sealCall returns a column of a call as it is stored.
func (t *Tx) sealCall(c *Call, column string, value []byte) []byte {
	return t.store.sealer.seal(t.place("calls", c.ID, column), value)
}

// openCall decrypts the columns of a call.
func (t *Tx) openCall(c *Call) error {
	for column, value := range map[string]*[]byte{
		"args": &c.Args, "capabilities": &c.Capabilities, "questions": &c.Questions, "answers": &c.Answers, "result": &c.Result,
	} {
		plain, err := t.store.sealer.open(t.place("calls", c.ID, column), *value)
		if err != nil {
			return err
		}
		*value = plain
	}
	return nil
}

// checkKey finds out early that this host has another key than the hosts that
// wrote the records.
func (s *Store) checkKey(ctx context.Context) error {
	if s.sealer == nil && s.engine.name() == engineSQLite {
		return nil // one file of one user; a sealed record says so when it is read
	}
	_, _, err := s.readSealKeys(ctx)
	return err
}
