package toolrequest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/toolrequest"
)

func TestInputIsBounded(t *testing.T) {
	long := func(n int) string { return strings.Repeat("가", n) }
	with := func(change func(*toolrequest.New)) toolrequest.New {
		n := sofa()
		change(&n)
		return n
	}
	params := func(n int) []string { return strings.Split(strings.Repeat("x ", n-1)+"x", " ") }
	for name, tc := range map[string]struct {
		n  toolrequest.New
		ok bool
		// says is part of the error.
		says string
	}{
		"plain":              {sofa(), true, ""},
		"resource name":      {with(func(n *toolrequest.New) { n.Name = "cad__sofa" }), true, ""},
		"no name":            {with(func(n *toolrequest.New) { n.Name = "" }), false, "letters"},
		"dotted name":        {with(func(n *toolrequest.New) { n.Name = "cad.sofa" }), false, `Write "cad__sofa"`},
		"blank in name":      {with(func(n *toolrequest.New) { n.Name = "draw sofa" }), false, "letters"},
		"three parts":        {with(func(n *toolrequest.New) { n.Name = "a__b__c" }), false, "letters"},
		"Korean name":        {with(func(n *toolrequest.New) { n.Name = "소파" }), false, "letters"},
		"long name":          {with(func(n *toolrequest.New) { n.Name = strings.Repeat("a", 64) }), true, ""},
		"too long a name":    {with(func(n *toolrequest.New) { n.Name = strings.Repeat("a", 65) }), false, "64"},
		"no description":     {with(func(n *toolrequest.New) { n.Description = " \n" }), false, "no description"},
		"long description":   {with(func(n *toolrequest.New) { n.Description = long(4000) }), true, ""},
		"longer description": {with(func(n *toolrequest.New) { n.Description = long(4001) }), false, "4001"},
		"broken text":        {with(func(n *toolrequest.New) { n.Description = "a\xff" }), false, "UTF-8"},
		"long rationale":     {with(func(n *toolrequest.New) { n.Rationale = long(4001) }), false, "rationale"},
		"params":             {with(func(n *toolrequest.New) { n.SuggestedParams = params(64) }), true, ""},
		"many params":        {with(func(n *toolrequest.New) { n.SuggestedParams = params(65) }), false, "65"},
		"empty param":        {with(func(n *toolrequest.New) { n.SuggestedParams = []string{"x", " "} }), false, "suggested_params[1]"},
		"long param":         {with(func(n *toolrequest.New) { n.SuggestedParams = []string{long(201)} }), false, "201"},
		"proposal":           {with(func(n *toolrequest.New) { n.Proposal = quoted(128<<10 - 2) }), true, ""},
		"big proposal":       {with(func(n *toolrequest.New) { n.Proposal = quoted(128<<10 - 1) }), false, "131073"},
		"broken proposal":    {with(func(n *toolrequest.New) { n.Proposal = json.RawMessage(`{"a":`) }), false, "not valid JSON"},
		"two keys":           {with(func(n *toolrequest.New) { n.Proposal = json.RawMessage(`{"a":1,"a":2}`) }), false, "not valid JSON"},
		"deep proposal": {with(func(n *toolrequest.New) {
			n.Proposal = json.RawMessage(strings.Repeat("[", 129) + strings.Repeat("]", 129))
		}), false, "not valid JSON"},
		"null proposal": {with(func(n *toolrequest.New) { n.Proposal = json.RawMessage(` null `) }), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, s := range stores(t) {
				_, _, err := s.Add(t.Context(), tc.n)
				switch {
				case tc.ok && err != nil:
					t.Errorf("%s: %v", kind, err)
				case !tc.ok && (!errors.Is(err, toolrequest.ErrInvalid) || !strings.Contains(err.Error(), tc.says)):
					t.Errorf("%s: got %v, want it to say %q", kind, err, tc.says)
				}
			}
		})
	}
	for _, d := range []toolrequest.Decision{
		{Status: "maybe"}, {Status: toolrequest.Approved, Reason: long(4001)}, {Status: toolrequest.Approved, Reviewer: long(201)},
	} {
		f := queue(t, nil)
		if _, _, err := f.Add(t.Context(), sofa()); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Review(t.Context(), "req_001", d); !errors.Is(err, toolrequest.ErrInvalid) {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

func quoted(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("a", n) + `"`) }

func TestOpenRequestsAreBounded(t *testing.T) {
	f := queue(t, nil)
	write(t, f.Path(), entries(1, 1000, toolrequest.Queued, ""))
	_, _, err := f.Add(t.Context(), sofa())
	if !errors.Is(err, toolrequest.ErrFull) || !strings.Contains(err.Error(), "gongu requests list") {
		t.Errorf("got %v", err)
	}
	// One of them is still found, and a decision makes room.
	if r, already, err := f.Add(t.Context(), toolrequest.New{Name: "tool_7", Description: "d"}); err != nil || !already || r.ID != "req_007" {
		t.Errorf("got %+v, %v, %v", r, already, err)
	}
	if _, err := f.Review(t.Context(), "req_007", toolrequest.Decision{Status: toolrequest.Rejected}); err != nil {
		t.Fatal(err)
	}
	if r, _, err := f.Add(t.Context(), sofa()); err != nil || r.ID != "req_1001" {
		t.Errorf("got %+v, %v", r, err)
	}
	small := queue(t, &toolrequest.Options{MaxOpen: 1})
	if _, _, err := small.Add(t.Context(), sofa()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := small.Add(t.Context(), toolrequest.New{Name: "b", Description: "d"}); !errors.Is(err, toolrequest.ErrFull) {
		t.Errorf("got %v", err)
	}
}

func TestFileIsBounded(t *testing.T) {
	f := queue(t, nil)
	write(t, f.Path(), entries(1, 1, toolrequest.Queued, fmt.Sprintf(`,"note":%s`, quoted(16<<20))))
	before := content(t, f.Path())
	if _, _, err := f.Add(t.Context(), sofa()); !errors.Is(err, toolrequest.ErrFull) {
		t.Errorf("got %v", err)
	}
	if content(t, f.Path()) != before {
		t.Error("the file was changed")
	}
	// A person can still decide.
	if _, err := f.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Rejected}); err != nil {
		t.Error(err)
	}
	last := queue(t, nil)
	write(t, last.Path(), `[{"id":"req_999999999999","name":"a","status":"rejected"}]`)
	if _, _, err := last.Add(t.Context(), sofa()); !errors.Is(err, toolrequest.ErrFull) {
		t.Errorf("got %v", err)
	}
}

