//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/pgtest"
)

const askedYAML = `apiVersion: gongu/v1
kind: Tool
metadata: {name: mail}
spec:
  entry: mail.js
  exports: [{name: send, description: Sends, parameters: {type: object}}]
`

// screen is the terminal of a program: what it shows, and what is typed.
type screen struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	done chan struct{}

	mu   sync.Mutex
	text string
	// read is how much of the text has been waited for.
	read int
}

// atScreen starts a program with a controlling terminal, at which it also prints.
func atScreen(t *testing.T, cmd *exec.Cmd) *screen {
	t.Helper()
	pty, tty, err := openPTY()
	if err != nil {
		t.Fatal(err)
	}
	controlledBy(cmd, tty)
	cmd.Stdout, cmd.Stderr = tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close() // the child has its own
	s := &screen{t: t, cmd: cmd, pty: pty, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		buf := make([]byte, 4096)
		for {
			n, err := pty.Read(buf)
			s.mu.Lock()
			s.text += strings.ReplaceAll(string(buf[:n]), "\r", "")
			s.mu.Unlock()
			if err != nil {
				return // the last process closed the terminal
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // likewise
		<-s.done
		_ = pty.Close()
	})
	return s
}

func (s *screen) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// await waits for a text after those that were waited for before.
func (s *screen) await(text string) {
	s.t.Helper()
	waitFor(s.t, "for "+text, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		i := strings.Index(s.text[s.read:], text)
		if i < 0 {
			select {
			case <-s.done:
				s.t.Fatalf("ended without %q:\n%s", text, s.text)
			default:
			}
			return false
		}
		s.read += i + len(text)
		return true
	})
}

func (s *screen) enter(line string) {
	s.t.Helper()
	if _, err := s.pty.WriteString(line); err != nil {
		s.t.Fatal(err)
	}
}

// askedHost is a bundle with one tool, about which gongu asks.
type askedHost struct {
	t   *testing.T
	dir string
	env []string
}

func newAskedHost(t *testing.T, store string) *askedHost {
	t.Helper()
	h := newStoreHost(t, store, askedYAML)
	h.write("mail.js", "export const handlers = { send: async (ctx, input) => ({ sent: input }) };")
	a := &askedHost{t: t, dir: h.dir, env: append(h.env, "NO_COLOR=1")}
	if shown, err := asPerson(a.command("trust"), "y"); err != nil {
		t.Fatal(err, shown)
	}
	return a
}

func (h *askedHost) command(args ...string) *exec.Cmd {
	cmd := exec.Command("gongu", append(args, "-b", h.dir)...)
	cmd.Env = h.env
	return cmd
}

// start runs a command without a terminal, and returns its output when it ends.
func (h *askedHost) start(args ...string) <-chan string {
	h.t.Helper()
	cmd := h.command(args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	ended := make(chan string, 1)
	go func() {
		_ = cmd.Wait() // the output tells
		ended <- out.String()
	}()
	h.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	return ended
}

func (h *askedHost) run(args ...string) string {
	h.t.Helper()
	select {
	case out := <-h.start(args...):
		return out
	case <-time.After(serveDeadline):
		h.t.Fatalf("gongu %s did not end", strings.Join(args, " "))
		return ""
	}
}

var approvalID = regexp.MustCompile(`ap-[a-z0-9]+`)

// P7, P3: while gongu approvals watch runs at a terminal, calls wait, and their
// questions are answered there one after the other. A question that is answered
// elsewhere is withdrawn, with who did.
func TestP7_Watch(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			store := ""
			if engine == "postgres" {
				store = pgtest.URL(t)
			}
			watchAnswers(t, newAskedHost(t, store))
		})
	}
}

func watchAnswers(t *testing.T, h *askedHost) {
	watch := atScreen(t, h.command("approvals", "watch"))
	watch.await("Questions appear here")
	// The first call is denied until the person counts as present.
	waitFor(t, "for a call that waits", func() bool {
		call := h.start("call", "mail__send", `{"to":"first"}`)
		select {
		case out := <-call:
			if !strings.Contains(out, "E_TOOL_DENIED") {
				t.Fatal(out)
			}
			return false
		case <-waitsShown(watch, `to: first`):
			watch.await("to: first")
			watch.await("[y/n/e/r/s/a/?] ")
			watch.enter("y\n")
			if out := <-call; !strings.Contains(out, `"first"`) {
				t.Fatalf("%s\n%s", out, watch.shown())
			}
			return true
		}
	})
	watch.await("approved ap-")
	// Two questions are asked one after the other.
	second, third := h.start("call", "mail__send", `{"to":"second"}`), h.start("call", "mail__send", `{"to":"third"}`)
	watch.await("[y/n/e/r/s/a/?] ")
	watch.enter("n busy\n")
	watch.await("declined ap-")
	watch.await("[y/n/e/r/s/a/?] ")
	watch.enter("n busy\n")
	for _, ended := range []<-chan string{second, third} {
		if out := <-ended; !strings.Contains(out, "E_TOOL_REJECTED") || !strings.Contains(out, "busy") {
			t.Fatalf("%s\n%s", out, watch.shown())
		}
	}
	watch.await("declined ap-")
	// Decided elsewhere: withdrawn here.
	fourth := h.start("call", "mail__send", `{"to":"fourth"}`)
	watch.await("[y/n/e/r/s/a/?] ")
	id := approvalID.FindString(h.run("approvals", "list"))
	if shown, err := asPerson(h.command("approvals", "approve", id), "y"); err != nil {
		t.Fatal(err, shown)
	}
	watch.await("The question is over: ")
	watch.await("(terminal)")
	if out := <-fourth; !strings.Contains(out, `"fourth"`) {
		t.Fatal(out)
	}
	// A skipped question stays open, and Ctrl-C ends the watch.
	fifth := h.start("call", "mail__send", `{"to":"fifth"}`)
	watch.await("[y/n/e/r/s/a/?] ")
	watch.enter("s\n")
	if list := h.run("approvals", "list"); !strings.Contains(list, "fifth") {
		t.Errorf("skipped, and not listed: %s", list)
	}
	watch.enter("\x03")
	<-watch.done
	if err := watch.cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v\n%s", err, watch.shown())
	}
	id = approvalID.FindString(h.run("approvals", "list"))
	if _, err := asPerson(h.command("approvals", "deny", id), "y"); err != nil {
		t.Fatal(err)
	}
	if out := <-fifth; !strings.Contains(out, "E_TOOL_REJECTED") {
		t.Fatal(out)
	}
}

// waitsShown is closed when a screen shows a text.
func waitsShown(s *screen, text string) <-chan struct{} {
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		for !strings.Contains(s.shown(), text) {
			select {
			case <-s.done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return shown
}

// P3, P7: without a terminal gongu approvals watch prints a line for each question,
// and no one counts as present: calls are denied at once.
func TestP7_WatchWithoutTerminal(t *testing.T) {
	t.Parallel()
	h := newAskedHost(t, "")
	denied := h.run("call", "mail__send", `{"to":"a"}`)
	id := approvalID.FindString(denied)
	cmd := h.command("approvals", "watch")
	out := &said{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "for the line", func() bool { return strings.Contains(out.String(), id+" mail__send ") })
	if again := h.run("call", "mail__send", `{"to":"b"}`); !strings.Contains(again, "E_TOOL_DENIED") {
		t.Errorf("a watch without a terminal counts as a person: %s", again)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
