package policy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// presence is a store that only counts who was seen.
type presence struct {
	policy.ApprovalStore
	seen chan string
}

func (p *presence) SeePerson(_ context.Context, kind, name string) error {
	p.seen <- kind + " " + name
	return nil
}

func (p *presence) await(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-p.seen:
		if got != want {
			t.Fatalf("%q was seen, want %q", got, want)
		}
	case <-time.After(time.Minute):
		t.Fatal("no person was seen")
	}
}

// logLines collects what is logged.
type logLines struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func newLogLines() *logLines { return &logLines{more: make(chan struct{}, 1000)} }

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.more <- struct{}{}
	return l.text.Write(p)
}

func (l *logLines) await(t *testing.T, want string) {
	t.Helper()
	select {
	case <-l.more:
	case <-time.After(time.Minute):
		t.Fatalf("nothing was logged, want %q", want)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !strings.Contains(l.text.String(), want) {
		t.Fatalf("no %q in %s", want, l.text.String())
	}
}

func newNotifier(t *testing.T, o policy.NotifierOptions, targets ...policy.Notify) (*policy.Notifier, *presence, *logLines) {
	t.Helper()
	p, lines := &presence{seen: make(chan string, 100)}, newLogLines()
	o.Store, o.Targets, o.Logger = p, func() []policy.Notify { return targets }, slog.New(slog.NewTextHandler(lines, nil))
	o.URL = func(id string) string { return "https://gongu.example.com/approvals/" + id }
	n, err := policy.NewNotifier(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n, p, lines
}

func waiting(id string) *state.Approval {
	return &state.Approval{
		ID: id, State: state.ApprovalPending, Tool: "file-system__write", Agent: "editor", Principal: "laptop",
		Calls: []state.ApprovalCall{{Tool: "file-system__write", Args: []byte(`{"text":"the argument"}`)}},
	}
}

const notice = `{"approval":"a1","tool":"file-system__write","agent":"editor","link":"https://gongu.example.com/approvals/a1"}` + "\n"

// P12: a program gets tool, agent and link on its standard input, without a
// shell and without the arguments, once for each approval; then a person counts
// as seen.
func TestP12_NotifyCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell") //rules:skip the programs of the test are shell scripts
	}
	dir := t.TempDir()
	t.Setenv("GONGU_TEST_SECRET", "hidden")
	script := filepath.Join(dir, "tell me; $(touch x)")
	text := "#!/bin/sh\ncat >>'" + dir + "/got'\nprintf '%s %s|' \"$1\" \"$GONGU_TEST_SECRET\" >>'" + dir + "/words'\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	n, people, _ := newNotifier(t, policy.NotifierOptions{}, policy.Notify{Command: []string{script, "$HOME `id`"}})
	n.Opened(t.Context(), waiting("a1"))
	people.await(t, "notifier command")
	n.Opened(t.Context(), waiting("a1")) // joined by another call
	n.Opened(t.Context(), waiting("a2"))
	people.await(t, "notifier command")
	n.Close()
	got, err := os.ReadFile(filepath.Join(dir, "got"))
	if err != nil || string(got) != notice+strings.ReplaceAll(notice, "a1", "a2") {
		t.Errorf("the program got %q, %v", got, err)
	}
	if words, err := os.ReadFile(filepath.Join(dir, "words")); err != nil || string(words) != strings.Repeat("$HOME `id` |", 2) {
		t.Errorf("its arguments and environment: %q, %v", words, err)
	}
}

// P12: a webhook gets the same, and is tried twice.
func TestP12_NotifyWebhook(t *testing.T) {
	var requests atomic.Int32
	bodies := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		bodies <- r.Method + " " + r.Header.Get("Content-Type") + " " + string(raw)
		if requests.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer hook.Close()
	n, people, _ := newNotifier(t, policy.NotifierOptions{AllowPrivate: []string{hook.Listener.Addr().String()}, Retry: time.Millisecond},
		policy.Notify{Webhook: hook.URL + "/secret-path"})
	n.Opened(t.Context(), waiting("a1"))
	people.await(t, "notifier webhook")
	for range 2 {
		if got := <-bodies; got != "POST application/json "+notice {
			t.Errorf("the webhook got %q", got)
		}
	}
	n.Close()
	if requests.Load() != 2 {
		t.Errorf("%d requests", requests.Load())
	}
}

