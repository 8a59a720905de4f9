package toolrequest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/toolrequest"
)

// promise E5: who asks is kept beside the fields of the file, and only where an
// agent asks.
func TestE5Agent(t *testing.T) {
	f := queue(t, &toolrequest.Options{Now: clock})
	for _, n := range []toolrequest.New{
		{Name: "draw_star", Description: "a star", Agent: "painter"},
		{Name: "draw_moon", Description: "a moon"},
	} {
		if r, _, err := f.Add(t.Context(), n); err != nil || r.Agent != n.Agent {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	const want = `[
  {
    "id": "req_001",
    "name": "draw_star",
    "description": "a star",
    "rationale": "",
    "status": "queued",
    "created_at": "2026-01-31T09:30:00.120Z",
    "agent": "painter"
  },
  {
    "id": "req_002",
    "name": "draw_moon",
    "description": "a moon",
    "rationale": "",
    "status": "queued",
    "created_at": "2026-01-31T09:30:00.120Z"
  }
]
`
	if diff := cmp.Diff(want, content(t, f.Path())); diff != "" {
		t.Error(diff)
	}
	// The first to ask stays the one who asked, also after the decision.
	r, already, err := f.Add(t.Context(), toolrequest.New{Name: "draw_star", Description: "a star", Agent: "other"})
	if err != nil || !already || r.Agent != "painter" {
		t.Errorf("asked again: %+v, %v, %v", r, already, err)
	}
	if r, err = f.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Rejected, Reason: "no"}); err != nil || r.Agent != "painter" {
		t.Errorf("decided: %+v, %v", r, err)
	}
	if r, err = f.Get(t.Context(), "req_001"); err != nil || r.Agent != "painter" {
		t.Errorf("read: %+v, %v", r, err)
	}
	_, _, err = f.Add(t.Context(), toolrequest.New{Name: "draw_sun", Description: "a sun", Agent: strings.Repeat("a", 201)})
	if !errors.Is(err, toolrequest.ErrInvalid) {
		t.Errorf("a name of an agent without end: %v", err)
	}
}

// A person may have had a field of the name before we did.
func TestAgentOfAnotherKind(t *testing.T) {
	const text = `[
  {
    "id": "req_001",
    "name": "a",
    "description": "d",
    "rationale": "",
    "status": "queued",
    "agent": {"team": "blue"}
  }
]
`
	list, err := toolrequest.Parse([]byte(text))
	if err != nil || len(list) != 1 || list[0].Agent != "" {
		t.Fatalf("%+v, %v", list, err)
	}
	f := queue(t, nil)
	write(t, f.Path(), text)
	if _, err := f.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Approved}); err != nil {
		t.Fatal(err)
	}
	if got := content(t, f.Path()); strings.Count(got, `"agent"`) != 1 || !strings.Contains(got, `"team": "blue"`) {
		t.Errorf("%s", got)
	}
}

// K10: the file keeps which principal asked.
func TestK10_PrincipalIsKept(t *testing.T) {
	f := queue(t, &toolrequest.Options{Now: clock})
	for _, who := range []string{"one", ""} {
		if _, _, err := f.Add(t.Context(), toolrequest.New{Name: "t" + who, Description: "x", Principal: who}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := toolrequest.NewFile(f.Path(), nil).List(t.Context(), toolrequest.Filter{Principal: "one"})
	if err != nil || len(page.Requests) != 1 || page.Requests[0].Principal != "one" {
		t.Errorf("%+v, %v", page, err)
	}
}
