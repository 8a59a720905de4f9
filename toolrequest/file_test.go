package toolrequest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/rows"
	"github.com/gongu-ai/gongu/toolrequest"
)

func clock() time.Time {
	return time.Date(2026, 1, 31, 18, 30, 0, 120_456_789, time.FixedZone("", 9*3600))
}

// promise E5, seed 000 AC4: the file, byte for byte.
func TestE5File(t *testing.T) {
	f := queue(t, &toolrequest.Options{Now: clock})
	r, already, err := f.Add(t.Context(), toolrequest.New{
		Name:            "draw_rounded_rect",
		Description:     "모서리가 둥근 직사각형",
		Rationale:       "가구 모서리 <표현>에 필요",
		SuggestedParams: []string{"x", "y"},
	})
	if err != nil || already || r.ID != "req_001" || r.Status != toolrequest.Queued || r.Warning != "" {
		t.Fatalf("got %+v, %v, %v", r, already, err)
	}
	// The call of the seed's background has no rationale.
	if _, _, err := f.Add(t.Context(), toolrequest.New{Name: "draw_curved_sofa", Description: "호 형태의 곡선 소파", Proposal: json.RawMessage(`{ "a":[1] }`)}); err != nil {
		t.Fatal(err)
	}
	const want = `[
  {
    "id": "req_001",
    "name": "draw_rounded_rect",
    "description": "모서리가 둥근 직사각형",
    "rationale": "가구 모서리 <표현>에 필요",
    "suggested_params": [
      "x",
      "y"
    ],
    "status": "queued",
    "created_at": "2026-01-31T09:30:00.120Z"
  },
  {
    "id": "req_002",
    "name": "draw_curved_sofa",
    "description": "호 형태의 곡선 소파",
    "rationale": "",
    "status": "queued",
    "created_at": "2026-01-31T09:30:00.120Z",
    "proposal": {
      "a": [
        1
      ]
    }
  }
]
`
	if diff := cmp.Diff(want, content(t, f.Path())); diff != "" {
		t.Error(diff)
	}
	got, err := f.Get(t.Context(), "req_002")
	if err != nil || string(got.Proposal) != `{"a":[1]}` {
		t.Errorf("got %+v, %v", got, err)
	}
	raw, err := json.Marshal(r)
	if want := `"created_at":"2026-01-31T09:30:00.120Z"}`; err != nil || !strings.HasSuffix(string(raw), want) {
		t.Errorf("got %s, %v", raw, err)
	}
	var back toolrequest.Request
	if err := json.Unmarshal(raw, &back); err != nil || !cmp.Equal(back, r) {
		t.Errorf("read back: %v\n%s", err, cmp.Diff(r, back))
	}
}

func content(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSameNameIsAskedForOnce(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			first, _, err := s.Add(t.Context(), sofa())
			if err != nil {
				t.Fatal(err)
			}
			again, already, err := s.Add(t.Context(), toolrequest.New{Name: "draw_curved_sofa", Description: "other words"})
			if err != nil || !already || again.ID != first.ID || again.Description != first.Description {
				t.Errorf("got %+v, %v, %v", again, already, err)
			}
			// A decided one does not stand in the way.
			if _, err := s.Review(t.Context(), first.ID, toolrequest.Decision{Status: toolrequest.Rejected}); err != nil {
				t.Fatal(err)
			}
			if next, already, err := s.Add(t.Context(), sofa()); err != nil || already || next.ID != "req_002" {
				t.Errorf("got %+v, %v, %v", next, already, err)
			}
		})
	}
}

func stores(t *testing.T) map[string]toolrequest.Store {
	return map[string]toolrequest.Store{"file": queue(t, nil), "memory": toolrequest.NewMemory(), "rows": onRows(t, &rows.Memory{}, t.TempDir())}
}

