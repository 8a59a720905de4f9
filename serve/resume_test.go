package serve_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/state"
)

const ableElicit = `{"elicitation":{}}`

// approvals is a guard that suspends calls of one tool until they are approved,
// or until the client accepts.
type approvals struct {
	guard    gongu.Guard
	approved atomic.Bool
	checks   atomic.Int32
}

func suspending(name string) *approvals {
	p := &approvals{}
	p.guard = gongu.Guard{Name: "approval", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		if a.Call.Name != name {
			return nil
		}
		p.checks.Add(1)
		if p.approved.Load() {
			return nil
		}
		if was := a.Resumed(); was != nil && was.Answer != nil {
			switch field(was.Answer, "action") {
			case "accept":
				return nil
			case "decline":
				return &gongu.Error{Code: gongu.CodeRejected, Message: "the user said no"}
			}
		}
		if !a.CanSuspend() {
			return &gongu.Error{Code: gongu.CodeDenied, Message: "nobody can be asked"}
		}
		return a.Suspend("ap-1", json.RawMessage(`{"message":"Run it?","requestedSchema":{"type":"object","properties":{}}}`))
	}}
	return p
}

// counting is a tool that counts its runs.
func counting(runs *atomic.Int32) gongu.Tool {
	return tool("write", func(_ context.Context, args json.RawMessage) gongu.Result {
		return says(fmt.Sprintf("run %d with %s", runs.Add(1), args))
	})
}

func guarded(t testing.TB, p *approvals, tools ...gongu.Tool) *backend {
	return newBackend(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{p.guard}}, tools...)
}

// waits makes a call that is suspended, and returns its state.
func waits(t *testing.T, c *client, params string) string {
	t.Helper()
	_, body := c.modern("tools/call", params, ableElicit)
	found := statePattern.FindStringSubmatch(body)
	if found == nil || !strings.Contains(body, `"resultType":"input_required"`) {
		t.Fatalf("not suspended: %s", body)
	}
	return found[1]
}

func comesBack(c *client, params, signed, responses string) (int, string) {
	return c.modern("tools/call", params+`,"requestState":"`+signed+`","inputResponses":`+responses, ableElicit)
}

const accept = `{"approval":{"action":"accept"}}`

// P9, H20: a call that a guard suspends is a row without a goroutine. It is
// resumed on another host, once; coming back again returns the same result.
func TestP9_SuspendedCallOnAnyHost(t *testing.T) {
	onStores(t, func(t *testing.T, open func() *state.Store) {
		var runs atomic.Int32
		p := suspending("write")
		hostA := newServer(t, serve.Options{Backend: guarded(t, p, counting(&runs)), Pending: open()})
		params := `"name":"write","arguments":{"n":1}`
		signed := waits(t, as(t, hostA, gongu.Principal{Name: "p"}), params)
		if got := hostA.Counters(); got.Running != 0 || got.Waiting != 0 {
			t.Errorf("a suspended call occupies the host: %+v", got)
		}
		hostB := newServer(t, serve.Options{Backend: guarded(t, p, counting(&runs)), Pending: open()})
		c := as(t, hostB, gongu.Principal{Name: "p"})
		checks := p.checks.Load()
		if _, body := comesBack(c, params, signed, `{}`); !strings.Contains(body, "input_required") || p.checks.Load() != checks {
			t.Errorf("without an answer: %s", body)
		}
		if status, body := comesBack(c, params, signed, `{"approval":{}}`); status != http.StatusBadRequest || !strings.Contains(body, "-32602") {
			t.Errorf("a bad answer: %d %s", status, body)
		}
		var first string
		for range 3 {
			_, body := comesBack(c, params, signed, accept)
			if first == "" {
				first = body
			}
			if body != first || !strings.Contains(body, `run 1 with {\"n\":1}`) {
				t.Errorf("resumed: %s", body)
			}
		}
		if _, body := comesBack(as(t, hostA, gongu.Principal{Name: "p"}), params, signed, accept); body != first {
			t.Errorf("on the first host: %s", body)
		}
		if runs.Load() != 1 {
			t.Errorf("ran %d times", runs.Load())
		}
	})
}

