package toolrequest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/toolrequest"
)

func archiveOf(f *toolrequest.File) string {
	return filepath.Join(filepath.Dir(f.Path()), "tool-requests.archive.json")
}

// entries is the text of a queue with the ids from first to last.
func entries(first, last int, status toolrequest.Status, more string) string {
	var list []string
	for i := first; i <= last; i++ {
		list = append(list, fmt.Sprintf(`{"id":"req_%03d","name":"tool_%d","description":"d","rationale":"","status":%q,`+
			`"created_at":"2026-01-31T09:30:00.000Z"%s}`, i, i, status, more))
	}
	return "[" + strings.Join(list, ",\n") + "]"
}

func count(t *testing.T, path string) int {
	t.Helper()
	list, err := toolrequest.Parse([]byte(content(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// Decided requests past a thousand move to the archive and are still found.
func TestArchive(t *testing.T) {
	f := queue(t, &toolrequest.Options{MaxOpen: 2000})
	write(t, f.Path(), entries(1, 1005, toolrequest.Queued, `,"ticket":7`))
	decide := func(i int, status toolrequest.Status) {
		t.Helper()
		if _, err := f.Review(t.Context(), fmt.Sprintf("req_%03d", i), toolrequest.Decision{Status: status, Reviewer: "kim"}); err != nil {
			t.Fatal(err)
		}
	}
	// All but a few by hand: a thousand writes would only take time.
	write(t, f.Path(), strings.TrimSuffix(entries(3, 1002, toolrequest.Rejected, `,"reviewed_at":"2026-02-01T00:00:00Z","ticket":7`), "]")+","+
		strings.Trim(entries(1, 2, toolrequest.Queued, ""), "[]")+","+strings.Trim(entries(1003, 1005, toolrequest.Queued, ""), "[]")+"]")
	if _, err := os.Stat(archiveOf(f)); err == nil {
		t.Fatal("archived too early")
	}
	decide(1005, toolrequest.Approved) // the highest of all
	if count(t, f.Path()) != 1004 || count(t, archiveOf(f)) != 1 {
		t.Fatalf("%d and %d", count(t, f.Path()), count(t, archiveOf(f)))
	}
	if !strings.Contains(content(t, archiveOf(f)), `"ticket": 7`) {
		t.Error("a field was lost on the way")
	}
	decide(1, toolrequest.Rejected)
	old, err := f.Get(t.Context(), "req_003")
	if err != nil || old.Status != toolrequest.Rejected {
		t.Errorf("got %+v, %v", old, err)
	}
	if _, err := f.Review(t.Context(), "req_003", toolrequest.Decision{Status: toolrequest.Approved}); !errors.Is(err, toolrequest.ErrDecided) {
		t.Errorf("an archived one: %v", err)
	}
	total, cursor, last := 0, "", ""
	for {
		page, err := f.List(t.Context(), toolrequest.Filter{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Requests {
			if total++; r.ID != fmt.Sprintf("req_%03d", total) {
				t.Fatalf("%s after %s", r.ID, last)
			}
			last = r.ID
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if total != 1005 {
		t.Errorf("%d requests", total)
	}
}

// An id is not given again when its request is in the archive, also when it was
// the highest, also while the archive changes, also when it is broken.
func TestArchivedIDsAreNotReused(t *testing.T) {
	f := queue(t, nil)
	add := func(name, want string) {
		t.Helper()
		if r, _, err := f.Add(t.Context(), toolrequest.New{Name: name, Description: "d"}); err != nil || r.ID != want {
			t.Fatalf("got %s, %v; want %s", r.ID, err, want)
		}
	}
	write(t, archiveOf(f), entries(40, 41, toolrequest.Rejected, ""))
	add("a", "req_042")
	write(t, archiveOf(f), entries(40, 99, toolrequest.Rejected, ""))
	add("b", "req_100")
	add("c", "req_101")
	write(t, archiveOf(f), `[{"id":"req_998","name":`)
	add("d", "req_999")
	add("e", "req_1000")
	write(t, archiveOf(f), `[{"id":"req_001","name":"x","status":"queued","format":2}]`)
	if _, _, err := f.Add(t.Context(), sofa()); !errors.Is(err, toolrequest.ErrNewer) {
		t.Errorf("a newer archive: %v", err)
	}
}

// A writer that dies after the archive and before the file leaves a request in
// both. It counts once, as the file has it.
func TestDeathWhileArchiving(t *testing.T) {
	f := queue(t, nil)
	before := strings.TrimSuffix(entries(2, 1001, toolrequest.Rejected, `,"reviewed_at":"2026-02-01T00:00:00Z"`), "]") + "," +
		strings.Trim(entries(1, 1, toolrequest.Queued, ""), "[]") + "]"
	write(t, f.Path(), before)
	died := errors.New("died")
	renames := 0
	toolrequest.Watch(f, func(step fsx.Step) error {
		if step == fsx.StepRename {
			renames++
		}
		if renames == 2 {
			return died
		}
		return nil
	})
	approve := toolrequest.Decision{Status: toolrequest.Approved, Reviewer: "kim"}
	if _, err := f.Review(t.Context(), "req_001", approve); !errors.Is(err, died) {
		t.Fatal(err)
	}
	if count(t, archiveOf(f)) != 1 || content(t, f.Path()) != before {
		t.Fatal("the test does not stop between the two")
	}
	toolrequest.Watch(f, nil)
	if r, err := f.Get(t.Context(), "req_001"); err != nil || r.Status != toolrequest.Queued {
		t.Errorf("got %+v, %v", r, err)
	}
	page, err := f.List(t.Context(), toolrequest.Filter{Status: toolrequest.Rejected, Limit: 1000})
	if err != nil || len(page.Requests) != 1000 || page.NextCursor != "" {
		t.Errorf("%d requests, more %q, %v", len(page.Requests), page.NextCursor, err)
	}
	if _, err := f.Review(t.Context(), "req_001", approve); err != nil {
		t.Fatal(err)
	}
	if count(t, f.Path()) != 1000 || count(t, archiveOf(f)) != 1 {
		t.Errorf("%d and %d", count(t, f.Path()), count(t, archiveOf(f)))
	}
}

// An approved request that was archived can still be fulfilled.
func TestFulfilArchived(t *testing.T) {
	f := queue(t, nil)
	write(t, f.Path(), entries(3, 4, toolrequest.Queued, ""))
	write(t, archiveOf(f), entries(1, 2, toolrequest.Approved, `,"reviewer":"kim","reviewed_at":"2026-02-01T00:00:00Z"`))
	changed, err := f.Fulfil(t.Context(), "tool_2", "tool_3")
	if err != nil || len(changed) != 2 || changed[0].ID != "req_002" || changed[1].ID != "req_003" {
		t.Fatalf("got %+v, %v", changed, err)
	}
	if _, err := f.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Fulfilled}); err != nil {
		t.Fatal(err)
	}
	page, err := f.List(t.Context(), toolrequest.Filter{Status: toolrequest.Fulfilled})
	if err != nil || len(page.Requests) != 3 || page.Requests[1].Reviewer != "kim" {
		t.Errorf("got %+v, %v", page, err)
	}
	if count(t, archiveOf(f)) != 2 || count(t, f.Path()) != 2 {
		t.Error("a request moved")
	}
}

// A broken archive is put aside when it has to be written.
func TestBrokenArchive(t *testing.T) {
	f := queue(t, nil)
	write(t, f.Path(), strings.TrimSuffix(entries(2, 1001, toolrequest.Rejected, `,"reviewed_at":"2026-02-01T00:00:00Z"`), "]")+","+
		strings.Trim(entries(1, 1, toolrequest.Queued, ""), "[]")+"]")
	write(t, archiveOf(f), `[{"id":`)
	if _, err := f.List(t.Context(), toolrequest.Filter{}); !errors.Is(err, toolrequest.ErrBroken) || !strings.Contains(err.Error(), archiveOf(f)) {
		t.Errorf("list: %v", err)
	}
	if page, err := f.List(t.Context(), toolrequest.Filter{Status: toolrequest.Queued}); err != nil || len(page.Requests) != 1 {
		t.Errorf("what is not in the archive: %+v, %v", page, err)
	}
	if _, err := f.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Approved}); err != nil {
		t.Fatal(err)
	}
	aside, err := f.SetAside()
	if err != nil || len(aside) != 1 || content(t, aside[0]) != `[{"id":` || count(t, archiveOf(f)) != 1 {
		t.Errorf("put aside: %v, %v", aside, err)
	}
}
