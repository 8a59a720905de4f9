package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/script"
)

// TestT1_Limits: time, memory, stack, output and work in flight.
func TestT1_Limits(t *testing.T) {
	limits := script.Options{Timeout: time.Minute, Memory: 8 << 20, Stack: 200, MaxOutput: 1000, MaxInFlight: 3}
	e := newEngine(t, limits)
	limits.Timeout = 500 * time.Millisecond
	hasty := newEngine(t, limits) // the other limits must be met before the time is up
	for name, tc := range map[string]struct {
		body, code, part string
		discarded        int64
	}{
		"time":       {"await Bun.sleep(1e6)", gongu.CodeTimeout, "within 500ms", 1},
		"memory":     {"const a = []; for (;;) a.push(new Uint8Array(1 << 16));", gongu.CodeTool, "more than 8388608 bytes", 1},
		"stack":      {"const f = (n) => n + f(n + 1); f(0)", "", "stack overflow", 1},
		"output":     {"return 'x'.repeat(2000)", gongu.CodeOutputTooLarge, "2002 bytes, at most 1000", 0},
		"operations": {"await Promise.all([1, 2, 3, 4].map(() => fetch('http://x.test')))", "ERR_TOO_MANY_OPERATIONS", "3 operations", 0},
		"timers":     {"for (;;) setTimeout(() => {}, 1e6)", "ERR_TOO_MANY_TIMERS", "1000 timers", 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := e
			if tc.code == gongu.CodeTimeout {
				e = hasty
			}
			m := load(t, e, "export const handlers = { run: async () => {"+tc.body+"}, next: () => 1 };")
			err := failure(t, m, "run", `{}`)
			if err.Code != tc.code {
				t.Errorf("%+v", err)
			}
			wantPart(t, err.Message, tc.part)
			if s := m.Stats(); s.Discarded != tc.discarded {
				t.Errorf("%+v", s)
			}
			wantText(t, output(t, m, "next", `{}`), `1`)
		})
	}
}

// TestContextEnds: the caller's own limit and its cancel end a call, the script
// hears of it, and programs end with it.
func TestContextEnds(t *testing.T) {
	if !proc.Groups {
		t.Skip("no shell") //rules:skip Windows has no process groups
	}
	work := t.TempDir()
	e := newEngine(t, script.Options{Workdir: work})
	var log safeBuffer
	base := withLogger(t, slog.New(slog.NewTextHandler(&log, nil)))
	m := load(t, e, `export const handlers = {
		wait: async (ctx) => {
			ctx.abortSignal.addEventListener('abort', () => console.log('heard ' + ctx.abortSignal.reason.name));
			await Bun.spawn(['sh', '-c', 'echo $$ > pid; sleep 60']).exited;
		},
		spin: () => { for (;;) {} },
		next: () => 'works',
	};`)
	pid := filepath.Join(work, "pid")
	// A script has a moment to hear that its call is over. On a busy machine it
	// may miss it, so it is given several.
	for range 20 {
		_ = os.Remove(pid) // the first time there is none
		ctx, cancel := context.WithCancel(base)
		go func() {
			for ctx.Err() == nil && !written(pid) {
				time.Sleep(5 * time.Millisecond)
			}
			cancel()
		}()
		if r := call(ctx, m, "wait", `{}`); !r.Failed() || r.Error.Code != gongu.CodeCancelled {
			t.Errorf("%+v", r.Error)
		}
		cancel()
		limited(t, base, m, "wait")
		if text := log.String(); strings.Contains(text, "heard TimeoutError") && strings.Contains(text, "heard AbortError") && written(pid) {
			break
		}
	}
	wantPart(t, log.String(), "heard TimeoutError", "heard AbortError")
	wantText(t, output(t, m, "next", `{}`), `"works"`)
	limited(t, base, m, "spin")
	ctx, cancel := context.WithCancel(base)
	time.AfterFunc(100*time.Millisecond, cancel)
	if r := call(ctx, m, "spin", `{}`); !r.Failed() || r.Error.Code != gongu.CodeCancelled {
		t.Errorf("%+v", r.Error)
	}
	wantText(t, output(t, m, "next", `{}`), `"works"`)
	ended(t, pid)
}

// limited makes a call with a limit of the caller's own.
func limited(t *testing.T, base context.Context, m *script.Module, export string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(base, hostileLimit)
	defer cancel()
	watch := startWatch()
	r := call(ctx, m, export, `{}`)
	if took := watch.stop(); !r.Failed() || r.Error.Code != gongu.CodeTimeout || took > hostileLimit+late {
		t.Errorf("%s: %+v after %s", export, r.Error, took)
	}
}

