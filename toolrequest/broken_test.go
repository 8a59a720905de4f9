package toolrequest_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/toolrequest"
)

// What is no queue, though it should be one, with the id that comes next.
var brokenTexts = map[string]struct{ text, next string }{
	"cut off":      {`[{"id":"req_001","name":"a","status":"queued"},{"id": "req_041", "name":"b"`, "req_042"},
	"cut in an id": {`[{"id":"req_001","name":"a","status":"queued"},{"id": "req_07`, "req_008"},
	"no JSON":      {"garbage {{{", "req_001"},
	"empty":        {"", "req_001"},
	"zeros":        {strings.Repeat("\x00", 100), "req_001"},
	"comma":        {`[{"id":"req_009","name":"a","status":"queued"},]`, "req_010"},
	"more after":   {`[{"id":"req_009","name":"a","status":"queued"}] []`, "req_010"},
	"same key":     {`[{"id":"req_009","id":"req_010","name":"a","status":"queued"}]`, "req_011"},
	"same id":      {`[{"id":"req_009","name":"a","status":"queued"},{"id":"req_009","name":"b","status":"queued"}]`, "req_010"},
	"no id":        {`[{"name":"a","status":"queued"},{"id":"req_009","name":"a","status":"queued"}]`, "req_010"},
	"no object":    {`[1]`, "req_001"},
	"wrong type":   {`[{"id":"req_009","name":["a"],"status":"queued"}]`, "req_010"},
	"no time":      {`[{"id":"req_009","name":"a","status":"queued","created_at":"yesterday"}]`, "req_010"},
	// The text of a description is no id; a number beyond all reason is not ours.
	"quoted": {`[{"id":"req_003","description":"\"id\": \"req_900\""`, "req_004"},
	"huge":   {`[{"id":"req_003"},{"id":"req_99999999999999999999999"`, "req_004"},
}

func TestBrokenFileIsSetAside(t *testing.T) {
	for name, tc := range brokenTexts {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			f := queue(t, &toolrequest.Options{Now: clock, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			write(t, f.Path(), tc.text)
			// Whoever does not add says what is wrong and touches nothing.
			_, listing := f.List(t.Context(), toolrequest.Filter{})
			_, getting := f.Get(t.Context(), "req_001")
			_, reviewing := f.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Approved})
			_, fulfilling := f.Fulfil(t.Context(), "a")
			for _, err := range []error{listing, getting, reviewing, fulfilling} {
				if !errors.Is(err, toolrequest.ErrBroken) || !strings.Contains(err.Error(), f.Path()) {
					t.Errorf("got %v", err)
				}
			}
			if content(t, f.Path()) != tc.text {
				t.Fatal("reading changed the file")
			}
			r, already, err := f.Add(t.Context(), sofa())
			if err != nil || already || r.ID != tc.next {
				t.Fatalf("got %s, %v, %v; want %s", r.ID, already, err, tc.next)
			}
			aside, err := f.SetAside()
			if err != nil || len(aside) != 1 || !asideName.MatchString(aside[0]) || content(t, aside[0]) != tc.text {
				t.Fatalf("put aside: %v, %v", aside, err)
			}
			for _, want := range []string{f.Path(), aside[0]} {
				if !strings.Contains(r.Warning, want) || !strings.Contains(log.String(), want) {
					t.Errorf("%s is named neither in %q nor in %q", want, r.Warning, log.String())
				}
			}
			// The next one has nothing to warn of.
			next, _, err := f.Add(t.Context(), toolrequest.New{Name: "other", Description: "d"})
			if err != nil || next.Warning != "" {
				t.Errorf("got %+v, %v", next, err)
			}
		})
	}
}

