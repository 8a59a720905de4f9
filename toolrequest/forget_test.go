package toolrequest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/toolrequest"
)

// full is a queue in which the next decision moves a request to the archive.
func full(t *testing.T, archive ...string) *toolrequest.File {
	t.Helper()
	f := queue(t, nil)
	write(t, f.Path(), join(entries(90_002, 91_001, toolrequest.Rejected, `,"reviewed_at":"2026-03-01T00:00:00Z"`), entries(90_001, 90_001, toolrequest.Queued, "")))
	write(t, archiveOf(f), join(archive...))
	return f
}

// join makes one queue of several.
func join(lists ...string) string {
	var all []string
	for _, list := range lists {
		all = append(all, strings.Trim(list, "[]"))
	}
	return "[" + strings.Join(all, ",\n") + "]"
}

func archiveOne(t *testing.T, f *toolrequest.File) {
	t.Helper()
	if _, err := f.Review(t.Context(), "req_90001", toolrequest.Decision{Status: toolrequest.Approved}); err != nil {
		t.Fatal(err)
	}
}

func decided(at string) string { return fmt.Sprintf(`,"reviewed_at":%q`, at) }

// The archive ends somewhere: those go that were decided longest ago. What can
// still change stays however old it is, and so does the highest id.
func TestArchiveForgets(t *testing.T) {
	f := full(t,
		entries(1, 5, toolrequest.Queued, ""), // by hand
		entries(6, 10, toolrequest.Approved, decided("2020-01-01T00:00:00Z")),
		entries(11, 2000, toolrequest.Rejected, decided("2026-01-02T00:00:00Z")),
		entries(2001, 9999, toolrequest.Fulfilled, decided("2026-01-03T00:00:00Z")),
		entries(99_000, 99_000, toolrequest.Rejected, decided("2020-01-01T00:00:00Z")),
	)
	archiveOne(t, f)
	if n := count(t, archiveOf(f)); n != 9000 {
		t.Errorf("%d are in the archive", n)
	}
	for id, there := range map[string]bool{
		"req_001": true, "req_010": true, "req_011": false, "req_1010": false, "req_1013": true, "req_9999": true, "req_99000": true, "req_90002": true,
	} {
		if _, err := f.Get(t.Context(), id); (err == nil) != there || err != nil && !errors.Is(err, toolrequest.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if r, _, err := f.Add(t.Context(), sofa()); err != nil || r.ID != "req_99001" {
		t.Errorf("the next is %s, %v", r.ID, err)
	}
}

func TestArchiveKeepsWhatItHasRoomFor(t *testing.T) {
	f := full(t, entries(1, 9999, toolrequest.Rejected, decided("2026-01-02T00:00:00Z")))
	archiveOne(t, f)
	if n := count(t, archiveOf(f)); n != 10_000 {
		t.Errorf("%d are in the archive", n)
	}
}

// Few large ones have a bound, too: an archive that is too large to be read
// would stop the queue.
func TestArchiveForgetsByBytes(t *testing.T) {
	long := `,"note":"` + strings.Repeat("x", 1<<20) + `"`
	f := full(t, entries(1, 64, toolrequest.Rejected, decided("2026-01-02T00:00:00Z")+long), entries(65, 65, toolrequest.Approved, long))
	archiveOne(t, f)
	if n := count(t, archiveOf(f)); n < 50 || n > 60 {
		t.Errorf("%d are in the archive", n)
	}
	if _, err := f.Get(t.Context(), "req_065"); err != nil {
		t.Error(err)
	}
}
