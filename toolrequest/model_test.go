package toolrequest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu/internal/rows"
	"github.com/gongu-ai/gongu/toolrequest"
)

// model is the queue in the simplest words there are.
type model struct{ list []toolrequest.Request }

func (m *model) add(name string) (id string, already bool) {
	for _, r := range m.list {
		if r.Name == name && r.Status == toolrequest.Queued {
			return r.ID, true
		}
	}
	r := toolrequest.Request{ID: fmt.Sprintf("req_%03d", len(m.list)+1), Name: name, Status: toolrequest.Queued}
	m.list = append(m.list, r)
	return r.ID, false
}

func (m *model) review(i int, to toolrequest.Status) bool {
	from := m.list[i].Status
	if from == toolrequest.Queued && to != toolrequest.Queued || from == toolrequest.Approved && to == toolrequest.Fulfilled {
		m.list[i].Status = to
		return true
	}
	return false
}

func (m *model) fulfil(name string) (ids []string) {
	for i := range m.list {
		if m.list[i].Name == name && m.review(i, toolrequest.Fulfilled) {
			ids = append(ids, m.list[i].ID)
		}
	}
	return ids
}

// Random operations on the file, by values that come and go, on the queue in
// memory and on the model have the same answers.
func TestModel(t *testing.T) {
	dir := t.TempDir()
	// Each change waits for the disk, so fewer runs than rapid's own number,
	// unless somebody asks for more.
	if runs := flag.Lookup("rapid.checks"); runs.Value.String() == runs.DefValue {
		if err := runs.Value.Set("30"); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, toolrequest.FileName)
		if err := os.Mkdir(filepath.Join(folder, "rows"), 0o700); err != nil {
			t.Fatal(err)
		}
		memory, shared := toolrequest.NewMemory(), &rows.Memory{}
		var m model
		names := rapid.SampledFrom([]string{"a", "b", "c", "d__e", "f-g"})
		each := func(do func(s toolrequest.Store)) {
			do(toolrequest.NewFile(path, &toolrequest.Options{Logger: quiet()}))
			do(memory)
			// Promise R3: rows behave like the file.
			do(toolrequest.NewRows(shared, filepath.Join(folder, "rows", toolrequest.FileName), &toolrequest.Options{Logger: quiet()}))
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				name := names.Draw(t, "name")
				id, already := m.add(name)
				each(func(s toolrequest.Store) {
					r, was, err := s.Add(context.Background(), toolrequest.New{Name: name, Description: "d"})
					if err != nil || r.ID != id || was != already {
						t.Fatalf("%T: got %s, %v, %v; want %s, %v", s, r.ID, was, err, id, already)
					}
				})
			},
			"review": func(t *rapid.T) {
				if len(m.list) == 0 {
					t.Skip("nothing to review") //rules:skip rapid draws another operation
				}
				i := rapid.IntRange(0, len(m.list)-1).Draw(t, "request")
				to := rapid.SampledFrom([]toolrequest.Status{toolrequest.Approved, toolrequest.Rejected, toolrequest.Fulfilled}).Draw(t, "status")
				ok := m.review(i, to)
				each(func(s toolrequest.Store) {
					r, err := s.Review(context.Background(), m.list[i].ID, toolrequest.Decision{Status: to, Reviewer: "kim"})
					if ok != (err == nil) || ok && r.Status != to || !ok && !errors.Is(err, toolrequest.ErrDecided) {
						t.Fatalf("%T: got %+v, %v; want %v", s, r, err, ok)
					}
				})
			},
			"fulfil": func(t *rapid.T) {
				name := names.Draw(t, "name")
				want := m.fulfil(name)
				each(func(s toolrequest.Store) {
					changed, err := s.Fulfil(context.Background(), name)
					var ids []string
					for _, r := range changed {
						ids = append(ids, r.ID)
					}
					if err != nil || !slices.Equal(ids, want) {
						t.Fatalf("%T: got %v, %v; want %v", s, ids, err, want)
					}
				})
			},
			"": func(t *rapid.T) {
				each(func(s toolrequest.Store) { compare(t, s, &m, rapid.IntRange(1, 5).Draw(t, "limit")) })
			},
		})
	})
}

func compare(t *rapid.T, s toolrequest.Store, m *model, limit int) {
	var got []toolrequest.Request
	for f := (toolrequest.Filter{Limit: limit}); ; {
		page, err := s.List(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page.Requests...)
		if f.Cursor = page.NextCursor; f.Cursor == "" {
			break
		}
	}
	if !slices.EqualFunc(got, m.list, func(a, b toolrequest.Request) bool {
		return a.ID == b.ID && a.Name == b.Name && a.Status == b.Status
	}) {
		t.Fatalf("%T has %+v, want %+v", s, got, m.list)
	}
}