func TestTransitions(t *testing.T) {
	all := []toolrequest.Status{toolrequest.Queued, toolrequest.Approved, toolrequest.Rejected, toolrequest.Fulfilled}
	allowed := map[[2]toolrequest.Status]bool{
		{toolrequest.Queued, toolrequest.Approved}: true, {toolrequest.Queued, toolrequest.Rejected}: true,
		{toolrequest.Queued, toolrequest.Fulfilled}: true, {toolrequest.Approved, toolrequest.Fulfilled}: true,
	}
	for name, s := range stores(t) {
		for _, from := range all {
			for _, to := range all[1:] {
				t.Run(fmt.Sprint(name, from, to), func(t *testing.T) {
					r, _, err := s.Add(t.Context(), toolrequest.New{Name: fmt.Sprintf("t_%s_%s", from, to), Description: "d"})
					if err != nil {
						t.Fatal(err)
					}
					if from != toolrequest.Queued {
						if _, err := s.Review(t.Context(), r.ID, toolrequest.Decision{Status: from, Reviewer: "kim"}); err != nil {
							t.Fatal(err)
						}
					}
					got, err := s.Review(t.Context(), r.ID, toolrequest.Decision{Status: to, Reviewer: "lee", Reason: "because"})
					if !allowed[[2]toolrequest.Status{from, to}] {
						kept, getErr := s.Get(t.Context(), r.ID)
						if !errors.Is(err, toolrequest.ErrDecided) || getErr != nil || kept.Status != from || kept.Reviewer != "kim" {
							t.Fatalf("got %v; kept %+v, %v", err, kept, getErr)
						}
						if text := err.Error(); !strings.Contains(text, string(from)) || !strings.Contains(text, "kim") {
							t.Errorf("says only %q", text)
						}
						return
					}
					if err != nil || got.Status != to || got.Reviewer != "lee" || got.Reason != "because" || got.ReviewedAt.IsZero() {
						t.Errorf("got %+v, %v", got, err)
					}
					if kept, err := s.Get(t.Context(), r.ID); err != nil || !cmp.Equal(kept, got) {
						t.Errorf("kept %+v, %v", kept, err)
					}
				})
			}
		}
		if _, err := s.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Queued}); !errors.Is(err, toolrequest.ErrInvalid) {
			t.Errorf("back into the queue: %v", err)
		}
	}
}

func TestFulfil(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			for _, tool := range []string{"a", "b", "c", "d"} {
				if _, _, err := s.Add(t.Context(), toolrequest.New{Name: tool, Description: "d"}); err != nil {
					t.Fatal(err)
				}
			}
			for id, status := range map[string]toolrequest.Status{"req_002": toolrequest.Approved, "req_003": toolrequest.Rejected} {
				if _, err := s.Review(t.Context(), id, toolrequest.Decision{Status: status, Reviewer: "kim"}); err != nil {
					t.Fatal(err)
				}
			}
			changed, err := s.Fulfil(t.Context(), "c", "b", "a", "unknown")
			if err != nil || len(changed) != 2 || changed[0].ID != "req_001" || changed[1].ID != "req_002" {
				t.Fatalf("got %+v, %v", changed, err)
			}
			if changed[0].Status != toolrequest.Fulfilled || changed[0].ReviewedAt.IsZero() || changed[1].Reviewer != "kim" {
				t.Errorf("got %+v", changed)
			}
			again, err := s.Fulfil(t.Context(), "a", "b", "c")
			if err != nil || len(again) != 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

// Nothing to fulfil is found out without writing: a host asks at each start.
func TestFulfilOnlyReads(t *testing.T) {
	f := queue(t, nil)
	if _, _, err := f.Add(t.Context(), sofa()); err != nil {
		t.Fatal(err)
	}
	toolrequest.Watch(f, func(fsx.Step) error { t.Error("wrote"); return nil })
	if changed, err := f.Fulfil(t.Context(), "other"); err != nil || changed != nil {
		t.Errorf("got %v, %v", changed, err)
	}
}

// promise E5: oldest first, limit and cursor.
func TestE5List(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			for i := range 25 {
				r, _, err := s.Add(t.Context(), toolrequest.New{Name: fmt.Sprintf("tool_%d", i), Description: "d"})
				if err != nil {
					t.Fatal(err)
				}
				if i%5 == 0 {
					if _, err := s.Review(t.Context(), r.ID, toolrequest.Decision{Status: toolrequest.Approved}); err != nil {
						t.Fatal(err)
					}
				}
			}
			var ids []string
			f := toolrequest.Filter{Limit: 7, Status: toolrequest.Queued}
			for {
				page, err := s.List(t.Context(), f)
				if err != nil || len(page.Requests) > 7 {
					t.Fatalf("got %d, %v", len(page.Requests), err)
				}
				for _, r := range page.Requests {
					ids = append(ids, r.ID)
				}
				if f.Cursor = page.NextCursor; f.Cursor == "" {
					break
				}
			}
			if len(ids) != 20 || ids[0] != "req_002" || ids[19] != "req_025" {
				t.Errorf("got %v", ids)
			}
			for _, bad := range []toolrequest.Filter{{Limit: -1}, {Status: "open"}, {Cursor: "page 2"}} {
				if _, err := s.List(t.Context(), bad); !errors.Is(err, toolrequest.ErrInvalid) {
					t.Errorf("%+v: %v", bad, err)
				}
			}
		})
	}
}