// written says whether a program has written its number into a file.
func written(file string) bool {
	raw, err := os.ReadFile(file)
	return err == nil && strings.HasSuffix(string(raw), "\n")
}

// ended waits for the end of the process whose number is in a file.
func ended(t *testing.T, file string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d outlived its call", pid)
		}
	}
}

// TestParallel: 200 calls at a time into one module give 200 right answers.
func TestParallel(t *testing.T) {
	e := newEngine(t, script.Options{Timeout: time.Minute})
	m := load(t, e, `let calls = 0;
	export const handlers = {
		sync: (ctx, { n }) => { calls++; return n * 2; },
		async: async (ctx, { n }) => { const mine = ++calls; await Bun.sleep(n % 7); if (mine !== calls) throw new Error('two calls in one VM'); return n * 2; },
		fails: async (ctx, { n }) => { await null; throw new Error('no ' + n); },
	};`)
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			args := fmt.Sprintf(`{"n":%d}`, i)
			for _, export := range []string{"sync", "async"} {
				r := call(t.Context(), m, export, args)
				if r.Failed() || string(r.Output) != strconv.Itoa(2*i) {
					t.Errorf("%s %d: %s %+v", export, i, r.Output, r.Error)
				}
			}
			if r := call(t.Context(), m, "fails", args); !r.Failed() || r.Error.Message != fmt.Sprintf("no %d", i) {
				t.Errorf("%d: %s %+v", i, r.Output, r.Error)
			}
		})
	}
	group.Wait()
	if s := m.Stats(); s.Discarded != 0 || s.VMs > max(8, 2*runtime.GOMAXPROCS(0)) {
		t.Errorf("%+v", s)
	}
}

// TestHungModuleSlowsNoOther: all VMs of one module hang, another answers.
func TestHungModuleSlowsNoOther(t *testing.T) {
	e := newEngine(t, script.Options{Timeout: time.Minute, MaxVMs: 2})
	hung := handler(t, e, "async () => { await Bun.sleep(1e6) }")
	other := handler(t, e, "async (ctx, { n }) => { await Bun.sleep(1); return n }")
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { call(ctx, hung, "run", `{}`) })
	}
	watch := startWatch()
	for i := range 50 {
		wantText(t, output(t, other, "run", fmt.Sprintf(`{"n":%d}`, i)), strconv.Itoa(i))
	}
	// It would be a minute if they waited for the other module.
	if took := watch.stop(); took > 30*time.Second {
		t.Errorf("50 calls took %s", took)
	}
	cancel()
	group.Wait()
}

// TestBusy: who waits too long for a VM is told.
func TestBusy(t *testing.T) {
	e := newEngine(t, script.Options{Timeout: 300 * time.Millisecond, MaxVMs: 1})
	m := handler(t, e, "async () => { for (;;) await Bun.sleep(20) }")
	var group sync.WaitGroup
	var mu sync.Mutex
	codes := map[string]int{}
	for range 6 {
		group.Go(func() {
			r := call(t.Context(), m, "run", `{}`)
			mu.Lock()
			defer mu.Unlock()
			codes[r.Error.Code]++
		})
	}
	group.Wait()
	if codes[gongu.CodeTimeout] == 0 || codes[gongu.CodeUnavailable] == 0 || len(codes) != 2 {
		t.Errorf("%v", codes)
	}
}

// TestState: what a module keeps stays in one VM, and goes with it.
func TestState(t *testing.T) {
	e := newEngine(t, script.Options{Timeout: 200 * time.Millisecond, MaxVMs: 1})
	m := load(t, e, "let n = 0; export const handlers = { count: () => ++n, hang: () => { for (;;) {} }, later: () => { setTimeout(() => { n = 100 }, 5); return n; } };")
	wantText(t, output(t, m, "count", `{}`), `1`)
	wantText(t, output(t, m, "count", `{}`), `2`)
	wantText(t, output(t, m, "later", `{}`), `2`)
	time.Sleep(20 * time.Millisecond)
	wantText(t, output(t, m, "count", `{}`), `3`) // what a call started ended with it
	failure(t, m, "hang", `{}`)
	wantText(t, output(t, m, "count", `{}`), `1`) // a new VM
}