// H20: hosts that resume a call at the same time: one runs it, all have the same
// result.
func TestH20_HostsRaceToResume(t *testing.T) {
	onStores(t, func(t *testing.T, open func() *state.Store) {
		var runs atomic.Int32
		p := suspending("write")
		var clients []*client
		for range 2 {
			s := newServer(t, serve.Options{Backend: guarded(t, p, counting(&runs)), Pending: open()})
			clients = append(clients, as(t, s, gongu.Principal{Name: "p"}))
		}
		for i := range 5 {
			params := fmt.Sprintf(`"name":"write","arguments":{"i":%d}`, i)
			signed := waits(t, clients[0], params)
			var group sync.WaitGroup
			bodies := make([]string, 6)
			for n := range bodies {
				group.Go(func() { _, bodies[n] = comesBack(clients[n%2], params, signed, accept) })
			}
			group.Wait()
			for _, body := range bodies {
				if body != bodies[0] || !strings.Contains(body, fmt.Sprintf("run %d with", i+1)) {
					t.Errorf("call %d: %s", i, body)
				}
			}
		}
		if runs.Load() != 5 {
			t.Errorf("5 calls ran %d times", runs.Load())
		}
	})
}

// H20: a resumed call is refused when something is not as it was: the tool, the
// principal, the arguments, the round, the state itself, its age.
func TestH20_StatesAreBound(t *testing.T) {
	var runs atomic.Int32
	p := suspending("write")
	store := openStore(t, t.TempDir()+"/state.db")
	b := guarded(t, p, counting(&runs))
	s := newServer(t, serve.Options{Backend: b, Pending: store})
	c, params := as(t, s, gongu.Principal{Name: "p"}), `"name":"write","arguments":{"n":1}`
	refused := func(what string, status int, body string) {
		t.Helper()
		if status != http.StatusBadRequest || !strings.Contains(body, "-32602") {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	signed := waits(t, c, params)
	status, body := comesBack(as(t, s, gongu.Principal{Name: "q"}), params, signed, accept)
	refused("another principal", status, body)
	status, body = comesBack(c, `"name":"write","arguments":{"n":2}`, signed, accept)
	refused("other arguments", status, body)
	for i := range signed {
		forged := []byte(signed)
		forged[i] ^= 1
		if forged[i] == '"' || forged[i] == '\\' || i%7 != 0 {
			continue
		}
		// The last character of the signature has bits that are not used.
		if i == len(forged)-1 {
			continue
		}
		status, body = comesBack(c, params, string(forged), accept)
		refused(fmt.Sprintf("forged at %d", i), status, body)
	}
	other := newServer(t, serve.Options{Backend: b, Pending: openStore(t, t.TempDir()+"/state.db")})
	status, body = comesBack(as(t, other, gongu.Principal{Name: "p"}), params, signed, accept)
	refused("another store", status, body)

	// A later round makes the state of an earlier one useless.
	_, body = comesBack(c, params, signed, `{"approval":{"action":"cancel"}}`)
	next := statePattern.FindStringSubmatch(body)
	if next == nil || next[1] == signed {
		t.Fatalf("not asked again: %s", body)
	}
	status, body = comesBack(c, params, signed, accept)
	refused("an old round", status, body)

	changed := counting(&runs)
	changed.Description = "Writes something else."
	if err := b.registry.ReplaceAll([]gongu.Source{{}}, changed); err != nil {
		t.Fatal(err)
	}
	if _, body = comesBack(c, params, next[1], accept); !strings.Contains(body, gongu.CodeChanged) {
		t.Errorf("a changed tool: %s", body)
	}
	if runs.Load() != 0 {
		t.Errorf("ran %d times", runs.Load())
	}
	short := newServer(t, serve.Options{Backend: b, Pending: store, Limits: serve.Limits{Suspend: time.Millisecond}})
	signed = waits(t, as(t, short, gongu.Principal{Name: "p"}), params)
	time.Sleep(5 * time.Millisecond)
	status, body = comesBack(c, params, signed, accept)
	refused("expired", status, body)
}

// A decision that is made elsewhere makes the call ready; a refusal is its
// result.
func TestP9_DecidedElsewhere(t *testing.T) {
	var runs atomic.Int32
	p := suspending("write")
	store := openStore(t, t.TempDir()+"/state.db")
	s := newServer(t, serve.Options{Backend: guarded(t, p, counting(&runs)), Pending: store})
	c, params := as(t, s, gongu.Principal{Name: "p"}), `"name":"write","arguments":{}`
	signed := waits(t, c, params)
	decide(t, store)
	p.approved.Store(true)
	if _, body := comesBack(c, params, signed, `{}`); !strings.Contains(body, "run 1") {
		t.Errorf("decided: %s", body)
	}
	p.approved.Store(false)
	signed = waits(t, c, params)
	for range 2 {
		if _, body := comesBack(c, params, signed, `{"approval":{"action":"decline"}}`); !strings.Contains(body, gongu.CodeRejected) {
			t.Errorf("declined: %s", body)
		}
	}
}

// decide makes the suspended calls ready, as the transaction of a decision does.
func decide(t *testing.T, store *state.Store) {
	t.Helper()
	if err := store.Update(t.Context(), func(ctx context.Context, tx *state.Tx) error { return tx.CallsReady(ctx, "ap-1") }); err != nil {
		t.Fatal(err)
	}
}

// flaky is a store whose next changes fail.
type flaky struct {
	serve.PendingStore
	fails atomic.Int32
}

func (f *flaky) StartCall(ctx context.Context, id string, round int, attempt string) (*state.Call, bool, error) {
	c, started, err := f.PendingStore.StartCall(ctx, id, round, attempt)
	if f.fails.Add(-1) >= 0 {
		return nil, false, state.ErrUnavailable // the answer was lost
	}
	return c, started, err
}

func (f *flaky) ChangeCall(ctx context.Context, id string, transition func(*state.Call, state.Writer) bool) (*state.Call, bool, error) {
	if f.fails.Add(-1) >= 0 {
		return nil, false, state.ErrUnavailable
	}
	return f.PendingStore.ChangeCall(ctx, id, transition)
}

// A store that fails while the call starts leaves it suspended, even if the start
// was written: nothing has run, and the client can come back.
func TestH20_StoreFailsBeforeTheStart(t *testing.T) {
	var runs atomic.Int32
	p := suspending("write")
	store := &flaky{PendingStore: openStore(t, t.TempDir()+"/state.db")}
	s := newServer(t, serve.Options{Backend: guarded(t, p, counting(&runs)), Pending: store})
	c, params := as(t, s, gongu.Principal{Name: "p"}), `"name":"write","arguments":{}`
	signed := waits(t, c, params)
	store.fails.Store(2) // the second is the attempt to undo the start
	if _, body := comesBack(c, params, signed, accept); !strings.Contains(body, gongu.CodeUnavailable) || runs.Load() != 0 {
		t.Errorf("%d runs: %s", runs.Load(), body)
	}
	waitFor(t, func() bool { return strings.Contains(stateOf(t, store, signed), state.CallSuspended) })
	if _, body := comesBack(c, params, signed, accept); !strings.Contains(body, "run 1") {
		t.Errorf("%s", body)
	}
}

// stateOf returns the state of the call that a requestState is for.
func stateOf(t *testing.T, store serve.PendingStore, signed string) string {
	t.Helper()
	var payload struct {
		Run string `json:"r"`
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(signed, ".")[1])
	if err == nil {
		err = json.Unmarshal(raw, &payload)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := store.GetCall(t.Context(), payload.Run)
	if err != nil {
		t.Fatal(err)
	}
	return c.State
}

// A client that leaves before its call starts can come back.
func TestH20_ClientLeavesBeforeTheStart(t *testing.T) {
	var runs atomic.Int32
	p := suspending("write")
	slow, entered, release := waitingGuard("write")
	b := newBackend(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{p.guard, slow}}, counting(&runs))
	s := newServer(t, serve.Options{Backend: b, Pending: openStore(t, t.TempDir()+"/state.db")})
	c, params := as(t, s, gongu.Principal{Name: "p"}), `"name":"write","arguments":{}`
	signed := waits(t, c, params)
	ctx, leave := context.WithCancel(t.Context())
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + `,"requestState":"` + signed + `","inputResponses":` + accept + `,` + transcriptMeta + ableElicit + `}}}`
	go func() {
		<-entered
		leave()
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	modernHeaders(request, body)
	if response, err := c.http.Do(request); err == nil {
		response.Body.Close()
		t.Fatalf("answered: %d", response.StatusCode)
	}
	waitFor(t, func() bool { got := s.Counters(); return got.Running == 0 && got.Waiting == 0 })
	close(release)
	if _, body := comesBack(c, params, signed, accept); !strings.Contains(body, "run 1") || runs.Load() != 1 {
		t.Errorf("%d runs: %s", runs.Load(), body)
	}
}
