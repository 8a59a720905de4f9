package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/state"
)

// hangs means "does not hang".
const hangs = 30 * time.Second

func openStore(t testing.TB, rows ...*state.AuditRow) *state.Store {
	t.Helper()
	store, err := state.Open(context.Background(), filepath.Join(t.TempDir(), "state.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	write(t, store, rows...)
	return store
}

// write adds rows in one transaction.
func write(t testing.TB, store *state.Store, rows ...*state.AuditRow) {
	t.Helper()
	if len(rows) == 0 {
		return
	}
	err := store.Update(context.Background(), func(ctx context.Context, tx *state.Tx) error { return tx.Audit(ctx, rows...) })
	if err != nil {
		t.Fatal(err)
	}
}

func withStore(store *state.Store) func(*testOptions) {
	return func(o *testOptions) { o.Store = store }
}

func callRow(id, parent, principal, tool string) *state.AuditRow {
	return &state.AuditRow{
		Kind: state.AuditCall, CallID: id, ParentID: parent, Trace: "t-" + principal, Principal: principal, PrincipalKind: "token", Agent: "api",
		Tool: tool, Status: "ok", Started: time.Now().UnixMicro(), Duration: 1500, ArgsSize: 3, ResultSize: 4,
		Payload: &state.AuditPayload{Salt: []byte("s"), Args: []byte(`{"a":1}`), Result: []byte("cut off …")},
	}
}

// callRows are a macro of kim with two calls, one of which made another, and a
// call of lee.
func callRows() []*state.AuditRow {
	return []*state.AuditRow{
		callRow("call_deep", "call_2", "kim", "deep"), callRow("call_2", "call_outer", "kim", "second"), callRow("call_1", "call_outer", "kim", "first"),
		callRow("call_outer", "", "kim", "macro"), callRow("call_other", "", "lee", "secret"),
		{Kind: state.AuditEvent, Action: "request.added", Subject: "req_001 arc", Status: "ok"},
		{Kind: state.AuditEvent, Action: "source.failed", Subject: "McpServer/git", Status: "error"},
	}
}

type calls struct {
	Calls []struct {
		ID, Tool, Principal, Status string
		Milliseconds                float64
	}
	NextCursor string
}

func (c *calls) ids() (ids []string) {
	for _, call := range c.Calls {
		ids = append(ids, call.ID)
	}
	return ids
}

func whole(name string) gongu.Principal { return gongu.Principal{Name: name, Kind: "token"} }

func limited(name string) gongu.Principal {
	return gongu.Principal{Name: name, Kind: "token", Allow: []gongu.Rule{{Name: "read_file"}}}
}

// The history has the newest call first, filters and pages.
func TestListCalls(t *testing.T) {
	s := start(t, newBackend(t, nil), withStore(openStore(t, callRows()...)), as(whole("kim")))
	for path, want := range map[string][]string{
		"/calls":                            {"call_other", "call_outer", "call_1", "call_2", "call_deep"},
		"/calls?tool=first":                 {"call_1"},
		"/calls?principal=lee":              {"call_other"},
		"/calls?trace=t-kim&tool=macro":     {"call_outer"},
		"/calls?status=error":               nil,
		"/calls?agent=api&limit=1":          {"call_other"},
		"/calls?since=2001-01-01T00:00:00Z": {"call_other", "call_outer", "call_1", "call_2", "call_deep"},
		"/calls?since=2101-01-01T00:00:00Z": nil,
	} {
		var got calls
		s.get(path, &got)
		if !slices.Equal(got.ids(), want) {
			t.Errorf("%s: %v, want %v", path, got.ids(), want)
		}
	}
	var all []string
	cursor := ""
	for range 10 {
		var page calls
		s.get("/calls?limit=2"+cursor, &page)
		all = append(all, page.ids()...)
		if cursor = "&cursor=" + page.NextCursor; page.NextCursor == "" {
			break
		}
	}
	if want := []string{"call_other", "call_outer", "call_1", "call_2", "call_deep"}; !slices.Equal(all, want) {
		t.Errorf("pages: %v", all)
	}
	for _, path := range []string{"/calls?cursor=-", "/calls?cursor=-1", "/calls?since=yesterday", "/calls?limit=0", "/audit?cursor=x%00"} {
		s.refuses("GET", path, "", http.StatusBadRequest, httpapi.CodeInvalid)
	}
}

type tree struct {
	ID        string
	Arguments json.RawMessage
	Result    json.RawMessage
	Calls     []tree
}

func (c tree) String() string {
	var below []string
	for _, call := range c.Calls {
		below = append(below, call.String())
	}
	return strings.TrimSuffix(fmt.Sprintf("%s(%s)", c.ID, strings.Join(below, " ")), "()")
}

// A call has those that it made below it; what was shortened is text.
func TestGetCall(t *testing.T) {
	s := start(t, newBackend(t, nil), withStore(openStore(t, callRows()...)), as(whole("kim")))
	var got tree
	s.get("/calls/call_outer", &got)
	if got.String() != "call_outer(call_2(call_deep) call_1)" || string(got.Arguments) != `{"a":1}` || string(got.Result) != `"cut off …"` {
		t.Errorf("got %v %s %s", got, got.Arguments, got.Result)
	}
	s.refuses("GET", "/calls/call_none", "", http.StatusNotFound, httpapi.CodeNotFound)
}

// K10: a token with limits sees its own calls and nothing of others, whatever it
// asks for.
func TestK10_HistoryOfALimitedToken(t *testing.T) {
	store := openStore(t, append(callRows(), callRow("call_mine", "", "mia", "read_file"), callRow("call_outer", "call_mine", "lee", "secret"))...)
	s := start(t, newBackend(t, nil), withStore(store), as(limited("mia")))
	for _, path := range []string{"/calls", "/calls?principal=mia"} {
		var got calls
		if s.get(path, &got); !slices.Equal(got.ids(), []string{"call_mine"}) {
			t.Errorf("%s: %v", path, got.ids())
		}
	}
	for _, path := range []string{"/calls?principal=lee", "/calls?trace=t-kim", "/calls?tool=secret"} {
		var got calls
		if s.get(path, &got); len(got.Calls) != 0 {
			t.Errorf("%s: %v", path, got.ids())
		}
	}
	var mine tree
	if s.get("/calls/call_mine", &mine); mine.String() != "call_mine" {
		t.Errorf("got %v", mine)
	}
	s.refuses("GET", "/calls/call_other", "", http.StatusNotFound, httpapi.CodeNotFound)
	s.refuses("GET", "/audit", "", http.StatusForbidden, httpapi.CodeForbidden)
	s.refuses("GET", "/audit/head", "", http.StatusForbidden, httpapi.CodeForbidden)
	stream := s.events("/events", "0")
	defer stream.close()
	write(t, store, callRow("call_theirs", "", "lee", "secret"), callRow("call_last", "", "mia", "read_file"))
	if got := stream.read(2); !slices.Equal(got, []string{"8 call", "11 call"}) {
		t.Errorf("got %v", got)
	}
}

// Without a store there is no history, and the answer says so.
func TestNoRecords(t *testing.T) {
	s := start(t, newBackend(t, nil))
	for _, path := range []string{"/calls", "/calls/x", "/audit", "/audit/head", "/events"} {
		s.refuses("GET", path, "", http.StatusNotFound, httpapi.CodeNotFound)
	}
}

// stream is a client of /events.
type stream struct {
	t      testing.TB
	cancel context.CancelFunc
	lines  *bufio.Scanner
	body   interface{ Close() error }
}

// events opens a stream after an event; "" is from now on.
func (s *server) events(path, after string) *stream {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+httpapi.Prefix+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	response, err := s.Client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		s.t.Fatalf("%s: %s %s", path, response.Status, kind)
	}
	return &stream{s.t, cancel, bufio.NewScanner(response.Body), response.Body}
}

func (s *stream) close() {
	s.cancel()
	_ = s.body.Close()
}

// read returns the next events as "ID KIND", and fewer if the stream ends.
func (s *stream) read(n int) (events []string) {
	id := ""
	for len(events) < n && s.lines.Scan() {
		line := s.lines.Text()
		if value, ok := strings.CutPrefix(line, "id: "); ok {
			id = value
		}
		if value, ok := strings.CutPrefix(line, "event: "); ok {
			events = append(events, id+" "+value)
		}
	}
	return events
}

// Events arrive in order, after the event that the client names, and only of the
// kind that it asks for.
func TestEvents(t *testing.T) {
	store := openStore(t, callRows()...)
	s := start(t, newBackend(t, nil), withStore(store), as(whole("kim")))
	for _, tc := range []struct {
		path, after string
		want        []string
	}{
		{"/events", "0", []string{"1 call", "2 call", "3 call", "4 call", "5 call", "6 request", "7 source", "8 call"}},
		{"/events", "5", []string{"6 request", "7 source", "8 call"}},
		{"/events?after=6", "", []string{"7 source", "8 call"}},
		{"/events?after=1", "6", []string{"7 source", "8 call"}}, // the header comes first
		{"/events?kind=request", "0", []string{"6 request", "9 request"}},
		{"/events", "", []string{"8 call", "9 request"}},
	} {
		store := openStore(t, callRows()...)
		s := start(t, newBackend(t, nil), withStore(store), as(whole("kim")))
		stream := s.events(tc.path, tc.after)
		write(t, store, callRow("call_new", "", "kim", "late"), &state.AuditRow{Kind: state.AuditDecision, Action: "request.approved", Subject: "req_001 arc", Status: "ok"})
		if got := stream.read(len(tc.want)); !slices.Equal(got, tc.want) {
			t.Errorf("%s after %q: %v, want %v", tc.path, tc.after, got, tc.want)
		}
		stream.close()
	}
	for _, path := range []string{"/events?after=-1", "/events?after=8", "/events?after=x", "/events?kind=none"} {
		s.refusesStream(path)
	}
	s.refuses("GET", "/events", "", http.StatusBadRequest, httpapi.CodeInvalid) // it does not accept a stream
}

// R6: a client that goes on after a row that retention has removed is told so, once,
// before the rows that are still there.
func TestR6_EventsMissed(t *testing.T) {
	store := openStore(t, callRows()...)
	if n, err := store.SealAudit(t.Context()); err != nil || n == 0 {
		t.Fatalf("%d seals, %v", n, err)
	}
	if n, err := store.RetainAudit(t.Context(), state.Retention{Bytes: 1}); err != nil || n != 7 {
		t.Fatalf("%d rows removed, %v", n, err)
	}
	s := start(t, newBackend(t, nil), withStore(store), as(whole("kim")))
	for _, tc := range []struct {
		path, after string
		want        []string
	}{
		{"/events", "3", []string{"7 missed", "8 audit"}},
		{"/events?kind=call", "3", []string{"7 missed", "9 call"}},
		{"/events", "7", []string{"8 audit"}}, // nothing in between
		{"/events", "0", []string{"8 audit"}},
	} {
		stream := s.events(tc.path, tc.after)
		if tc.path != "/events" {
			write(t, store, callRow("call_new", "", "kim", "late"))
		}
		if got := stream.read(len(tc.want)); !slices.Equal(got, tc.want) {
			t.Errorf("%s after %q: %v, want %v", tc.path, tc.after, got, tc.want)
		}
		stream.close()
	}
}

func (s *server) refusesStream(path string) {
	s.t.Helper()
	got := s.raw("GET", httpapi.Prefix+path, http.Header{"Accept": {"text/event-stream"}}, nil)
	if got.status != http.StatusBadRequest {
		s.t.Errorf("%s: %d %s", path, got.status, got.body)
	}
}

// A principal that decides about requests sees those, and no calls of others.
func TestEventsOfAnApprover(t *testing.T) {
	store := openStore(t, callRows()...)
	s := start(t, newBackend(t, nil), withStore(store), as(gongu.Principal{Name: "ann", Kind: "token", Manage: "approvals", Allow: []gongu.Rule{}}))
	stream := s.events("/events", "0")
	defer stream.close()
	write(t, store, callRow("call_ann", "", "ann", "x"))
	if got := stream.read(2); !slices.Equal(got, []string{"6 request", "8 call"}) {
		t.Errorf("got %v", got)
	}
}

// Streams are bounded for each principal, end with their credentials and when the
// server drains.
func TestK10_EventStreamsEnd(t *testing.T) {
	store := openStore(t, callRows()...)
	s := start(t, newBackend(t, nil), withStore(store), as(whole("kim")), func(o *testOptions) { o.MaxStreamsEach = 2 })
	first, second := s.events("/events", "0"), s.events("/events", "0")
	defer second.close()
	got := s.raw("GET", httpapi.Prefix+"/events", http.Header{"Accept": {"text/event-stream"}}, nil)
	if got.status != http.StatusServiceUnavailable || !strings.Contains(string(got.body), httpapi.CodeBusy) {
		t.Errorf("a third stream: %d %s", got.status, got.body)
	}
	if n := len(first.read(7)); n != 7 {
		t.Errorf("%d events", n)
	}
	first.close()
	s.api.Drain()
	if got := second.read(100); len(got) != 7 || second.lines.Err() != nil {
		t.Errorf("%v %v", got, second.lines.Err())
	}
	ends := whole("kim")
	ends.Expires = time.Now().Add(time.Second)
	s = start(t, newBackend(t, nil), withStore(store), as(ends))
	stream := s.events("/events", "0")
	defer stream.close()
	if got := stream.read(100); len(got) != 7 || stream.lines.Err() != nil { // the server ended it
		t.Errorf("%v %v", got, stream.lines.Err())
	}
}

// Only a manager checks the audit, one check at a time, and not for ever.
func TestVerifyAudit(t *testing.T) {
	store := openStore(t, callRows()...)
	s := start(t, newBackend(t, nil), withStore(store))
	var got state.AuditReport
	s.get("/audit/verify", &got)
	if got.Rows != 7 || got.Found != 0 || got.Problems == nil {
		t.Errorf("%+v", got)
	}
	s.get("/audit/verify?head="+strings.Repeat("ab", 32), &got)
	if got.Found != 1 || got.Problems[0].Kind != state.ProblemHead {
		t.Errorf("%+v", got)
	}
	s.refuses("GET", "/audit/verify?head=zz", "", 400, httpapi.CodeInvalid)
	for _, who := range []gongu.Principal{whole("model"), limited("model"), manager("kim")} {
		s.who = &who
		s.refuses("GET", "/audit/verify", "", 403, httpapi.CodeForbidden)
	}
	short := start(t, newBackend(t, nil), withStore(store), func(o *testOptions) { o.VerifyTime = time.Nanosecond })
	if p := short.refuses("GET", "/audit/verify", "", 503, httpapi.CodeBusy); !strings.Contains(p.Suggestion, "gongu audit verify") {
		t.Error(p.Suggestion)
	}
}
