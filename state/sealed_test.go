package state

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"
)

// rawCalls returns all bytes that the tables of calls and keys hold.
func rawCalls(t *testing.T, s *Store) []byte {
	t.Helper()
	var all []byte
	extra, err := parseStatements(`
-- name: TestRawCalls
SELECT COALESCE(args, CAST('' AS BYTEA)), COALESCE(capabilities, CAST('' AS BYTEA)), COALESCE(questions, CAST('' AS BYTEA)),
	COALESCE(answers, CAST('' AS BYTEA)), COALESCE(result, CAST('' AS BYTEA)) FROM calls WHERE space = $1
`, s.Engine())
	if err != nil {
		t.Fatal(err)
	}
	s.statements["TestRawCalls"] = extra["TestRawCalls"]
	err = s.View(t.Context(), func(ctx context.Context, tx *Tx) error {
		rows, err := tx.Query(ctx, "TestRawCalls", tx.Space())
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var v [5][]byte
			if err := rows.Scan(&v[0], &v[1], &v[2], &v[3], &v[4]); err != nil {
				return err
			}
			all = append(all, bytes.Join(v[:], nil)...)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// K13: with a key the exact bytes of calls and the keys that sign cannot be read in
// the database, come back as they were, and a host with another key, or none, says
// so.
func TestK13_SealedRecords(t *testing.T) {
	for _, engine := range []string{engineSQLite, enginePostgres} {
		t.Run(engine, func(t *testing.T) { testSealed(t, newStoreURL(t, engine)) })
	}
}

func testSealed(t *testing.T, url string) {
	open := func(o *Options) *Store { return openAt(t, url, o) }
	key, other := bytes.Repeat([]byte{1}, KeySize), bytes.Repeat([]byte{2}, KeySize)
	plain := open(nil)
	old := newCall(t, plain, "old") // from before there was a key
	s := open(&Options{Key: key})
	c := &Call{
		ID: "new", Kind: KindCall, State: CallSuspended, Tool: "write", Round: 1,
		Args: []byte("canary-args"), Capabilities: []byte("canary-can"), Questions: []byte("canary-question"),
	}
	if err := s.AddCall(t.Context(), c, time.Hour, wide); err != nil {
		t.Fatal(err)
	}
	if _, changed := change(t, s, "new", start); !changed {
		t.Fatal("not started")
	}
	end := func(c *Call, w Writer) bool { return c.End(w, CallDone, []byte("canary-result"), time.Hour) }
	if _, changed := change(t, s, "new", end); !changed {
		t.Fatal("not ended")
	}
	if raw := rawCalls(t, s); bytes.Contains(raw, []byte("canary")) || !bytes.Contains(raw, old.Args) {
		t.Errorf("the rows have %q", raw)
	}
	got := getCall(t, s, "new")
	if string(got.Args) != "canary-args" || string(got.Capabilities) != "canary-can" || string(got.Result) != "canary-result" {
		t.Errorf("got %+v", got)
	}
	if got := getCall(t, s, "old"); !bytes.Equal(got.Args, old.Args) {
		t.Errorf("the call from before the key has %q", got.Args)
	}
	for _, o := range []*Options{nil, {Key: other}} {
		stranger := open(o)
		if _, err := stranger.GetCall(t.Context(), "new"); !errors.Is(err, ErrSealed) {
			t.Errorf("another key: %v", err)
		}
	}
	keys, err := s.SealKeys(t.Context(), time.Hour, time.Hour)
	if err != nil || len(keys) != 1 || len(keys[0].Secret) != 32 {
		t.Fatalf("%v %v", keys, err)
	}
	if again, err := s.SealKeys(t.Context(), time.Hour, time.Hour); err != nil || !bytes.Equal(again[0].Secret, keys[0].Secret) {
		t.Errorf("%v %v", again, err)
	}
	if _, err := Open(t.Context(), url, &Options{Key: other}); !errors.Is(err, ErrSealed) {
		t.Errorf("opened with another key: %v", err)
	}
	if _, err := Open(t.Context(), url, &Options{Key: key[:5]}); !errors.Is(err, ErrInvalid) {
		t.Errorf("opened with a short key: %v", err)
	}
}

// A value that was moved to another record or column is not believed.
func TestK13_SealedInPlace(t *testing.T) {
	s, err := newSealer(bytes.Repeat([]byte{1}, KeySize))
	if err != nil {
		t.Fatal(err)
	}
	sealed := s.seal("a", []byte("text"))
	if plain, err := s.open("a", sealed); err != nil || string(plain) != "text" {
		t.Errorf("%q %v", plain, err)
	}
	flipped := bytes.Clone(sealed)
	flipped[len(flipped)-1] ^= 1
	for _, c := range []struct {
		place string
		value []byte
	}{{"b", sealed}, {"a", flipped}, {"a", sealed[:10]}} {
		if _, err := s.open(c.place, c.value); !errors.Is(err, ErrSealed) {
			t.Errorf("%s %q: %v", c.place, c.value, err)
		}
	}
}