// TestClose: calls in flight finish when a module is unloaded, and end when the
// engine is closed.
func TestClose(t *testing.T) {
	e := script.NewEngine(&script.Options{Workdir: t.TempDir(), Logger: quiet()})
	source := "export const handlers = { run: async (ctx, { ms }) => { console.log('in'); await Bun.sleep(ms); return 'done'; } };"
	first, second := load(t, e, source), load(t, e, source)
	answers := make(chan gongu.Result, 2)
	entered := make(chan struct{}, 2)
	ctx := withLogger(t, notify(entered))
	go func() { answers <- call(ctx, first, "run", `{"ms":200}`) }()
	<-entered
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if r := <-answers; string(r.Output) != `"done"` {
		t.Errorf("%+v", r.Error)
	}
	if r := call(t.Context(), first, "run", `{"ms":1}`); !r.Failed() || r.Error.Code != gongu.CodeUnavailable {
		t.Errorf("%+v", r)
	}
	go func() { answers <- call(ctx, second, "run", `{"ms":1000000}`) }()
	<-entered
	for range 2 {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if r := <-answers; !r.Failed() || r.Error.Code != gongu.CodeCancelled {
		t.Errorf("%+v", r)
	}
	if _, err := e.Load(t.Context(), tree(t, map[string]string{"index.ts": fine}), "index.ts"); err == nil {
		t.Error("a closed engine loads")
	}
}

// panicking is a transport that does.
type panicking struct{}

func (panicking) RoundTrip(*http.Request) (*http.Response, error) { panic("in the transport") }

// TestHostPanics: a panic of what the host calls is an error of the script.
func TestHostPanics(t *testing.T) {
	e := newEngine(t, script.Options{Transport: panicking{}})
	m := load(t, e, "export const handlers = { run: async () => { await fetch('https://x.test/') }, next: () => 1 };")
	err := failure(t, m, "run", `{}`)
	if err.Code != gongu.CodePanic || err.Message != "in the transport" {
		t.Errorf("%+v", err)
	}
	wantText(t, output(t, m, "next", `{}`), `1`)
}

// TestH13_NothingLeftBehind: ten thousand calls, half of which fail or time
// out, leave goroutines, descriptors and memory as they were.
func TestH13_NothingLeftBehind(t *testing.T) {
	if !again(t) {
		return
	}
	e := newEngine(t, script.Options{Timeout: 30 * time.Millisecond, MaxVMs: 4})
	m := load(t, e, `export const handlers = {
		fine: (ctx, input) => input, later: async (ctx, input) => { await null; return input; },
		file: async () => { await Bun.write('f', 'x'); return Bun.file('f').text(); }, timer: async () => { await new Promise((r) => setTimeout(r, 1)); },
		fails: () => { throw new Error('no'); }, rejects: async () => { await null; throw new Error('no'); },
		spins: () => { for (;;) {} }, hangs: async () => { await new Promise((r) => setTimeout(r, 1e6)); },
	};`)
	batch := func(n int) {
		var group sync.WaitGroup
		for worker := range 4 {
			group.Go(func() {
				for i := range n / 4 {
					export := []string{"fine", "fails", "later", "rejects"}[i%4]
					switch {
					case i%100 == worker:
						export = []string{"spins", "hangs", "file", "timer"}[i/100%4]
					case i%50 == worker:
						export = "file"
					}
					call(t.Context(), m, export, `{"a":["b",1]}`)
				}
			})
		}
		group.Wait()
	}
	batch(2000)
	before := use(t, e)
	batch(10_000)
	after := use(t, e)
	for deadline := time.Now().Add(2 * time.Second); after.goroutines > before.goroutines && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		after = use(t, e)
	}
	raw, err := json.Marshal(e.Stats())
	t.Logf("%+v before, %+v after, %s, %v", before, after, raw, err)
	if after.goroutines > before.goroutines || after.files > before.files || after.memory > before.memory+20<<20 {
		t.Errorf("%+v before, %+v after", before, after)
	}
}

type usage struct{ goroutines, files, memory int }

// use is what is in use, without the VMs that are kept for the next calls.
func use(t *testing.T, e *script.Engine) usage {
	t.Helper()
	u := usage{goroutines: runtime.NumGoroutine() - e.Stats().VMs}
	if runtime.GOOS != "linux" {
		return u // only Linux tells the rest
	}
	runtime.GC()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	u.files = len(entries)
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var kilobytes int
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
			u.memory = kilobytes << 10
		}
	}
	return u
}