func TestUnknownIDs(t *testing.T) {
	for name, s := range stores(t) {
		for i := range 12 {
			if _, _, err := s.Add(t.Context(), toolrequest.New{Name: fmt.Sprintf("tool_%d", i), Description: "d"}); err != nil {
				t.Fatal(err)
			}
		}
		for id, want := range map[string]string{"req_1": "req_001", "12": "req_012", "REQ-007": "req_007", "req_0011": "req_011"} {
			_, err := s.Get(t.Context(), id)
			var e *toolrequest.Error
			if !errors.As(err, &e) || !errors.Is(err, toolrequest.ErrNotFound) || !cmp.Equal(e.Near, []string{want}) {
				t.Errorf("%s: %s: got %v", name, id, err)
				continue
			}
			if !strings.Contains(e.Hint("ko"), want) || !strings.Contains(e.Message("ko"), "없습니다") {
				t.Errorf("in Korean: %s %s", e.Message("ko"), e.Hint("ko"))
			}
		}
		if _, err := s.Review(t.Context(), "req_099", toolrequest.Decision{Status: toolrequest.Approved}); !errors.Is(err, toolrequest.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A person's fields stay through changes of this entry and of others.
func TestUnknownFieldsSurvive(t *testing.T) {
	f := queue(t, nil)
	write(t, f.Path(), `[{"id":"req_001","ticket":{"n": 1.50,"who":["kim"]},"name":"a","description":"d","status":"queued","created_at":"2026-01-31T09:30:00Z","<b>":null},
	 {"id":"req_1765432100000_ab3d","name":"b","status":"queued","description":"from another system","ID":"x"}]`)
	if _, err := f.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Approved, Reviewer: "kim"}); err != nil {
		t.Fatal(err)
	}
	r, _, err := f.Add(t.Context(), sofa())
	if err != nil || r.ID != "req_002" {
		t.Fatalf("got %+v, %v", r, err)
	}
	text := content(t, f.Path())
	for _, want := range []string{`"n": 1.50,`, `"who": [`, `"<b>": null`, `"ID": "x"`, `"reviewer": "kim"`, `"created_at": "2026-01-31T09:30:00.000Z"`} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%s is not there once:\n%s", want, text)
		}
	}
	if again, err := toolrequest.Rewrite([]byte(text)); err != nil || string(again) != text {
		t.Errorf("a rewrite changes the text: %v\n%s", err, cmp.Diff(text, string(again)))
	}
}

// Processes are tried in TestKill; these are goroutines, over one value and
// over values of their own for the same file.
func TestConcurrentAdds(t *testing.T) {
	shared := queue(t, nil)
	var mu sync.Mutex
	ids := map[string]bool{}
	var group sync.WaitGroup
	for i := range 8 {
		f := shared
		if i%2 == 1 {
			f = toolrequest.NewFile(shared.Path(), nil)
		}
		group.Go(func() {
			for j := range 10 {
				r, _, err := f.Add(context.Background(), toolrequest.New{Name: fmt.Sprintf("tool_%d_%d", i, j), Description: "d"})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if ids[r.ID] {
					t.Errorf("%s twice", r.ID)
				}
				ids[r.ID] = true
				mu.Unlock()
				if page, err := f.List(context.Background(), toolrequest.Filter{}); err != nil || len(page.Requests) == 0 {
					t.Errorf("list: %d, %v", len(page.Requests), err)
				}
			}
		})
	}
	group.Wait()
	page, err := shared.List(t.Context(), toolrequest.Filter{})
	if err != nil || len(page.Requests) != 80 || page.Requests[79].ID != "req_080" || len(ids) != 80 {
		t.Errorf("%d requests, %d ids, %v", len(page.Requests), len(ids), err)
	}
}

func TestBusyAndCancelled(t *testing.T) {
	f := queue(t, nil)
	lock, err := fsx.TakeUserLock(t.Context(), f.Path())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, _, err := f.Add(ctx, sofa()); !errors.Is(err, toolrequest.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("busy: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []toolrequest.Store{f, toolrequest.NewMemory()} {
		_, _, adding := s.Add(gone, sofa())
		_, getting := s.Get(gone, "req_001")
		_, listing := s.List(gone, toolrequest.Filter{})
		_, reviewing := s.Review(gone, "req_001", toolrequest.Decision{Status: toolrequest.Approved})
		_, fulfilling := s.Fulfil(gone, "a")
		for _, err := range []error{adding, getting, listing, reviewing, fulfilling} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%T: %v", s, err)
			}
		}
	}
	if _, err := os.Stat(f.Path()); err == nil {
		t.Error("a file was made")
	}
}

var asideName = regexp.MustCompile(`\.corrupt-\d{8}T\d{6}\.\d{3}Z$`)
