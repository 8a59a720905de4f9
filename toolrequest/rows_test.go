package toolrequest_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/internal/rows"
	"github.com/gongu-ai/gongu/toolrequest"
)

// onRows is a queue of a host with a folder.
func onRows(t *testing.T, store rows.Store, dir string) *toolrequest.Rows {
	t.Helper()
	return toolrequest.NewRows(store, filepath.Join(dir, toolrequest.FileName), &toolrequest.Options{Logger: quiet()})
}

// Promise R3: the first host imports its file, with unknown fields; then
// the rows count, and both files follow them byte for byte.
func TestR3_RequestsAreImportedAndExported(t *testing.T) {
	a, b, store := t.TempDir(), t.TempDir(), &rows.Memory{}
	const before = `[
  {
    "id": "ticket-7",
    "name": "old_one",
    "status": "rejected",
    "ours": [1,  2]
  },
  {
    "id": "req_041",
    "name": "draw_arc",
    "description": "an arc",
    "status": "queued",
    "note": "by hand"
  }
]
`
	write(t, filepath.Join(a, toolrequest.FileName), before)
	write(t, filepath.Join(a, "tool-requests.archive.json"), `[{"id":"req_050","name":"x","status":"fulfilled"}]`)
	qa, qb := onRows(t, store, a), onRows(t, store, b)
	page, err := qa.List(t.Context(), toolrequest.Filter{})
	if err != nil || len(page.Requests) != 3 {
		t.Fatalf("%+v, %v", page, err)
	}
	r, _, err := qb.Add(t.Context(), sofa())
	if err != nil || r.ID != "req_051" {
		t.Fatalf("after the import: %+v, %v", r, err)
	}
	if _, err := qb.Review(t.Context(), "req_041", toolrequest.Decision{Status: toolrequest.Rejected, Reviewer: "kim", Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	if got, err := qa.Get(t.Context(), "req_041"); err != nil || got.Status != toolrequest.Rejected {
		t.Errorf("on the other host: %+v, %v", got, err)
	}
	if err := errors.Join(qa.Export(t.Context()), qb.Export(t.Context())); err != nil {
		t.Fatal(err)
	}
	text := content(t, qa.Path())
	if diff := cmp.Diff(text, content(t, qb.Path())); diff != "" || !strings.Contains(text, `"note": "by hand"`) || !strings.Contains(text, `"ours": [1,  2]`) {
		t.Errorf("%s\n%s", diff, text)
	}
	// What is in the file afterwards does not count.
	write(t, qa.Path(), `[{"id":"req_900","name":"planted","status":"queued"}]`)
	if got, err := onRows(t, store, a).Get(t.Context(), "req_900"); !errors.Is(err, toolrequest.ErrNotFound) {
		t.Errorf("read from the file: %+v, %v", got, err)
	}
	if err := qa.Export(t.Context()); err != nil || content(t, qa.Path()) != text {
		t.Errorf("not exported again: %v", err)
	}
	if got := store.Decisions(); len(got) != 1 || got[0].Action != "request.rejected" || got[0].By != "kim" {
		t.Errorf("recorded decisions: %+v", got)
	}
}

// Promise R3: the import and what belongs to it are one transaction, done once.
func TestR3_ImportIsOneTransaction(t *testing.T) {
	dir, store := t.TempDir(), &rows.Memory{}
	write(t, filepath.Join(dir, toolrequest.FileName), `[{"id":"req_001","name":"a","status":"approved"}]`)
	fail := errors.New("not this time")
	times := 0
	queue := func() *toolrequest.Rows {
		return toolrequest.NewRows(store, filepath.Join(dir, toolrequest.FileName), &toolrequest.Options{
			Logger: quiet(), Import: func() func(context.Context, rows.Tx) error {
				return func(ctx context.Context, tx rows.Tx) error {
					if times++; times == 1 {
						return errors.Join(fail, tx.Put(ctx, "requests.tool", "a", []byte("half")))
					}
					return tx.Put(ctx, "requests.tool", "a", []byte("whole"))
				}
			},
		})
	}
	if _, err := queue().List(t.Context(), toolrequest.Filter{}); !errors.Is(err, fail) {
		t.Errorf("%v", err)
	}
	if versions, err := store.Versions(t.Context(), toolrequest.Feed); err != nil || versions[0] != 0 {
		t.Errorf("half an import: %v, %v", versions, err)
	}
	for range 3 {
		if page, err := queue().List(t.Context(), toolrequest.Filter{}); err != nil || len(page.Requests) != 1 {
			t.Errorf("%+v, %v", page, err)
		}
	}
	if times != 2 {
		t.Errorf("imported %d times", times)
	}
}

// Promise R3: a broken file keeps its content under another name, its ids are not
// used again, and a file of a newer format is left alone.
func TestR3_BrokenFileIsImported(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, toolrequest.FileName)
	write(t, file, `[{"id":"req_007","name":"a",`)
	q := onRows(t, &rows.Memory{}, dir)
	if r, _, err := q.Add(t.Context(), sofa()); err != nil || r.ID != "req_008" {
		t.Errorf("%+v, %v", r, err)
	}
	if aside, err := q.SetAside(); err != nil || len(aside) != 1 {
		t.Errorf("%v, %v", aside, err)
	}
	write(t, file, `{"format":2}`)
	if _, err := onRows(t, &rows.Memory{}, dir).List(t.Context(), toolrequest.Filter{}); !errors.Is(err, toolrequest.ErrNewer) {
		t.Errorf("%v", err)
	}
}

// Promise R3: hosts that ask and decide at once give each id once, and each request
// one decision.
func TestR3_RequestsOfManyHosts(t *testing.T) {
	store := &rows.Memory{}
	const hosts, requests = 8, 25
	var group sync.WaitGroup
	var mu sync.Mutex
	ids, decided := map[string]int{}, map[string]int{}
	for i := range hosts {
		q := onRows(t, store, t.TempDir())
		group.Go(func() {
			for j := range requests {
				r, _, err := q.Add(t.Context(), toolrequest.New{Name: fmt.Sprintf("tool_%d_%d", i, j), Description: "d"})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				ids[r.ID]++
				mu.Unlock()
				status := toolrequest.Approved
				if i%2 == 0 {
					status = toolrequest.Rejected
				}
				id := fmt.Sprintf("req_%03d", j+1)
				if _, err := q.Review(t.Context(), id, toolrequest.Decision{Status: status, Reviewer: "kim"}); err == nil {
					mu.Lock()
					decided[id]++
					mu.Unlock()
				} else if !errors.Is(err, toolrequest.ErrDecided) && !errors.Is(err, toolrequest.ErrNotFound) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if len(ids) != hosts*requests {
		t.Errorf("%d ids for %d requests", len(ids), hosts*requests)
	}
	for id, n := range decided {
		if n != 1 {
			t.Errorf("%s was decided %d times", id, n)
		}
	}
}

// Promise R3: closed requests are bounded as in the archive, and ids go on.
func TestR3_ClosedRequestsAreForgotten(t *testing.T) {
	store, dir := &rows.Memory{}, t.TempDir()
	var text strings.Builder
	text.WriteString(`[{"id":"req_020000","name":"open","status":"queued"}`)
	for i := range 10_000 {
		fmt.Fprintf(&text, `,{"id":"req_%03d","name":"t","status":"rejected","reviewed_at":"2026-01-01T00:00:00Z"}`, i+1)
	}
	write(t, filepath.Join(dir, toolrequest.FileName), text.String()+"]")
	q := onRows(t, store, dir)
	if _, err := q.Review(t.Context(), "req_020000", toolrequest.Decision{Status: toolrequest.Rejected}); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Get(t.Context(), "req_001"); !errors.Is(err, toolrequest.ErrNotFound) {
		t.Errorf("the oldest is still there: %v", err)
	}
	if r, _, err := q.Add(t.Context(), sofa()); err != nil || r.ID != "req_20001" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Promise R3: an unreachable store is an error that says so, and changes nothing.
func TestR3_UnreachableStore(t *testing.T) {
	down := errors.New("no connection")
	q := onRows(t, &rows.Memory{Fail: func() error { return down }}, t.TempDir())
	_, _, err := q.Add(t.Context(), sofa())
	if known, ok := errors.AsType[*toolrequest.Error](err); !ok || !errors.Is(err, toolrequest.ErrStorage) || !strings.Contains(known.Message("en"), "no connection") {
		t.Errorf("%v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := onRows(t, &rows.Memory{}, t.TempDir()).List(cancelled, toolrequest.Filter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Promise R3: of two hosts that import at once, one does.
func TestR3_TwoHostsImport(t *testing.T) {
	store, a, b := &rows.Memory{}, t.TempDir(), t.TempDir()
	write(t, filepath.Join(a, toolrequest.FileName), `[{"id":"req_001","name":"a","status":"queued"}]`)
	write(t, filepath.Join(b, toolrequest.FileName), `[{"id":"req_001","name":"b","status":"queued"}]`)
	slow := toolrequest.NewRows(store, filepath.Join(a, toolrequest.FileName), &toolrequest.Options{
		Logger: quiet(), Import: func() func(context.Context, rows.Tx) error {
			if _, err := onRows(t, store, b).List(t.Context(), toolrequest.Filter{}); err != nil {
				t.Error(err)
			}
			return func(context.Context, rows.Tx) error { return nil }
		},
	})
	page, err := slow.List(t.Context(), toolrequest.Filter{})
	if err != nil || len(page.Requests) != 1 || page.Requests[0].Name != "b" {
		t.Errorf("%+v, %v", page, err)
	}
}

// Promise R3: open requests have a limit of bytes, as in the file.
func TestR3_OpenRequestsAreBounded(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, toolrequest.FileName), `[{"id":"req_001","name":"a","status":"queued","description":"`+strings.Repeat("x", 16<<20)+`"}]`)
	if _, _, err := onRows(t, &rows.Memory{}, dir).Add(t.Context(), sofa()); !errors.Is(err, toolrequest.ErrFull) {
		t.Errorf("%v", err)
	}
}
