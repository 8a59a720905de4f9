package httpapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
	"github.com/gongu-ai/gongu/toolrequest"
)

type requestReply struct {
	ID, Name, Status, Agent, Reviewer, Reason, CreatedAt, ReviewedAt string
	SuggestedParams                                                  []string
}

// ask queues requests named tool_0, tool_1 and so on.
func ask(t *testing.T, store toolrequest.Store, n int) {
	t.Helper()
	for i := range n {
		if _, _, err := store.Add(t.Context(), toolrequest.New{Name: fmt.Sprintf("tool_%d", i), Description: "does <it> & more", SuggestedParams: []string{"x"}, Proposal: []byte(`{"steps":[]}`), Agent: "painter"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestE5Requests(t *testing.T) {
	b := newBackend(t, nil)
	ask(t, b.store, 3)
	s := start(t, b)
	var list struct {
		Requests   []requestReply
		NextCursor string
	}
	s.get("/requests?limit=2", &list)
	if len(list.Requests) != 2 || list.Requests[0].ID != "req_001" || list.Requests[0].CreatedAt == "" || list.Requests[0].Agent != "painter" || !slices.Equal(list.Requests[0].SuggestedParams, []string{"x"}) {
		t.Fatalf("%+v", list)
	}
	s.get("/requests?limit=2&cursor="+url.QueryEscape(list.NextCursor), &list)
	if len(list.Requests) != 1 || list.Requests[0].ID != "req_003" {
		t.Fatalf("%+v", list)
	}
	var one requestReply
	raw := s.get("/requests/req_002", &one)
	if one.Name != "tool_1" || !strings.Contains(string(raw.body), "does <it> & more") {
		t.Errorf("%s", raw.body)
	}
	s.refuses("GET", "/requests/req_009", "", 404, httpapi.CodeNotFound)
	s.refuses("GET", "/requests?status=open", "", 400, httpapi.CodeInvalid)
	s.refuses("GET", "/requests?cursor=zzz", "", 400, httpapi.CodeInvalid)
}

func TestDecisions(t *testing.T) {
	b := newBackend(t, nil)
	ask(t, b.store, 3)
	s := start(t, b)
	var got requestReply
	s.do("POST", "/requests/req_001/approve", digest(t, b.store, "req_001")+`,"reason":" useful ","macro":{"steps":[]}}`, 200, &got)
	if got.Status != "approved" || got.Reviewer != "kim" || got.Reason != "useful" || got.ReviewedAt == "" {
		t.Errorf("%+v", got)
	}
	s.do("POST", "/requests/req_002/approve", digest(t, b.store, "req_002")+`,"macro":null}`, 200, &got)
	if want := []string{`{"steps":[]}`, ""}; !slices.Equal(b.installed, want) {
		t.Errorf("installed %q, want %q", b.installed, want)
	}
	s.do("POST", "/requests/req_003/reject", `{"reason":"there is one"}`, 200, &got)
	if got.Status != "rejected" || got.Reason != "there is one" {
		t.Errorf("%+v", got)
	}
	// A decision is made once, and nothing is installed by another try.
	for _, path := range []string{"/requests/req_001/approve", "/requests/req_003/approve"} {
		s.refuses("POST", path, `{"macro":{}}`, 409, httpapi.CodeConflict)
	}
	s.refuses("POST", "/requests/req_001/reject", `{"reason":"x"}`, 409, httpapi.CodeConflict)
	if len(b.installed) != 2 {
		t.Errorf("installed %q", b.installed)
	}
	s.refuses("POST", "/requests/req_009/approve", `{}`, 404, httpapi.CodeNotFound)
	s.refuses("POST", "/requests/req_001/reject", `{"reason":" "}`, 400, httpapi.CodeInvalid)
	s.refuses("POST", "/requests/req_001/reject", `{"why":"x"}`, 400, httpapi.CodeInvalid)
}

// K8: an approval names the digest of what was shown, and another content is
// refused with the difference.
func TestK8_ApprovalsNameTheDigest(t *testing.T) {
	b := newBackend(t, nil)
	ask(t, b.store, 1)
	s := start(t, b)
	s.refuses("POST", "/requests/req_001/approve", `{}`, 400, httpapi.CodeInvalid)
	var shown struct{ Digest string }
	s.get("/requests/req_001", &shown)
	other := toolrequest.NewMemory()
	if _, _, err := other.Add(t.Context(), toolrequest.New{Name: "tool_0", Description: "swapped"}); err != nil {
		t.Fatal(err)
	}
	was := b.store
	b.store = other
	p := s.refuses("POST", "/requests/req_001/approve", `{"digest":"`+shown.Digest+`"}`, 409, httpapi.CodeConflict)
	if !strings.Contains(p.Message, shown.Digest) || !strings.Contains(p.Suggestion, "description:\n  - \"does <it> & more\"\n  + \"swapped\"") {
		t.Errorf("%+v", p)
	}
	// One that this server never showed.
	if p := s.refuses("POST", "/requests/req_001/approve", `{"digest":"sha256:00"}`, 409, httpapi.CodeConflict); !strings.Contains(p.Suggestion, "look at it again") {
		t.Errorf("%+v", p)
	}
	if len(b.installed) != 0 {
		t.Errorf("installed %q", b.installed)
	}
	b.store = was
	s.do("POST", "/requests/req_001/approve", `{"digest":"`+shown.Digest+`"}`, 200, nil)
}

type worded struct{}

func (worded) Error() string             { return "step 1 has no tool" }
func (worded) In(language string) string { return "in " + language }

// A macro that cannot be installed is told to the one who decides.
func TestApproveFails(t *testing.T) {
	b := newBackend(t, nil)
	ask(t, b.store, 1)
	s := start(t, b)
	b.approveErr = fmt.Errorf("install: %w", worded{})
	if p := s.refuses("POST", "/requests/req_001/approve", digest(t, b.store, "req_001")+`,"macro":{}}`, 422, httpapi.CodeRefused); p.Message != "in en" {
		t.Errorf("%+v", p)
	}
	b.approveErr = errors.New("there is no bundle to put it in")
	if p := s.refuses("POST", "/requests/req_001/approve", digest(t, b.store, "req_001")+`,"macro":{}}`, 422, httpapi.CodeRefused); p.Message != b.approveErr.Error() {
		t.Errorf("%+v", p)
	}
	b.store = nil
	for _, path := range []string{"/requests", "/requests/req_001"} {
		s.refuses("GET", path, "", 404, httpapi.CodeNotFound)
	}
	s.refuses("POST", "/requests/req_001/reject", `{"reason":"x"}`, 404, httpapi.CodeNotFound)
}

func TestS4Pins(t *testing.T) {
	b := newBackend(t, nil)
	s := start(t, b)
	type reply struct {
		Pins []struct {
			Source, Name, State string
			Held                bool
			Findings            []struct{ Severity string }
		}
		Total, Held int
		NextCursor  string
	}
	var list, first, second reply
	s.get("/pins", &list)
	if list.Total != 2 || list.Held != 1 || !list.Pins[0].Held || list.Pins[1].Held || list.Pins[0].Findings[0].Severity != "high" {
		t.Fatalf("%+v", list)
	}
	s.get("/pins?limit=1", &first)
	s.get("/pins?limit=1&cursor="+first.NextCursor, &second)
	if len(second.Pins) != 1 || second.Pins[0].Name != "get" || second.NextCursor != "" {
		t.Errorf("second page %+v", second)
	}
	var got struct {
		Accepted []struct{ Source, Name, Was, Pinned string }
	}
	s.do("POST", "/pins/accept", `{"names":["McpServer/git/log@sha256:bb"]}`, 200, &got)
	if len(got.Accepted) != 1 || got.Accepted[0].Name != "log" || got.Accepted[0].Was != "changed" || got.Accepted[0].Pinned != "sha256:bb" {
		t.Errorf("%+v", got)
	}
	if len(b.accepted) != 1 {
		t.Errorf("accepted %q", b.accepted)
	}
}

// Nothing is accepted by a slip.
func TestPinsRefuse(t *testing.T) {
	b := newBackend(t, nil)
	b.pins = append(b.pins, pin.Verdict{Source: "McpServer/weather", Name: "log", State: pin.New, Listed: "sha256:dd"})
	s := start(t, b)
	for _, body := range []string{`{}`, `{"names":[]}`, `{"names":["McpServer/git/log"]}`, `{"all":true}`} {
		s.refuses("POST", "/pins/accept", body, 400, httpapi.CodeInvalid)
	}
	if p := s.refuses("POST", "/pins/accept", `{"names":["lgo@sha256:bb"]}`, 404, httpapi.CodeNotFound); !strings.Contains(p.Suggestion, "log") {
		t.Errorf("%+v", p)
	}
	if p := s.refuses("POST", "/pins/accept", `{"names":["log@sha256:bb"]}`, 409, httpapi.CodeConflict); !strings.Contains(p.Suggestion, "McpServer/weather/log") {
		t.Errorf("%+v", p)
	}
	// S4: what is listed now is not what was shown.
	if p := s.refuses("POST", "/pins/accept", `{"names":["McpServer/git/log@sha256:cc"]}`, 409, httpapi.CodeConflict); !strings.Contains(p.Message, "sha256:bb") {
		t.Errorf("%+v", p)
	}
	if len(b.accepted) != 0 {
		t.Errorf("accepted %q", b.accepted)
	}
	b.pinsErr = errors.New("gongu.lock has format 9")
	s.refuses("GET", "/pins", "", 422, httpapi.CodeRefused)
	s.refuses("POST", "/pins/accept", `{"names":["log@sha256:bb"]}`, 422, httpapi.CodeRefused)
}

// promise S1: sources are listed again over HTTP.
func TestS1Sources(t *testing.T) {
	b := newBackend(t, nil)
	s := start(t, b)
	var list struct {
		Sources []struct {
			Name, State, Reason string
			LatencyMs           float64
			Problems            []string
		}
		Total int
		Error string
	}
	s.get("/sources", &list)
	if list.Total != 2 || list.Sources[0].State != string(source.Ready) || list.Sources[0].LatencyMs != 1.5 || len(list.Sources[1].Problems) != 1 {
		t.Fatalf("%+v", list)
	}
	s.do("POST", "/sources/refresh", `{"names":["git"]}`, 200, &list)
	if len(list.Sources) != 1 || list.Sources[0].Name != "git" || list.Error != "" {
		t.Errorf("%+v", list)
	}
	// A source that fails keeps what it had: the answer says so, and is one.
	b.refreshErr = errors.New("McpServer/git: connection refused")
	s.do("POST", "/sources/refresh", `{}`, 200, &list)
	if len(list.Sources) != 2 || !strings.Contains(list.Error, "refused") {
		t.Errorf("%+v", list)
	}
	if want := [][]string{{"git"}, nil}; len(b.refreshed) != 2 || !slices.Equal(b.refreshed[0], want[0]) || len(b.refreshed[1]) != 0 {
		t.Errorf("refreshed %q", b.refreshed)
	}
	if p := s.refuses("POST", "/sources/refresh", `{"names":["wether"]}`, 404, httpapi.CodeNotFound); !strings.Contains(p.Suggestion, "weather") {
		t.Errorf("%+v", p)
	}
	s.refuses("POST", "/sources/refresh", `{"names":"git"}`, 400, httpapi.CodeInvalid)
}

// What a person decides is in the log, with who it was; what was refused is no
// decision.
func TestDecisionsAreLogged(t *testing.T) {
	b := newBackend(t, nil)
	ask(t, b.store, 2)
	b.pins = []pin.Verdict{{Source: "McpServer/github", Name: "github__search", State: pin.Changed, Listed: "sha256:2"}}
	var log syncBuffer
	s := start(t, b, func(o *testOptions) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	s.do("POST", "/requests/req_001/approve", digest(t, b.store, "req_001")+`}`, 200, nil)
	s.do("POST", "/requests/req_002/reject", `{"reason":"no"}`, 200, nil)
	s.do("POST", "/pins/accept", `{"names":["McpServer/github/github__search@sha256:2"]}`, 200, nil)
	s.do("POST", "/sources/refresh", `{}`, 200, nil)
	s.refuses("POST", "/requests/req_001/approve", `{}`, 409, httpapi.CodeConflict)
	for _, want := range []string{
		`operation=approveRequest about="[req_001 tool_0]" by=kim`, `operation=rejectRequest about="[req_002 tool_1]" by=kim`,
		`operation=acceptPins about=[McpServer/github/github__search] by=kim`, `operation=refreshSources about=[] by=kim`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in:\n%s", want, log.String())
		}
	}
	if n := strings.Count(log.String(), "decision over HTTP"); n != 4 {
		t.Errorf("%d decisions in:\n%s", n, log.String())
	}
}

// syncBuffer is a log that is read while others write.
type syncBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}
