//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/pgtest"
	"github.com/gongu-ai/gongu/state"
)

const sharedYAML = `apiVersion: gongu/v1
kind: Tool
metadata: {name: text-transform}
spec: {entry: "builtin:text-transform", exports: [{name: case}]}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: c}
spec: {discover: [sh, "-c", "cat $F"], call: [sh, "-c", "echo fine"], env: {F: "%s"}, pin: {maxAge: 0s}}
`

// storeHost is one of several machines on a store: a copy of a bundle in a folder of
// the same name, and a user's folders.
type storeHost struct {
	t   *testing.T
	dir string
	env []string
}

func newStoreHost(t *testing.T, store, yaml string) *storeHost {
	t.Helper()
	h := &storeHost{t: t, dir: filepath.Join(t.TempDir(), "shop")}
	home := t.TempDir()
	for _, dir := range []string{h.dir, filepath.Join(home, "tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR=",
		"GORACE=atexit_sleep_ms=0", "TMPDIR="+filepath.Join(home, "tmp"), "GONGU_STORE="+store)
	h.write("gongu.yaml", yaml)
	return h
}

func (h *storeHost) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *storeHost) read(name string) string {
	raw, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		return ""
	}
	return string(raw)
}

// decide runs a command in the bundle, and a person says yes.
func (h *storeHost) decide(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("gongu", args...)
	cmd.Dir, cmd.Env = h.dir, h.env
	var out said
	var ignored said
	cmd.Stdout, cmd.Stderr = &out, &ignored
	if shown, err := asPerson(cmd, "y"); err != nil {
		h.t.Fatalf("gongu %s: %v\n%s%s", strings.Join(args, " "), err, shown, out.String())
	}
	return strings.TrimSpace(out.String())
}

