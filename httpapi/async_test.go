package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// asks makes calls of save_file ask a person.
func asks(t testing.TB) *policy.Policy {
	t.Helper()
	p, err := policy.New(policy.Set{Tier: policy.User, Name: "main", Rules: []policy.Rule{{Name: "writes", Match: policy.Match{Tools: []string{"save_file"}}, Effect: policy.Ask}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// asyncHost is a host whose calls of save_file wait for a person.
type asyncHost struct {
	*server
	store *state.Store
	runs  *atomic.Int32
	stop  func()
}

func startAsync(t testing.TB, store *state.Store, runs *atomic.Int32, change ...func(*testOptions)) *asyncHost {
	t.Helper()
	return startAsyncGuarded(t, store, runs, gongu.Guard{Name: "none", Check: func(context.Context, *gongu.Attempt) *gongu.Error { return nil }}, change...)
}

// startAsyncGuarded is startAsync with another guard, after that of the rules.
func startAsyncGuarded(t testing.TB, store *state.Store, runs *atomic.Int32, more gongu.Guard, change ...func(*testOptions)) *asyncHost {
	t.Helper()
	rules := asks(t)
	guard := policy.NewGuard(policy.GuardOptions{Policy: func() *policy.Policy { return rules }, Store: store, Logger: quiet()})
	save := gongu.Tool{Name: "save_file", Description: "Save a file.", Domain: "files", Parameters: pathSchema, Invoke: func(_ context.Context, call gongu.Call) gongu.Result {
		runs.Add(1)
		return gongu.Result{Status: gongu.StatusOK, Output: call.Args}
	}}
	b := newBackend(t, &gongu.ExecutorOptions{AgentName: "api", Guards: []gongu.Guard{guard, more}}, save)
	all := append([]func(*testOptions){withStore(store), withApprovals(store), as(whole("laptop")), func(o *testOptions) { o.all = true }}, change...)
	h := &asyncHost{server: start(t, b, all...), store: store, runs: runs, stop: func() {}}
	return h
}

// resume lets the host resume calls until the test ends or stop is called.
func (h *asyncHost) resume() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.api.ResumeCalls(ctx, ctx)
	}()
	h.stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	h.t.Cleanup(h.stop)
}

var sendsAsync = http.Header{"Content-Type": {"application/json"}, "Prefer": {"wait=5, respond-async"}}

type asyncCall struct {
	ID, Status, Code string
	Async            *struct {
		State, Approval, Link string
		Result                *gongu.Result
	}
}

// post makes a call that is answered with 202.
func (h *asyncHost) post(path string) (location string, call asyncCall) {
	h.t.Helper()
	got := h.raw("POST", httpapi.Prefix+"/calls", sendsAsync, strings.NewReader(`{"name":"save_file","arguments":{"path":"`+path+`"}}`))
	if got.status != 202 || got.header.Get("Preference-Applied") != "respond-async" {
		h.t.Fatalf("%d %s", got.status, got.body)
	}
	if err := json.Unmarshal(got.body, &call); err != nil || call.Async == nil || call.Async.State != "suspended" || call.Async.Link == "" {
		h.t.Fatalf("%v %s", err, got.body)
	}
	location = got.header.Get("Location")
	if location != httpapi.Prefix+"/calls/"+call.ID {
		h.t.Fatalf("the location is %q", location)
	}
	return strings.TrimPrefix(location, httpapi.Prefix), call
}

func (h *asyncHost) decide(id string, approve bool, args string) {
	h.t.Helper()
	a, err := h.store.GetApproval(context.Background(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	answer := policy.Answer{Approve: approve, Reason: "because"}
	if args != "" {
		answer.Args = json.RawMessage(args)
	}
	if _, outcome, err := policy.Resolve(context.Background(), h.store, id, policy.Decider{Name: "kim", Kind: policy.ByTerminal}, answer, a.Version, ""); err != nil || outcome != policy.Decided {
		h.t.Fatal(outcome, err)
	}
}

func (h *asyncHost) await(path string) asyncCall {
	h.t.Helper()
	for deadline := time.Now().Add(hangs); ; time.Sleep(5 * time.Millisecond) {
		var got asyncCall
		h.get(path, &got)
		if got.Async.Result != nil {
			return got
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%+v", got.Async)
		}
	}
}

// P9: a call over HTTP that has to wait for a person is answered with 202, and
// runs when the decision is there, without the caller asking again.
func TestP9_RespondAsync(t *testing.T) {
	var runs atomic.Int32
	h := startAsync(t, openStore(t), &runs)
	h.resume()
	path, call := h.post("a.txt")
	var got asyncCall
	h.get(path, &got)
	if got.Status != "suspended" || got.Async.Approval != call.Async.Approval || runs.Load() != 0 {
		t.Errorf("%+v, ran %d times", got, runs.Load())
	}
	h.decide(call.Async.Approval, true, "")
	if got = h.await(path); got.Status != "ok" || got.Async.State != "done" || string(got.Async.Result.Output) != `{"path":"a.txt"}` {
		t.Errorf("%+v %s", got, got.Async.Result.Output)
	}
	// Other arguments of the person, a no, and what needs no waiting.
	path, call = h.post("b.txt")
	h.decide(call.Async.Approval, true, `{"path":"other.txt"}`)
	if got = h.await(path); string(got.Async.Result.Output) != `{"path":"other.txt"}` {
		t.Errorf("%s", got.Async.Result.Output)
	}
	path, call = h.post("c.txt")
	h.decide(call.Async.Approval, false, "")
	if got = h.await(path); got.Code != gongu.CodeRejected || got.Async.Result.Error == nil {
		t.Errorf("%+v", got)
	}
	if runs.Load() != 2 {
		t.Errorf("ran %d times", runs.Load())
	}
	if got := h.raw("POST", httpapi.Prefix+"/calls", sendsAsync, strings.NewReader(`{"name":"read_file","arguments":{"path":"x"}}`)); got.status != 200 || got.header.Get("Location") != "" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := h.raw("POST", httpapi.Prefix+"/calls", sendsAsync, strings.NewReader(`{"name":"save_file","arguments":{"path":7}}`)); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	// Nobody else sees the call.
	h.who = new(whole("other"))
	h.refuses("GET", path, "", 404, httpapi.CodeNotFound)
	h.refuses("GET", "/calls/async_none", "", 404, httpapi.CodeNotFound)
}

// Without the preference a call waits on its connection, or is denied.
func TestP9_WithoutPreference(t *testing.T) {
	var runs atomic.Int32
	h := startAsync(t, openStore(t), &runs)
	for _, header := range []http.Header{sendsJSON, {"Content-Type": {"application/json"}, "Prefer": {"respond-asynchronously", "x=respond-async"}}} {
		got := h.raw("POST", httpapi.Prefix+"/calls", header, strings.NewReader(`{"name":"save_file","arguments":{"path":"a"}}`))
		if got.status != 200 || !strings.Contains(string(got.body), gongu.CodeDenied) {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
}

// P9: the call outlives its server, and of several hosts one runs it.
func TestP9_AsyncRunsOnce(t *testing.T) {
	var runs atomic.Int32
	store := openStore(t)
	first := startAsync(t, store, &runs)
	var paths []string
	for i := range 20 {
		path, call := first.post(fmt.Sprint("f", i))
		paths = append(paths, path)
		first.decide(call.Async.Approval, true, "")
	}
	if runs.Load() != 0 {
		t.Fatal("a host that does not resume has run a call")
	}
	first.Close() // decided, and nobody was there to resume
	hosts := []*asyncHost{startAsync(t, store, &runs), startAsync(t, store, &runs), startAsync(t, store, &runs)}
	for _, h := range hosts {
		h.resume()
	}
	for i, path := range paths {
		if got := hosts[i%3].await(path); got.Status != "ok" {
			t.Errorf("%s: %+v", path, got.Async.Result)
		}
	}
	if runs.Load() != 20 {
		t.Errorf("20 calls ran %d times", runs.Load())
	}
}

// A caller whose token was revoked meanwhile runs nothing, and a host that does
// not know the caller leaves the call to others.
func TestAsyncPrincipal(t *testing.T) {
	var runs atomic.Int32
	var answer atomic.Value
	asked := make(chan struct{}, 100)
	answer.Store("unknown")
	store := openStore(t)
	h := startAsync(t, store, &runs, func(o *testOptions) {
		o.Principal = func(_ context.Context, was *gongu.Principal, at time.Time) (*gongu.Principal, error) {
			if was.Name != "laptop" || time.Since(at) > hangs {
				t.Errorf("asked about %+v at %s", was, at)
			}
			asked <- struct{}{}
			switch answer.Load() {
			case "gone":
				return nil, httpapi.ErrGone
			case "limited":
				return new(limited("laptop")), nil
			case "unknown":
				return nil, nil
			}
			return was, nil
		}
	})
	one, first := h.post("a")
	h.decide(first.Async.Approval, true, "")
	h.resume()
	<-asked
	answer.Store("gone")
	two, second := h.post("b")
	h.decide(second.Async.Approval, true, "")
	for _, path := range []string{one, two} {
		if got := h.await(path); got.Code != gongu.CodeDenied || !strings.Contains(got.Async.Result.Error.Message, "revoked") {
			t.Errorf("%+v", got.Async.Result)
		}
	}
	answer.Store("limited") // to read_file, since
	three, third := h.post("c")
	h.decide(third.Async.Approval, true, "")
	if got := h.await(three); got.Code != gongu.CodeNotInCatalog {
		t.Errorf("%+v", got.Async.Result)
	}
	if runs.Load() != 0 {
		t.Errorf("ran %d times", runs.Load())
	}
}

// A principal has only so many calls that wait.
func TestAsyncLimit(t *testing.T) {
	var runs atomic.Int32
	h := startAsync(t, openStore(t), &runs)
	for i := range policy.MaxPendingEach {
		h.post(fmt.Sprint("f", i))
	}
	got := h.raw("POST", httpapi.Prefix+"/calls", sendsAsync, strings.NewReader(`{"name":"save_file","arguments":{"path":"more"}}`))
	if got.status == 202 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// P9: two hosts resume a call at the same time, and its handler runs once.
func TestP9_AsyncTwoHostsAtOnce(t *testing.T) {
	var runs, arrived atomic.Int32
	both := make(chan struct{})
	meet := gongu.Guard{Name: "meet", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		if a.Resumed() == nil {
			return nil
		}
		if arrived.Add(1) == 2 {
			close(both)
		}
		select {
		case <-both:
		case <-time.After(hangs):
			t.Error("the other host did not come")
		}
		return nil
	}}
	store := openStore(t)
	hosts := []*asyncHost{startAsyncGuarded(t, store, &runs, meet), startAsyncGuarded(t, store, &runs, meet)}
	path, call := hosts[0].post("a.txt")
	hosts[0].decide(call.Async.Approval, true, "")
	for _, h := range hosts {
		h.resume()
	}
	if got := hosts[1].await(path); got.Status != "ok" {
		t.Errorf("%+v", got.Async.Result)
	}
	for _, h := range hosts {
		h.stop()
	}
	if runs.Load() != 1 || arrived.Load() != 2 {
		t.Errorf("ran %d times, %d hosts resumed it", runs.Load(), arrived.Load())
	}
	if got := hosts[0].await(path); got.Status != "ok" {
		t.Errorf("the result became %+v", got.Async.Result)
	}
}
