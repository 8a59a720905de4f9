//go:build linux

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

// holding serves with a call under way in each era, and says how they end.
func holding(t *testing.T, grace time.Duration) (s *served, release string, ended map[bool]chan *reply) {
	t.Helper()
	u := &testUpstream{modern: true}
	s = serveBundle(t, httpServer("up", u.listen(t), ""), "--grace", grace.String())
	release = filepath.Join(t.TempDir(), "release")
	ended = map[bool]chan *reply{}
	for _, modern := range []bool{false, true} {
		done, client := make(chan *reply, 1), s.user(modern)
		ended[modern] = done
		go func() {
			done <- client.call(t.Context(), `"held"`, "up__hold", fmt.Sprintf(`{"text":"released","file":%q}`, release))
		}()
	}
	waitFor(t, "for the calls to run", func() bool { return u.count("hold") == 2 })
	return s, release, ended
}

func (s *served) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// gone waits until the program has ended by itself.
func (s *served) gone() {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(serveDeadline):
		s.t.Fatal("gongu serve did not end")
	}
}

// TestServeDrain: after SIGTERM running calls finish and new ones are refused.
func TestServeDrain(t *testing.T) {
	t.Parallel()
	s, release, ended := holding(t, serveDeadline)
	sessions := s.user(false)
	if r := sessions.begin(t.Context()); r.err != nil {
		t.Fatal(r)
	}
	s.signal(syscall.SIGTERM)
	for _, client := range []*mcpUser{s.user(true), sessions} {
		waitFor(t, "for new calls to be refused", func() bool {
			r := client.call(t.Context(), "1", "up__echo", `{"text":"late"}`)
			if r.err != nil {
				t.Fatalf("a new call while others run: %v", r)
			}
			return r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != "" && strings.Contains(r.body, "shutting down")
		})
	}
	if r := sessions.get("/readyz"); r.status != http.StatusServiceUnavailable {
		t.Errorf("readyz: %v", r)
	}
	if r := sessions.get("/healthz"); r.status != http.StatusOK {
		t.Errorf("healthz: %v", r)
	}
	for modern, done := range ended {
		select {
		case r := <-done:
			t.Errorf("modern %t: ended while it was held: %v", modern, r)
		default:
		}
	}
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for modern, done := range ended {
		if r := <-done; !r.ok("released") || r.id != `"held"` {
			t.Errorf("modern %t: %v", modern, r)
		}
	}
	s.gone()
	s.stop() // wants the status 0
}

// TestServeGraceEnds: a call that is longer than the grace is answered that it
// was cancelled; its connection is not torn.
func TestServeGraceEnds(t *testing.T) {
	t.Parallel()
	const grace = 300 * time.Millisecond
	s, _, ended := holding(t, grace)
	began := time.Now()
	s.signal(syscall.SIGTERM)
	for modern, done := range ended {
		r := <-done
		if r.err != nil || r.id != `"held"` || r.status != http.StatusOK || !r.isError || r.code != gongu.CodeCancelled {
			t.Errorf("modern %t: %v", modern, r)
		}
	}
	s.gone()
	if took := time.Since(began); took < grace {
		t.Errorf("ended after %s, before the grace of %s was over", took, grace)
	}
	s.stop() // wants the status 0
	if !strings.Contains(s.stderr.String(), "cancelling the calls that still run") {
		t.Error("the log does not report the cancelled calls")
	}
}

// TestServeSecondSignal: who asks twice does not want to wait.
func TestServeSecondSignal(t *testing.T) {
	t.Parallel()
	s, _, ended := holding(t, time.Hour)
	s.signal(syscall.SIGTERM)
	waitFor(t, "for new calls to be refused", func() bool {
		return s.user(true).call(t.Context(), "1", "up__echo", `{"text":"late"}`).status == http.StatusServiceUnavailable
	})
	s.signal(syscall.SIGTERM)
	for modern, done := range ended {
		if r := <-done; r.err == nil {
			t.Errorf("modern %t: %v", modern, r)
		}
	}
	s.gone()
	status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("ended with %s", s.cmd.ProcessState)
	}
	s.ending.Do(func() {}) // stop has nothing left to do
}
