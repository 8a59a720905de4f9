//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/pgtest"
)

// recordsBundle has a tool, and a macro that calls it twice.
const recordsBundle = `apiVersion: gongu/v1
kind: Tool
metadata: {name: text}
spec: {entry: "builtin:text-transform", exports: [{name: case}]}
---
apiVersion: gongu/v1
kind: Macro
metadata: {name: twice}
spec:
  description: Changes the case of a text twice.
  steps:
    - {tool: text__case, params: {text: one, to: upper}}
    - {tool: text__case, params: {text: two, to: upper}}
`

// recordsDir makes a bundle and a separate environment in which a server can be
// started several times.
func recordsDir(t *testing.T, yaml string) (dir string, env []string) {
	t.Helper()
	home := t.TempDir()
	dir = filepath.Join(t.TempDir(), "shared")
	for _, folder := range []string{dir, filepath.Join(home, "tmp")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR=", "GORACE=atexit_sleep_ms=0", "CONSENT=auto", "TMPDIR="+filepath.Join(home, "tmp"))
}

// post calls a tool over the API with an id.
func (s *served) post(tool, id, args string) *reply {
	user := s.user(false)
	defer user.http.CloseIdleConnections()
	return user.do(context.Background(), http.MethodPost, "/api/v1/calls", fmt.Sprintf(`{"name":%q,"id":%q,"arguments":%s}`, tool, id, args), func(r *http.Request) { r.Header.Set("Content-Type", "application/json") })
}

// history returns the ids of the recorded calls, the newest first.
func (s *served) history(query string) (ids []string) {
	s.t.Helper()
	user := s.user(false)
	defer user.http.CloseIdleConnections()
	cursor := ""
	for {
		r := user.get("/api/v1/calls?limit=1000" + query + cursor)
		var page struct {
			Calls      []struct{ ID string }
			NextCursor string
		}
		if err := json.Unmarshal([]byte(r.body), &page); err != nil || r.status != http.StatusOK {
			s.t.Fatalf("%v: %s", err, r)
		}
		for _, call := range page.Calls {
			ids = append(ids, call.ID)
		}
		if cursor = "&cursor=" + page.NextCursor; page.NextCursor == "" {
			return ids
		}
	}
}

// R8: the history survives kill -9 but for the last batch, and is read with and
// without a server. The calls of a macro are below it.
func TestR8_HistorySurvivesKill(t *testing.T) {
	t.Parallel()
	dir, env := recordsDir(t, recordsBundle)
	flags := []string{"--no-auth", "--offer", "*", "--permission", "bypass", "--mode", "direct"}
	s := startServeIn(t, dir, env, flags...)
	const calls = 40
	for i := range calls {
		if r := s.post("text__case", fmt.Sprintf("call_%d", i), `{"text":"a","to":"upper"}`); r.status != http.StatusOK {
			t.Fatal(r)
		}
	}
	if r := s.post("twice", "call_macro", `{}`); r.status != http.StatusOK || !strings.Contains(r.body, "TWO") {
		t.Fatal(r)
	}
	waitFor(t, "for the records", func() bool { return len(s.history("")) == calls+3 })
	s.post("text__case", "call_last", `{"text":"a","to":"upper"}`) // may be lost
	s.kill()
	if out := s.run("logs", "-n", "1000"); strings.Count(out, "text__case") < calls+2 || !strings.Contains(out, "call_macro") {
		t.Errorf("gongu logs without a server:\n%s", out)
	}
	s = startServeIn(t, dir, env, flags...)
	got := s.history("&principal=anonymous")
	if len(got) != calls+3 && len(got) != calls+4 {
		t.Errorf("%d calls: %v", len(got), got)
	}
	for i := range calls {
		if !strings.Contains(" "+strings.Join(got, " ")+" ", fmt.Sprintf(" call_%d ", i)) {
			t.Errorf("call_%d is lost", i)
		}
	}
	user := s.user(false)
	defer user.http.CloseIdleConnections()
	var macro struct {
		Tool  string
		Calls []struct {
			Tool              string
			Arguments, Result map[string]any
		}
	}
	if r := user.get("/api/v1/calls/call_macro"); json.Unmarshal([]byte(r.body), &macro) != nil || len(macro.Calls) != 2 ||
		macro.Calls[0].Arguments["text"] != "one" || macro.Calls[1].Result["result"] != "TWO" {
		t.Errorf("the macro: %s", r)
	}
	if out := s.run("logs", "--call", "call_macro"); strings.Count(out, "text__case") != 2 || !strings.Contains(out, `"text":"one"`) {
		t.Errorf("gongu logs --call:\n%s", out)
	}
}

// follower reads events across connections, as a browser does.
type follower struct {
	t     *testing.T
	token string
	last  string
	seen  []string
}

// follow reads events until so many came or the stream ends.
func (f *follower) follow(url string, most int, done func(kind, data string) bool) {
	ctx, cancel := context.WithTimeout(f.t.Context(), serveDeadline)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/events", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Last-Event-ID", f.last)
	if f.token != "" {
		r.Header.Set("Authorization", "Bearer "+f.token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return // the server is being started again
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		f.t.Errorf("events after %s: %s", f.last, response.Status)
		return
	}
	id, kind := "", ""
	for lines := bufio.NewScanner(response.Body); most > 0 && lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "event":
			kind = value
		case "data":
			f.last, most = id, most-1
			f.seen = append(f.seen, id)
			if done != nil && done(kind, value) {
				return
			}
		}
	}
}