// What fails is logged, without the address of a webhook, and no person counts
// as seen. It never delays the call.
func TestP12_NotifyFailures(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell") //rules:skip the programs of the test are shell scripts
	}
	var requests atomic.Int32
	stop := make(chan struct{})
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
		case "/slow":
			<-stop
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer hook.Close()
	defer close(stop)
	allowed := []string{hook.Listener.Addr().String()}
	for _, tc := range []struct {
		name, want string
		opts       policy.NotifierOptions
		target     policy.Notify
		requests   int32
	}{
		{"no program", "no-such-program", policy.NotifierOptions{}, policy.Notify{Command: []string{"no-such-program-of-gongu"}}, 0},
		{"a failure", `ended with 3: \"sorry`, policy.NotifierOptions{}, policy.Notify{Command: []string{"/bin/sh", "-c", "echo sorry >&2; exit 3"}}, 0},
		{"a program that hangs", "did not end within", policy.NotifierOptions{Timeout: 50 * time.Millisecond}, policy.Notify{Command: []string{"/bin/sh", "-c", "sleep 600"}}, 0},
		{"refused", "answered 403", policy.NotifierOptions{AllowPrivate: allowed}, policy.Notify{Webhook: hook.URL + "/secret"}, 1},
		{"a private address", "not a public address", policy.NotifierOptions{}, policy.Notify{Webhook: hook.URL + "/secret"}, 0},
		{"another origin", "redirects to", policy.NotifierOptions{AllowPrivate: allowed}, policy.Notify{Webhook: hook.URL + "/moved"}, 2},
		{"a server that hangs", "deadline exceeded", policy.NotifierOptions{AllowPrivate: allowed, Timeout: 50 * time.Millisecond}, policy.Notify{Webhook: hook.URL + "/slow"}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			requests.Store(0)
			tc.opts.Retry = time.Millisecond
			n, people, lines := newNotifier(t, tc.opts, tc.target)
			n.Opened(t.Context(), waiting("a1"))
			lines.await(t, tc.want)
			n.Close()
			if len(people.seen) > 0 || strings.Contains(lines.text.String(), "/secret") {
				t.Errorf("%d were seen; %s", len(people.seen), lines.text.String())
			}
			if requests.Load() != tc.requests {
				t.Errorf("%d requests, want %d", requests.Load(), tc.requests)
			}
		})
	}
}

// A flood of approvals does not become a flood of notifications.
func TestP12_NotifyLimits(t *testing.T) {
	got := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n policy.Notice
		if json.NewDecoder(r.Body).Decode(&n) == nil {
			got <- n.Approval
		}
	}))
	defer hook.Close()
	n, people, lines := newNotifier(t, policy.NotifierOptions{AllowPrivate: []string{"127.0.0.1"}, PerMinute: 3}, policy.Notify{Webhook: hook.URL})
	for i := range 50 {
		n.Opened(t.Context(), waiting(fmt.Sprint("a", i)))
	}
	for range 3 {
		people.await(t, "notifier webhook")
	}
	lines.await(t, "too many were sent")
	n.Close()
	n.Opened(t.Context(), waiting("late"))
	if len(got) != 3 {
		t.Errorf("%d notifications", len(got))
	}
}

func TestNewNotifierRefuses(t *testing.T) {
	if _, err := policy.NewNotifier(policy.NotifierOptions{}); err == nil {
		t.Error("no targets")
	}
	if _, err := policy.NewNotifier(policy.NotifierOptions{Targets: func() []policy.Notify { return nil }, Store: &presence{}, AllowPrivate: []string{"*"}}); err == nil {
		t.Error("a wildcard")
	}
}
