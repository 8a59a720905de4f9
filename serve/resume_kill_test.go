package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/pgtest"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/state"
)

// resumeChild has the URL of the store for a child process.
const resumeChild = "GONGU_TEST_RESUME_CHILD"

// appending is a tool that adds a line to a file each time it runs.
func appending(file string) gongu.Tool {
	return tool("write", func(context.Context, json.RawMessage) gongu.Result {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return gongu.Fail(err)
		}
		defer f.Close()
		time.Sleep(time.Millisecond)
		_, err = f.WriteString("ran\n")
		time.Sleep(time.Millisecond)
		if err != nil {
			return gongu.Fail(err)
		}
		return says("written")
	})
}

// resumeUntilKilled is a host that has a call suspended, and resumes it. It
// prints the state when the call is suspended. Its lease is short, so that the
// test need not wait long for its end.
func resumeUntilKilled(url, file string) {
	t := &childT{}
	store, err := state.Open(context.Background(), url, &state.Options{Lease: 300 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	s, err := serve.New(serve.Options{Backend: guarded(t, suspending("write"), appending(file)), Pending: store, Logger: quiet})
	if err != nil {
		panic(err)
	}
	c := &client{t: t, url: "http://child/mcp", http: &http.Client{Transport: handlerTransport{s.MCP()}}}
	_, body := c.modern("tools/call", killedParams, ableElicit)
	found := statePattern.FindStringSubmatch(body)
	if found == nil {
		panic(body)
	}
	fmt.Println(found[1])
	_, body = comesBack(c, killedParams, found[1], accept)
	fmt.Println(body)
	select {} // until it is killed
}

const killedParams = `"name":"write","arguments":{"a":1}`

// childT is the testing.TB of a child process.
type childT struct{ testing.TB }

func (*childT) Helper()                      {}
func (*childT) Fatal(args ...any)            { panic(fmt.Sprint(args...)) }
func (*childT) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }

// handlerTransport answers requests of the principal p with a handler.
type handlerTransport struct{ h http.Handler }

func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	t.h.ServeHTTP(w, r.WithContext(gongu.WithPrincipal(r.Context(), &gongu.Principal{Name: "p"})))
	return w.Result(), nil
}

// H20: a resumed call runs once. A host is killed between the suspension and the
// result; its client comes back to another host, and gets the result of the one
// run, or that its outcome is unknown, and the same again afterwards. A sample;
// a thousand with GONGU_CHAOS.
func TestH20_KilledBetweenSuspendAndResult(t *testing.T) {
	for engine, test := range map[string]struct {
		url   func(t *testing.T) string
		tries int
	}{
		"sqlite":   {func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "state.db") }, 40},
		"postgres": {func(t *testing.T) string { return pgtest.URL(t) }, 10},
	} {
		t.Run(engine, func(t *testing.T) {
			tries := test.tries
			switch {
			case os.Getenv("GONGU_CHAOS") != "":
				tries *= 25
			case raceDetector:
				tries /= 10 // make heavy runs the sample
			}
			url, seen := test.url(t), map[string]int{}
			store := openStore(t, url)
			random := rand.New(rand.NewPCG(10, 16))
			for range tries {
				seen[killOne(t, store, url, time.Duration(random.IntN(12000))*time.Microsecond)]++
			}
			t.Logf("%v", seen)
		})
	}
}

// killOne kills a host some time after it has suspended a call, and returns how
// the call ended at another host.
func killOne(t *testing.T, store *state.Store, url string, after time.Duration) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runs")
	child := exec.Command(os.Args[0], file)
	child.Env = append(os.Environ(), resumeChild+"="+url)
	var trouble bytes.Buffer
	child.Stderr = &trouble
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	signed, err := lines.ReadString('\n')
	time.Sleep(after)
	_ = child.Process.Kill() // it may have ended, which the next line tells
	rest, _ := io.ReadAll(lines)
	_ = child.Wait() // it was killed
	if err != nil {
		t.Fatalf("the child failed: %v\n%s", err, trouble.String())
	}
	s := newServer(t, serve.Options{Backend: guarded(t, suspending("write"), appending(file)), Pending: store})
	c := &client{t: t, url: "http://parent/mcp", http: &http.Client{Transport: handlerTransport{s.MCP()}}}
	var bodies [2]string
	for i := range bodies {
		_, bodies[i] = comesBack(c, killedParams, strings.TrimSpace(signed), accept)
	}
	raw, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	runs := strings.Count(string(raw), "ran")
	outcome := "unknown"
	switch {
	case strings.Contains(bodies[0], "written"):
		outcome = "done"
	case !strings.Contains(bodies[0], gongu.CodeOutcomeUnknown):
		t.Errorf("after %v: %s", after, bodies[0])
	}
	if runs > 1 || outcome == "done" && runs != 1 || bodies[0] != bodies[1] {
		t.Errorf("after %v: %s with %d runs, then %s", after, bodies[0], runs, bodies[1])
	}
	if answered := strings.TrimSpace(string(rest)); answered != "" && answered != bodies[0] {
		t.Errorf("after %v: the first host answered %s, the second %s", after, answered, bodies[0])
	}
	return fmt.Sprintf("%s, %d runs", outcome, runs)
}