// Events go on after a cut at any place and after a restart, without a gap and
// without a duplicate (R4: their numbers have no gaps).
func TestR4_EventsResume(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("GONGU_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("GONGU_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir, env := recordsDir(t, recordsBundle)
	flags := []string{"--no-auth", "--offer", "*", "--permission", "bypass", "--mode", "direct"}
	f := &follower{t: t, last: "0"}
	rounds := 4
	if os.Getenv("GONGU_CHAOS") != "" {
		rounds = 40
	}
	for round := range rounds {
		s := startServeIn(t, dir, env, flags...)
		calls := 10 + random.IntN(30)
		made := make(chan bool)
		go func() {
			defer close(made)
			for i := range calls {
				s.post("text__case", fmt.Sprintf("call_%d_%d", round, i), `{"text":"a","to":"upper"}`)
			}
		}()
		for range 3 {
			f.follow(s.url, 1+random.IntN(calls/3), nil) // and cut off
		}
		<-made
		if random.IntN(2) == 0 {
			s.kill()
		} else {
			s.stop()
		}
	}
	s := startServeIn(t, dir, env, flags...)
	s.post("text__case", "call_end", `{"text":"a","to":"upper"}`)
	f.follow(s.url, 1<<20, func(_, data string) bool { return strings.Contains(data, "call_end") })
	for i, id := range f.seen {
		if id != strconv.Itoa(i+1) {
			t.Fatalf("event %d has the id %s: %v", i, id, f.seen)
		}
	}
	if len(f.seen) < 10*rounds {
		t.Errorf("only %d events", len(f.seen))
	}
}

// Hosts that share a PostgreSQL store see each other's calls and events.
func TestR1_EventsOfAnotherHost(t *testing.T) {
	t.Parallel()
	store := pgtest.URL(t)
	harmless, _, _ := strings.Cut(recordsBundle, "---") // needs no consent, which would be a row of the store
	flags := []string{"--no-auth", "--offer", "*", "--permission", "bypass", "--mode", "direct", "--store", store}
	dir, env := recordsDir(t, harmless)
	here := startServeIn(t, dir, env, flags...)
	dir, env = recordsDir(t, harmless)
	there := startServeIn(t, dir, env, flags...)
	go there.post("text__case", "call_there", `{"text":"a","to":"upper"}`)
	f := &follower{t: t, last: "0"}
	found := false
	f.follow(here.url, 1000, func(kind, data string) bool {
		found = found || kind == "call" && strings.Contains(data, "call_there")
		return found
	})
	if !found {
		t.Errorf("events: %v", f.seen)
	}
	if got := here.history(""); len(got) != 1 || got[0] != "call_there" {
		t.Errorf("history: %v", got)
	}
}

// What is not a call is an event of the same sequence: a requested tool, a decision
// of another process, a source that fails, a change of the bundle.
func TestEventsOfChanges(t *testing.T) {
	t.Parallel()
	dir, env := recordsDir(t, recordsBundle+"---\n"+httpServer("gone", "http://127.0.0.1:1/mcp", ""))
	s := startServeIn(t, dir, env, "--no-auth", "--offer", "*", "--permission", "bypass", "--mode", "direct")
	if r := s.post("request_tool", "call_request", `{"name":"draw_arc","description":"Draws an arc.","suggested_params":[]}`); !strings.Contains(r.body, "req_001") {
		t.Fatal(r)
	}
	s.decide("requests", "reject", "req_001", "--reason", "use draw_line")
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(strings.ReplaceAll(recordsBundle, "one", "uno")), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{
		"request request.added": true, "request request.rejected": true, "source source.failed": true, "reload reload.": true, "call ": true,
	}
	f := &follower{t: t, last: "0"}
	f.follow(s.url, 1000, func(kind, data string) bool {
		var e struct{ Action, By, Subject string }
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Error(err)
		}
		if e.Action == "request.rejected" && (e.By == "" || e.Subject != "req_001 draw_arc") {
			t.Errorf("got %s", data)
		}
		if kind == "reload" {
			e.Action = "reload."
		}
		delete(missing, kind+" "+e.Action)
		return len(missing) == 0
	})
	if len(missing) > 0 {
		t.Errorf("no %v", missing)
	}
	if out := s.run("logs"); !strings.Contains(out, "request.rejected req_001 draw_arc") || !strings.Contains(out, "source.failed McpServer/gone") {
		t.Errorf("gongu logs:\n%s", out)
	}
}
