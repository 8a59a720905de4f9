package state

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/rows"
)

func changeDocuments(t *testing.T, d rows.Store, feed string, f func(ctx context.Context, tx rows.Tx) error) {
	t.Helper()
	if err := d.Update(t.Context(), feed, f); err != nil {
		t.Fatal(err)
	}
}

func put(kind, key, value string) func(context.Context, rows.Tx) error {
	return func(ctx context.Context, tx rows.Tx) error { return tx.Put(ctx, kind, key, []byte(value)) }
}

// documents returns what a kind has.
func documents(t *testing.T, d rows.Store, kind string) (all []string) {
	t.Helper()
	if err := d.View(t.Context(), func(ctx context.Context, tx rows.Tx) error {
		all = nil
		list, err := tx.List(ctx, kind)
		for _, row := range list {
			one, there, err := tx.Get(ctx, kind, row.Key)
			if err != nil || !there || string(one.Value) != string(row.Value) || one.Version != row.Version {
				t.Errorf("Get %+v, List %+v, %v", one, row, err)
			}
			all = append(all, fmt.Sprintf("%s=%q@%d", row.Key, row.Value, row.Version))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func version(t *testing.T, d rows.Store, feed string) int64 {
	t.Helper()
	versions, err := d.Versions(t.Context(), "other", feed)
	if err != nil || versions[0] != 0 {
		t.Fatalf("%v, %v", versions, err)
	}
	return versions[1]
}

// onRows runs a test on every implementation of rows. open opens the same rows
// again, in a space.
func onRows(t *testing.T, f func(t *testing.T, open func(space string) rows.Store)) {
	t.Run("memory", func(t *testing.T) {
		spaces := map[string]rows.Store{"": &rows.Memory{}, "elsewhere": &rows.Memory{}}
		f(t, func(space string) rows.Store { return spaces[space] })
	})
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		f(t, func(space string) rows.Store { return open(&Options{Space: space}).Documents() })
	})
}

// Promise R3: rows are written as a whole or not at all; a change that writes
// nothing leaves the version of its feed; spaces are apart.
func TestR3_Documents(t *testing.T) {
	onRows(t, func(t *testing.T, open func(string) rows.Store) {
		a, b, elsewhere := open(""), open(""), open("elsewhere")
		changeDocuments(t, a, "f", func(ctx context.Context, tx rows.Tx) error {
			return errors.Join(tx.Put(ctx, "f.x", "b", []byte("nul \x00 \xff")), tx.Put(ctx, "f.x", "a", nil), tx.Put(ctx, "f", "k", []byte("1")))
		})
		changeDocuments(t, b, "f", put("f.x", "c", "3"))
		if got := documents(t, b, "f.x"); !slices.Equal(got, []string{`a=""@1`, `b="nul \x00 \xff"@1`, `c="3"@2`}) {
			t.Errorf("%q", got)
		}
		changeDocuments(t, b, "f", func(ctx context.Context, tx rows.Tx) error {
			return errors.Join(tx.Delete(ctx, "f.x", "a"), tx.Delete(ctx, "f.x", "none"), tx.Put(ctx, "f.x", "b", []byte("2")))
		})
		if got := documents(t, a, "f.x"); !slices.Equal(got, []string{`b="2"@3`, `c="3"@2`}) || version(t, a, "f") != 3 {
			t.Errorf("%q", got)
		}
		fail := errors.New("no")
		if err := a.Update(t.Context(), "f", func(ctx context.Context, tx rows.Tx) error {
			return errors.Join(tx.Put(ctx, "f.x", "d", nil), tx.Delete(ctx, "f.x", "b"), fail)
		}); !errors.Is(err, fail) {
			t.Errorf("%v", err)
		}
		changeDocuments(t, a, "f", func(ctx context.Context, tx rows.Tx) error { return tx.Delete(ctx, "f.x", "none") })
		if got := documents(t, a, "f.x"); len(got) != 2 || version(t, a, "f") != 3 {
			t.Errorf("after nothing was written: %q", got)
		}
		if err := a.Update(t.Context(), "f", put("g", "k", "1")); !errors.Is(err, rows.ErrFeed) {
			t.Errorf("a write to another feed: %v", err)
		}
		if err := a.Update(t.Context(), "f", func(ctx context.Context, tx rows.Tx) error { return tx.Delete(ctx, "fx.y", "k") }); !errors.Is(err, rows.ErrFeed) {
			t.Errorf("a write to another feed: %v", err)
		}
		if err := a.View(t.Context(), put("f", "k", "1")); err == nil {
			t.Error("a view wrote")
		}
		if got := documents(t, elsewhere, "f.x"); len(got) != 0 || version(t, elsewhere, "f") != 0 {
			t.Errorf("in another space: %q", got)
		}
	})
}

// Promise R3: changes of a feed happen one after the other, also when they only
// read what others write.
func TestR3_DocumentsChangeOneByOne(t *testing.T) {
	onRows(t, func(t *testing.T, open func(string) rows.Store) {
		const writers, each = 8, 12
		var group sync.WaitGroup
		for i := range writers {
			d := open("")
			group.Go(func() {
				for range each {
					err := d.Update(t.Context(), "f", func(ctx context.Context, tx rows.Tx) error {
						row, _, err := tx.Get(ctx, "f", "n")
						if err != nil {
							return err
						}
						n, _ := strconv.Atoi(string(row.Value))
						// A new row for each number: two of the same would be lost.
						return errors.Join(tx.Put(ctx, "f", "n", []byte(strconv.Itoa(n+1))), tx.Put(ctx, "f.all", fmt.Sprint(n), []byte{byte(i)}))
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		d := open("")
		if got := documents(t, d, "f.all"); len(got) != writers*each || version(t, d, "f") != writers*each {
			t.Errorf("%d rows, version %d", len(got), version(t, d, "f"))
		}
	})
}

// Promise R3: a value that does not have its digest is damaged and not used.
func TestR3_DamagedDocument(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		d := s.Documents()
		changeDocuments(t, d, "f", put("f", "k", "good"))
		update(t, s, func(ctx context.Context, tx *Tx) error {
			_, err := tx.Exec(ctx, "DocumentUpdate", tx.Space(), "f", "k", int64(1), []byte("bad"), make([]byte, 32), int64(1), int64(1))
			return err
		})
		for _, read := range []func(context.Context, rows.Tx) error{
			func(ctx context.Context, tx rows.Tx) error { _, _, err := tx.Get(ctx, "f", "k"); return err },
			func(ctx context.Context, tx rows.Tx) error { _, err := tx.List(ctx, "f"); return err },
		} {
			if err := d.View(t.Context(), read); err == nil {
				t.Error("it was read")
			}
		}
		if problems, err := s.Check(t.Context()); err != nil || len(problems) != 1 || problems[0].Kind != "documents" {
			t.Errorf("checked: %+v, %v", problems, err)
		}
	})
}

// Promise R3: a decision is recorded in the transaction that makes it, or neither.
func TestR3_DecisionsAreRecorded(t *testing.T) {
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		s := open(nil)
		d := s.Documents()
		d.By = "kim"
		decide := func(ctx context.Context, then error) error {
			return d.Update(ctx, "f", func(ctx context.Context, tx rows.Tx) error {
				return errors.Join(tx.Decided(ctx, rows.Decision{Action: "pin.accepted", Subject: "s/t", Digest: "sha256:0"}), tx.Put(ctx, "f", "k", nil), then)
			})
		}
		fail := errors.New("no")
		if err := decide(t.Context(), fail); !errors.Is(err, fail) {
			t.Errorf("%v", err)
		}
		manager := gongu.WithPrincipal(t.Context(), &gongu.Principal{Name: "lee", Kind: "token"})
		if err := errors.Join(decide(t.Context(), nil), decide(manager, nil)); err != nil {
			t.Fatal(err)
		}
		page, err := s.AuditPage(t.Context(), AuditFilter{Kind: AuditDecision})
		if err != nil || len(page.Rows) != 2 {
			t.Fatalf("%+v, %v", page.Rows, err)
		}
		by, cli := page.Rows[0], page.Rows[1]
		if by.Principal != "lee" || by.PrincipalKind != "token" || cli.Principal != "kim" || cli.Action != "pin.accepted" || cli.Subject != "s/t" || !strings.Contains(string(cli.Payload.Result), "sha256:0") {
			t.Errorf("%+v and %+v", by, cli)
		}
		if problems, err := s.Check(t.Context()); err != nil || len(problems) != 0 {
			t.Errorf("%v, %v", problems, err)
		}
	})
}