// Whatever fails on the way to the new file, nothing is changed, nothing is
// left, and the error says where and what to do.
func TestFailedWrite(t *testing.T) {
	for _, step := range []fsx.Step{fsx.StepCreate, fsx.StepWrite, fsx.StepSync, fsx.StepRename} {
		t.Run(string(step), func(t *testing.T) {
			f := queue(t, nil)
			if _, _, err := f.Add(t.Context(), sofa()); err != nil {
				t.Fatal(err)
			}
			before := content(t, f.Path())
			toolrequest.Watch(f, func(s fsx.Step) error {
				if s == step {
					return &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
				}
				return nil
			})
			_, _, adding := f.Add(t.Context(), toolrequest.New{Name: "b", Description: "d"})
			_, reviewing := f.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Approved})
			changed, fulfilling := f.Fulfil(t.Context(), "draw_curved_sofa")
			for _, err := range []error{adding, reviewing, fulfilling} {
				if !errors.Is(err, toolrequest.ErrStorage) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), f.Path()) ||
					!strings.Contains(err.Error(), "nothing was changed") {
					t.Errorf("got %v", err)
				}
			}
			if len(changed) > 0 || content(t, f.Path()) != before {
				t.Error("something was changed")
			}
			checkClean(t, f)
			// The number was not used up.
			toolrequest.Watch(f, nil)
			if r, _, err := f.Add(t.Context(), toolrequest.New{Name: "b", Description: "d"}); err != nil || r.ID != "req_002" {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	f := queue(t, nil)
	toolrequest.Watch(f, func(s fsx.Step) error {
		if s == fsx.StepSyncDir {
			return syscall.EIO
		}
		return nil
	})
	if _, _, err := f.Add(t.Context(), sofa()); !errors.Is(err, fsx.ErrUnconfirmed) || !strings.Contains(err.Error(), "did not confirm") {
		t.Errorf("got %v", err)
	}
}

func checkClean(t *testing.T, f *toolrequest.File) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(f.Path()))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := file.Name(); name != toolrequest.FileName {
			t.Errorf("%s was left", name)
		}
	}
}

func TestNoFolder(t *testing.T) {
	f := toolrequest.NewFile(filepath.Join(t.TempDir(), "nowhere", toolrequest.FileName), nil)
	if _, _, err := f.Add(t.Context(), sofa()); !errors.Is(err, toolrequest.ErrStorage) || !strings.Contains(err.Error(), "--requests FILE") {
		t.Errorf("got %v", err)
	}
	if page, err := f.List(t.Context(), toolrequest.Filter{}); err != nil || len(page.Requests) != 0 {
		t.Errorf("got %+v, %v", page, err)
	}
}