// A writer that dies between the copy and the new file leaves the broken one in
// its place, so that no id is given twice and no second copy is made.
func TestDeathWhileSettingAside(t *testing.T) {
	f := queue(t, &toolrequest.Options{Now: clock})
	const text = `[{"id":"req_041"`
	write(t, f.Path(), text)
	died := errors.New("died")
	toolrequest.Watch(f, func(fsx.Step) error { return died })
	if _, _, err := f.Add(t.Context(), sofa()); !errors.Is(err, died) {
		t.Fatal(err)
	}
	if content(t, f.Path()) != text {
		t.Fatal("the broken file is gone")
	}
	toolrequest.Watch(f, nil)
	r, _, err := f.Add(t.Context(), sofa())
	aside, asideErr := f.SetAside()
	if err != nil || asideErr != nil || r.ID != "req_042" || len(aside) != 1 {
		t.Errorf("got %s, %v, %v, %v", r.ID, aside, err, asideErr)
	}
}

// promise H18: a newer format is refused and stays as it is; so does JSON that
// is something else altogether, such as a file that was named by mistake.
func TestH18NewerFormat(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		kind error
	}{
		"format of an entry": {`[{"id":"req_001","name":"a","status":"queued","format":2}]`, toolrequest.ErrNewer},
		"among others":       {`[{"id":7},{"format":3.1}]`, toolrequest.ErrNewer},
		"unknown status":     {`[{"id":"req_001","name":"a","status":"on_hold"}]`, toolrequest.ErrNewer},
		"object":             {`{"format":2,"requests":[]}`, toolrequest.ErrNewer},
		"object, version":    {`{"version":2}`, toolrequest.ErrNewer},
		"another object":     {`{"name":"x","version":"1.2.3"}`, toolrequest.ErrBroken},
		"a text":             {`"hello"`, toolrequest.ErrBroken},
	} {
		t.Run(name, func(t *testing.T) {
			f := queue(t, nil)
			write(t, f.Path(), tc.text)
			_, _, adding := f.Add(t.Context(), sofa())
			_, listing := f.List(t.Context(), toolrequest.Filter{})
			_, reviewing := f.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Approved})
			for _, err := range []error{adding, listing, reviewing} {
				if !errors.Is(err, tc.kind) || !strings.Contains(err.Error(), f.Path()) {
					t.Errorf("got %v", err)
				}
			}
			if aside, err := f.SetAside(); content(t, f.Path()) != tc.text || err != nil || len(aside) > 0 {
				t.Error("the file was touched")
			}
		})
	}
	// The words alone are no mark: a person may use them.
	f := queue(t, nil)
	write(t, f.Path(), `[{"id":"req_001","name":"a","status":"queued","format":"svg","version":2},{"id":"req_002","name":"b","status":"queued","format":1}]`)
	if r, _, err := f.Add(t.Context(), sofa()); err != nil || r.ID != "req_003" {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A link could lead to a file that is not ours to replace.
func TestLinkIsRefused(t *testing.T) {
	f := queue(t, nil)
	other := filepath.Join(t.TempDir(), "important.json")
	write(t, other, `{broken`)
	if err := os.Symlink(other, f.Path()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Add(t.Context(), sofa()); !errors.Is(err, toolrequest.ErrStorage) {
		t.Errorf("got %v", err)
	}
	if info, err := os.Lstat(f.Path()); err != nil || info.Mode()&os.ModeSymlink == 0 || content(t, other) != `{broken` {
		t.Error("the link or its target was changed")
	}
}

// What can be read is written as it was, and again the same.
func FuzzParse(f *testing.F) {
	for _, tc := range brokenTexts {
		f.Add([]byte(tc.text))
	}
	f.Add([]byte("\uFEFF" + `[{"id":"req_001","name":"a","status":"queued","suggested_params":["x"],"proposal":{"b":[null]},"more":1e9}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := toolrequest.Parse(text)
		if err != nil {
			if list != nil {
				t.Fatal("a list beside an error")
			}
			toolrequest.Salvage(text)
			return
		}
		once, err := toolrequest.Rewrite(text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := toolrequest.Parse(once)
		if err != nil || !cmp.Equal(list, again) {
			t.Fatalf("%v\n%s", err, cmp.Diff(list, again))
		}
		if twice, err := toolrequest.Rewrite(once); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v\n%s\n%s", err, once, twice)
		}
		for _, r := range list {
			if r.ID == "" || r.Name == "" || r.Status == "" {
				t.Fatalf("%+v", r)
			}
		}
	})
}