// run runs a command without a person.
func (h *storeHost) run(args ...string) (string, error) {
	cmd := exec.Command("gongu", args...)
	cmd.Dir, cmd.Env = h.dir, h.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (h *storeHost) serve() *served {
	h.t.Helper()
	return startServeIn(h.t, h.dir, h.env, "--mode", "direct", "--offer", "*")
}

// as is a client with a token.
func (s *served) bearing(token string) *mcpUser {
	u := s.user(true)
	u.token, u.http = token, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return u
}

// Promise R3: two servers of copies of a bundle on one PostgreSQL share consents,
// tokens, tool requests and accepted definitions; what is decided on one is live on
// the other, and the files of both bundles follow.
func TestR3_TwoServersOneStore(t *testing.T) {
	t.Parallel()
	store := pgtest.URL(t)
	definitions := filepath.Join(t.TempDir(), "definitions")
	define := func(text string) {
		t.Helper()
		if err := os.WriteFile(definitions, []byte(`[{"name":"run","description":"`+text+`"}]`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	define("Runs.")
	yaml := fmt.Sprintf(sharedYAML, definitions)
	hosts := [2]*storeHost{newStoreHost(t, store, yaml), newStoreHost(t, store, yaml)}
	a, b := hosts[0], hosts[1]
	if out, err := b.run("serve", "--http", "127.0.0.1:0", "--no-auth"); err == nil || !strings.Contains(out, "gongu trust") {
		t.Errorf("served without a consent: %v %s", err, out)
	}
	// The command to copy is about the same store, without its password.
	if out, _ := b.run("serve", "--http", "127.0.0.1:0", "--no-auth", "--store", store); !strings.Contains(out, "gongu trust --store 'postgres://") || strings.Contains(out, store) {
		t.Errorf("with --store: %s", out)
	}
	a.decide("trust")
	sa, sb := a.serve(), b.serve()
	if sa.secret == "" || sb.secret != "" {
		t.Fatalf("first tokens: %q and %q", sa.secret, sb.secret)
	}
	ctx := t.Context()
	const upper = `{"text":"a","to":"upper"}`
	for _, s := range []*served{sa, sb} {
		if r := s.bearing(sa.secret).call(ctx, "1", "text-transform__case", upper); r.isError || !strings.Contains(r.body, "A") {
			t.Errorf("the first token: %v", r)
		}
	}

	// A request on one, approved on the other.
	if r := sa.bearing(sa.secret).call(ctx, "1", "request_tool", `{"name":"shout","description":"Shouts"}`); !strings.Contains(r.body, "req_001") {
		t.Errorf("%v", r)
	}
	macro := filepath.Join(t.TempDir(), "shout.json")
	if err := os.WriteFile(macro, []byte(`{"steps":[{"tool":"text-transform__case","params":{"text":"hey","to":"upper"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b.decide("requests", "approve", "req_001", "--macro", macro)
	for i, s := range []*served{sa, sb} {
		waitFor(t, "for the approved tool", func() bool {
			return strings.Contains(s.bearing(sa.secret).call(ctx, "1", "shout", `{}`).body, "HEY")
		})
		waitFor(t, "for the file of requests", func() bool { return strings.Contains(hosts[i].read("tool-requests.json"), `"fulfilled"`) })
	}

	testSharedPins(t, hosts, [2]*served{sa, sb}, define)
	testSharedTokens(t, b, sa)

	// A change is held, and used when it is consented to on the other host.
	changed := yaml + "---\napiVersion: gongu/v1\nkind: Tool\nmetadata: {name: json-query}\nspec: {entry: \"builtin:json-query\", exports: [{name: query}]}\n"
	b.write("gongu.yaml", changed)
	query := func() string {
		return sb.bearing(sa.secret).call(ctx, "1", "json-query__query", `{"json":"{}","path":"."}`).body
	}
	waitFor(t, "for the change to be held", func() bool {
		out, err := b.run("status", "--json")
		return err == nil && strings.Contains(out, `"held"`)
	})
	if !strings.Contains(query(), "E_TOOL_NOT") {
		t.Errorf("in use without a consent: %s", query())
	}
	a.write("gongu.yaml", changed)
	a.decide("trust")
	waitFor(t, "for the consent of the other host", func() bool { return !strings.Contains(query(), "E_TOOL_NOT") })
	if out, err := a.run("trust", "--revoke"); err != nil {
		t.Fatal(out)
	}
	for _, s := range []*served{sa, sb} {
		waitFor(t, "for the revocation", func() bool {
			return strings.Contains(s.bearing(sa.secret).request(ctx, "1", "tools/list", "").body, `"tools":[]`)
		})
	}
	want := "consent.grant token.new request.approved pin.accepted token.new token.revoke consent.grant consent.revoke"
	if got := strings.Join(decisions(t, openShared(t, store)), " "); got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
}

// openShared opens the records that the hosts share.
func openShared(t *testing.T, url string) *state.Store {
	t.Helper()
	s, err := state.Open(t.Context(), url, &state.Options{Space: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// decisions are what was recorded, the oldest first.
func decisions(t *testing.T, s *state.Store) (actions []string) {
	t.Helper()
	page, err := s.AuditPage(t.Context(), state.AuditFilter{Kind: state.AuditDecision, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range page.Rows {
		actions = append(actions, row.Action)
	}
	slices.Reverse(actions)
	return actions
}

// testSharedPins changes a definition and accepts it on one host.
func testSharedPins(t *testing.T, hosts [2]*storeHost, servers [2]*served, define func(string)) {
	t.Helper()
	token := servers[0].secret
	run := func(s *served) string { return s.bearing(token).call(t.Context(), "1", "c__run", `{}`).body }
	for _, s := range servers {
		if got := run(s); strings.Contains(got, "E_TOOL") {
			t.Errorf("before the change: %s", got)
		}
	}
	define("Runs something else.")
	for _, s := range servers {
		if got := run(s); !strings.Contains(got, "E_TOOL_QUARANTINED") {
			t.Errorf("a changed definition: %s", got)
		}
	}
	hosts[0].decide("pins", "accept", "run")
	for _, s := range servers {
		waitFor(t, "for the list of tools", func() bool {
			return strings.Contains(s.bearing(token).request(t.Context(), "1", "tools/list", "").body, `"c__run"`)
		})
		waitFor(t, "for the accepted definition", func() bool { return !strings.Contains(run(s), "E_TOOL") })
	}
	waitFor(t, "for the lock files", func() bool {
		lock := hosts[0].read("gongu.lock")
		return strings.Contains(lock, "something else") && lock == hosts[1].read("gongu.lock")
	})
	// Rows count: a file that somebody changed is not read, and written again with
	// the next change.
	hosts[1].write("gongu.lock", `{"version":2,"sources":{}}`)
	if got := run(servers[1]); strings.Contains(got, "E_TOOL") {
		t.Errorf("the file was read: %s", got)
	}
}

// testSharedTokens revokes a token on one host while a stream of it is open on the
// other.
func testSharedTokens(t *testing.T, b *storeHost, sa *served) {
	t.Helper()
	secret := b.decide("token", "new", "--name", "guest", "--tools", "*")
	waitFor(t, "for the token of the other host", func() bool { return sa.bearing(secret).get("/api/v1/tools").status == http.StatusOK })
	stream := openStream(t, sa, secret)
	if out, err := b.run("token", "list"); err != nil || !strings.Contains(out, "guest") || strings.Contains(out, secret) {
		t.Errorf("%v %s", err, out)
	}
	if out, err := b.run("token", "revoke", "guest"); err != nil {
		t.Fatal(out)
	}
	revoked := time.Now()
	select {
	case <-stream:
	case <-time.After(serveDeadline):
		t.Error("the stream of a revoked token goes on")
	}
	waitFor(t, "for the revocation", func() bool { return sa.bearing(secret).get("/api/v1/tools").status == http.StatusUnauthorized })
	t.Logf("the revocation took %v", time.Since(revoked))
}

// openStream opens a stream of notices and returns a channel that is closed when the
// server ends it.
func openStream(t *testing.T, s *served, token string) chan struct{} {
	t.Helper()
	u := s.bearing(token)
	u.modern = false
	if r := u.begin(t.Context()); r.err != nil || u.session == "" {
		t.Fatal(r)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", u.session)
	response, err := u.http.Do(req)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", response, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		}
	}()
	return ended
}

// Promise R3: two servers that queue and decide at once give each id once and each
// request one decision, with its tool and its record.
func TestR3_RacingDecisions(t *testing.T) {
	t.Parallel()
	store := pgtest.URL(t)
	const yaml = "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: text-transform}\nspec: {entry: \"builtin:text-transform\", exports: [{name: case}]}\n"
	a, b := newStoreHost(t, store, yaml), newStoreHost(t, store, yaml)
	sa, sb := a.serve(), b.serve()
	manager := a.decide("token", "new", "--name", "boss", "--manage", "all")
	servers := []*served{sa, sb}
	const requests = 100
	ids := sync.Map{}
	inParallel(requests, 16, func(i int) {
		u := servers[i%2].bearing(sa.secret)
		defer u.http.CloseIdleConnections()
		r := u.call(t.Context(), "1", "request_tool", fmt.Sprintf(`{"name":"tool_%d","description":"d"}`, i))
		id := quotedAfter(strings.ReplaceAll(r.body, `\"`, `"`), `"request_id":"`)
		if _, twice := ids.LoadOrStore(id, i); twice || !strings.HasPrefix(id, "req_") {
			t.Errorf("id %q: %v", id, r)
		}
	})
	won := make([]int, requests)
	var mu sync.Mutex
	inParallel(2*requests, 16, func(i int) {
		u := servers[i%2].bearing(manager)
		defer u.http.CloseIdleConnections()
		id := fmt.Sprintf("req_%03d", i/2+1)
		action, body := "reject", `{"reason":"no"}`
		if i%4 < 2 { // half of them are approved by both, half rejected
			var shown struct{ Digest string }
			if err := json.Unmarshal([]byte(u.get("/api/v1/requests/"+id).body), &shown); err != nil {
				t.Error(err)
			}
			action, body = "approve", `{"digest":"`+shown.Digest+`"}`
		}
		r := u.do(context.Background(), http.MethodPost, "/api/v1/requests/"+id+"/"+action, body, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") })
		switch r.status {
		case http.StatusOK:
			mu.Lock()
			won[i/2]++
			mu.Unlock()
		case http.StatusConflict:
		default:
			t.Errorf("%s %s: %v", action, id, r)
		}
	})
	for i, n := range won {
		if n != 1 {
			t.Errorf("request %d was decided %d times", i+1, n)
		}
	}
}

// inParallel runs f for the numbers below n, some at once.
func inParallel(n, atOnce int, f func(i int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range atOnce {
		group.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}
