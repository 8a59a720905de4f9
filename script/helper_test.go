package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

// childMode names the test that this process was started for, by again.
const childMode = "GONGU_SCRIPT_TEST"

// childWord makes this program a child that runs scripts, as Options.Child.
const childWord = "gongu-script-child"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == childWord {
		if err := script.ChildMain(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(childMode) != "" {
		os.Exit(m.Run()) // it may leave what burns a core
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(builtDir()) // below the folder for such things
		os.Exit(code)
	}))
}

// again runs a test in a process of its own, without the race detector. It
// says whether this is that process.
func again(t *testing.T) bool {
	t.Helper()
	if os.Getenv(childMode) == t.Name() {
		return true
	}
	program := os.Args[0]
	if raceDetector {
		var err error
		if program, err = withoutDetector(); err != nil {
			t.Fatal(err)
		}
	}
	child := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v")
	child.Env = append(os.Environ(), childMode+"="+t.Name())
	out, err := child.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	return false
}

// withoutDetector builds these tests without the race detector, once for all
// that again runs, and returns the program.
var withoutDetector = sync.OnceValues(func() (string, error) {
	program := filepath.Join(builtDir(), "script.test")
	if out, err := exec.Command("go", "test", "-c", "-o", program, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the tests without the race detector: %w\n%s", err, out)
	}
	return program, nil
})

// builtDir is where withoutDetector builds; TestMain removes it.
func builtDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprint("gongu-script-test-", os.Getpid()))
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// newEngine is an engine with a working directory of its own, closed with the
// test.
func newEngine(tb testing.TB, opts script.Options) *script.Engine {
	tb.Helper()
	if opts.Workdir == "" {
		opts.Workdir = tb.TempDir()
	}
	if opts.Logger == nil {
		opts.Logger = quiet()
	}
	e := script.NewEngine(&opts)
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	return e
}

// tree writes files and returns their folder.
func tree(tb testing.TB, files map[string]string) string {
	tb.Helper()
	root := tb.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return root
}

// load makes a module of one file.
func load(tb testing.TB, e *script.Engine, source string) *script.Module {
	tb.Helper()
	m, err := e.Load(tb.Context(), tree(tb, map[string]string{"index.ts": source}), "index.ts")
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// handler makes a module with one handler, run.
func handler(tb testing.TB, e *script.Engine, body string) *script.Module {
	tb.Helper()
	return load(tb, e, "export const handlers = { run: "+body+" };")
}

func call(ctx context.Context, m *script.Module, export, args string) gongu.Result {
	invoke, err := m.Invoke(export)
	if err != nil {
		return gongu.Fail(err)
	}
	return invoke(ctx, gongu.Call{ID: "call_1", Name: "x__" + export, Args: json.RawMessage(args)})
}

// output is the output of a call that must work.
func output(tb testing.TB, m *script.Module, export, args string) string {
	tb.Helper()
	r := call(tb.Context(), m, export, args)
	if r.Failed() {
		tb.Fatalf("%s: %+v", export, r.Error)
	}
	if !json.Valid(r.Output) {
		tb.Fatalf("%s: not JSON: %s", export, r.Output)
	}
	return string(r.Output)
}

// evaluate runs the body of an async function and returns what it gives.
func evaluate(tb testing.TB, e *script.Engine, body string) string {
	tb.Helper()
	m := handler(tb, e, "async (ctx, input) => {"+body+"}")
	defer m.Close()
	return output(tb, m, "run", `{}`)
}

// failure is the error of a call that must fail.
func failure(tb testing.TB, m *script.Module, export, args string) *gongu.Error {
	tb.Helper()
	r := call(tb.Context(), m, export, args)
	if !r.Failed() {
		tb.Fatalf("%s worked: %s", export, r.Output)
	}
	return r.Error
}

func wantText(tb testing.TB, got, want string) {
	tb.Helper()
	if got != want {
		tb.Errorf("got  %s\nwant %s", got, want)
	}
}

func wantPart(tb testing.TB, text string, parts ...string) {
	tb.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			tb.Errorf("%q is not in %q", part, text)
		}
	}
}

func isLoadError(err error) (*script.LoadError, bool) { return errors.AsType[*script.LoadError](err) }

// withLogger is a context whose calls log there.
func withLogger(tb testing.TB, logger *slog.Logger) context.Context {
	tb.Helper()
	ctx, err := gongu.WithContext(tb.Context(), gongu.Context{AgentName: "a", InstanceKey: "i", TurnID: "t", TraceID: strings.Repeat("0", 32), Logger: logger})
	if err != nil {
		tb.Fatal(err)
	}
	return ctx
}

// notify is a logger that tells of each line.
func notify(lines chan<- struct{}) *slog.Logger { return slog.New(telling{slog.DiscardHandler, lines}) }

type telling struct {
	slog.Handler
	lines chan<- struct{}
}

func (telling) Enabled(context.Context, slog.Level) bool { return true }

func (h telling) Handle(context.Context, slog.Record) error {
	h.lines <- struct{}{}
	return nil
}

// watch measures how long something takes, less the time in which this process
// was kept from running: a busy machine is not the engine's fault.
type watch struct {
	began   time.Time
	end     chan struct{}
	stalled chan time.Duration
}

func startWatch() *watch {
	w := &watch{began: time.Now(), end: make(chan struct{}), stalled: make(chan time.Duration, 1)}
	go func() {
		const step = 10 * time.Millisecond
		ticker := time.NewTicker(step)
		defer ticker.Stop()
		var stalled time.Duration
		for last := time.Now(); ; {
			select {
			case <-w.end:
				w.stalled <- stalled
				return
			case <-ticker.C:
				now := time.Now()
				if gap := now.Sub(last); gap > 2*step {
					stalled += gap - step
				}
				last = now
			}
		}
	}()
	return w
}

// stop ends the measurement.
func (w *watch) stop() time.Duration {
	took := time.Since(w.began)
	close(w.end)
	return took - <-w.stalled
}

// calm tries something that must be done within some time, and again when it
// was not: the best of three shows what a busy machine hides. The last try
// complains.
func calm(t *testing.T, try func(complain func(format string, args ...any))) {
	t.Helper()
	const tries = 3
	for i := range tries {
		complaints := 0
		try(func(format string, args ...any) {
			t.Helper()
			complaints++
			if i == tries-1 {
				t.Errorf(format, args...)
			} else {
				t.Logf("once more: "+format, args...)
			}
		})
		if complaints == 0 {
			return
		}
	}
}
