package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/script"
)

// self is this program as a child.
func self() []string { return []string{os.Args[0], childWord} }

// runtimes are those that this machine has, outside of this process.
func runtimes(t *testing.T) []string {
	t.Helper()
	out := []string{script.RuntimeProcess}
	for _, name := range []string{script.RuntimeNode, script.RuntimeBun} {
		if _, err := exec.LookPath(name); err == nil && proc.Groups {
			out = append(out, name)
		} else {
			t.Logf("no %s here: not tried", name)
		}
	}
	return out
}

// apart makes an engine whose modules may run in children.
func apart(t *testing.T, opts script.Options) *script.Engine {
	t.Helper()
	opts.Child = self()
	return newEngine(t, opts)
}

// loadIn makes a module of one file for a runtime.
func loadIn(t *testing.T, e *script.Engine, runtime, source string) *script.Module {
	t.Helper()
	m, err := e.LoadIn(t.Context(), runtime, tree(t, map[string]string{"index.ts": source}), "index.ts")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// everywhere runs a test in each runtime.
func everywhere(t *testing.T, opts script.Options, source string, test func(t *testing.T, e *script.Engine, m *script.Module)) {
	t.Helper()
	for _, runtime := range runtimes(t) {
		t.Run(runtime, func(t *testing.T) {
			e := apart(t, opts)
			test(t, e, loadIn(t, e, runtime, source))
		})
	}
}

func inSwarm(t *testing.T, workdir string) context.Context {
	t.Helper()
	ctx, err := gongu.WithContext(t.Context(), gongu.Context{
		AgentName: "coder", InstanceKey: "i1", TurnID: "turn_1", TraceID: strings.Repeat("a", 32), Workdir: workdir, Runtime: swarm{},
		Message: json.RawMessage(`{"id":"m1","createdAt":"2026-01-02T03:04:05.678Z","data":{"role":"assistant","content":[]}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// TestB4_ContextEverywhere: ctx has the same keys and values in every runtime,
// and its swarm answers.
func TestB4_ContextEverywhere(t *testing.T) {
	const source = `export const handlers = {
		look: (ctx, input) => ({ keys: Object.keys(ctx).sort(), ...ctx, input, logger: typeof ctx.logger.warn, runtime: Object.keys(ctx.runtime ?? {}), abortSignal: ctx.abortSignal.aborted, created: ctx.message.createdAt instanceof Date, message: ctx.message.id }),
		keys: (ctx) => Object.keys(ctx).sort().join(),
		ask: async (ctx) => {
			const refused = await ctx.runtime.spawn('b').catch((e) => [e instanceof Error, e.message, e.code, e.suggestion]);
			return [await ctx.runtime.request('b', { x: 1 }), await ctx.runtime.catalog(), refused];
		},
	};`
	work := t.TempDir()
	e := apart(t, script.Options{Workdir: work})
	want := map[string]string{}
	here := load(t, e, source)
	for _, export := range []string{"look", "ask"} {
		want[export] = string(call(inSwarm(t, work), here, export, `{"a":1}`).Output)
	}
	wantPart(t, want["look"], `"keys":["abortSignal","agentName","instanceKey","logger","message","runtime","toolCallId","traceId","turnId","workdir"]`, `"input":{"a":1}`, `"created":true`)
	wantPart(t, want["ask"], `{"eventId":"e1","target":"b","response":{"event":{"x":1},"timeout":"0s"},"correlationId":"c1"}`,
		`{"swarmName":"s","entryAgent":"a","selfAgent":"a","availableAgents":["a","b"],"callableAgents":["b"]}`, `[true,"not you","E_TOOL_DENIED","ask somebody"]`)
	for _, runtime := range runtimes(t) {
		t.Run(runtime, func(t *testing.T) {
			m := loadIn(t, e, runtime, source)
			for export, text := range want {
				wantText(t, string(call(inSwarm(t, work), m, export, `{"a":1}`).Output), text)
			}
			wantText(t, output(t, m, "keys", `{}`), `"abortSignal,agentName,instanceKey,logger,message,toolCallId,traceId,turnId,workdir"`)
			wantText(t, strings.Join(m.Handlers(), " "), "ask keys look")
		})
	}
}

// TestB4_ResultsEverywhere: what a handler returns and throws reads the same in
// every runtime.
func TestB4_ResultsEverywhere(t *testing.T) {
	source := `export const handlers = { run: async (ctx, { n }) => { switch (n) {
		case 0: return { a: undefined, b: [undefined], when: new Date(0), text: '안녕 "<>"' };
		case 1: return undefined;
		case 2: return { list: [1, { cb: () => 1 }] };
		case 3: { const x: any = {}; x.self = { x }; return x; }
		case 4: return { n: 1n };
		case 5: throw Object.assign(new Error('no luck'), { code: 'E_LUCK', suggestion: 'try again', helpUrl: 'https://example.com/x' });
		case 6: throw 'just text';
		case 7: return (null as any).field;
		case 8: return 'x'.repeat(3000);
		case 9: throw { message: 'odd', name: 'Odd' };
	} } };`
	e := apart(t, script.Options{MaxOutput: 2000})
	here := load(t, e, source)
	for _, runtime := range runtimes(t) {
		t.Run(runtime, func(t *testing.T) {
			m := loadIn(t, e, runtime, source)
			for n := range 10 {
				args := fmt.Sprintf(`{"n":%d}`, n)
				want, got := call(t.Context(), here, "run", args), call(t.Context(), m, "run", args)
				wantText(t, string(got.Output), string(want.Output))
				if (got.Error == nil) != (want.Error == nil) {
					t.Fatalf("%d: %+v, want %+v", n, got.Error, want.Error)
				}
				if want.Error == nil {
					continue
				}
				if n == 7 && runtime != script.RuntimeProcess {
					want.Error.Message = got.Error.Message // each engine words it
				}
				wantText(t, inJSON(t, got.Error), inJSON(t, want.Error))
				wantText(t, string(got.Meta), string(want.Meta))
			}
		})
	}
}

// TestConcurrentCalls: several calls of one child are under way at a time, each
// with its own answer and log.
func TestConcurrentCalls(t *testing.T) {
	everywhere(t, script.Options{}, `let inside = 0; export const handlers = {
		run: async (ctx, { i }) => { console.log('hello ' + i); await new Promise((r) => setTimeout(r, 30)); return i; },
		both: async (ctx, { i }) => { inside++; while (inside < 2) await new Promise((r) => setTimeout(r, 2)); return i; } };`,
		func(t *testing.T, e *script.Engine, m *script.Module) {
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					for j := range 5 {
						var log safeBuffer
						args := fmt.Sprintf(`{"i":%d}`, i*100+j)
						r := call(withLogger(t, textLogger(&log)), m, "run", args)
						wantText(t, string(r.Output), fmt.Sprint(i*100+j))
						wantPart(t, log.String(), fmt.Sprintf(`msg="hello %d"`, i*100+j), "module=index.ts")
						if strings.Count(log.String(), "hello") != 1 {
							t.Errorf("log %s", log.String())
						}
					}
				})
			}
			wg.Wait()
			if s := e.Stats(); s.Children != 1 {
				t.Errorf("%+v", s)
			}
		})
}

// TestAbortEverywhere: a handler that listens ends in time and its child lives
// on; one that does not is ended with its child, and the next call works.
func TestAbortEverywhere(t *testing.T) {
	if !again(t) {
		return
	}
	everywhere(t, script.Options{Timeout: hostileLimit}, `export const handlers = {
		listens: (ctx) => new Promise((_, no) => (setTimeout(() => {}, 60000), ctx.abortSignal.addEventListener('abort', () => no(ctx.abortSignal.reason)))),
		deaf: () => new Promise((r) => setTimeout(r, 60000)),
		busy: () => { for (;;); },
		pid: () => 1, next: () => 'works' };`,
		func(t *testing.T, e *script.Engine, m *script.Module) {
			for _, export := range []string{"listens", "deaf", "busy", "busy"} {
				watch := startWatch()
				err := failure(t, m, export, `{}`)
				if took := watch.stop(); err.Code != gongu.CodeTimeout || took > hostileLimit+late {
					t.Errorf("%s: %+v after %s", export, err, took)
				}
				wantNext(t, e, m)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			if r := call(ctx, m, "listens", `{}`); r.Error == nil || r.Error.Code != gongu.CodeCancelled {
				t.Errorf("%+v", r.Error)
			}
			wantText(t, output(t, m, "next", `{}`), `"works"`)
			if s := e.Stats(); s.Lost != 0 {
				t.Errorf("%+v", s)
			}
		})
}

// TestChildDies: a call whose process ends is answered at once, as one whose
// outcome is not known, and the next call gets a new process.
func TestChildDies(t *testing.T) {
	for _, runtime := range runtimes(t) {
		if runtime == script.RuntimeProcess {
			continue // its scripts cannot end it; see below
		}
		t.Run(runtime, func(t *testing.T) {
			e := apart(t, script.Options{})
			m := loadIn(t, e, runtime, `export const handlers = { exit: () => process.exit(3), next: () => 'works' };`)
			err := failure(t, m, "exit", `{}`)
			wantText(t, err.Code, gongu.CodeOutcomeUnknown)
			wantPart(t, err.Message, "index.ts", "exit status 3")
			wantText(t, output(t, m, "next", `{}`), `"works"`)
			if s := e.Stats(); s.Died != 1 || s.Children != 1 {
				t.Errorf("%+v", s)
			}
		})
	}
	t.Run("killed from outside", func(t *testing.T) {
		e := apart(t, script.Options{})
		m := loadIn(t, e, script.RuntimeProcess, `export const handlers = { wait: () => new Promise((r) => setTimeout(r, 60000)), next: () => 'works' };`)
		wantText(t, output(t, m, "next", `{}`), `"works"`)
		pids := childrenOf(t)
		if len(pids) != 1 {
			t.Fatalf("children %v", pids)
		}
		answer := make(chan gongu.Result, 1)
		go func() { answer <- call(t.Context(), m, "wait", `{}`) }()
		time.Sleep(100 * time.Millisecond)
		endProcess(t, pids[0])
		r := <-answer
		wantText(t, r.Error.Code, gongu.CodeOutcomeUnknown)
		wantText(t, output(t, m, "next", `{}`), `"works"`)
		// An idle one that dies is replaced without a word.
		endProcess(t, childrenOf(t)[0])
		noChildren(t, e)
		wantText(t, output(t, m, "next", `{}`), `"works"`)
	})
}

// TestCrashLoop: a child that never gets ready is not started again and again.
func TestCrashLoop(t *testing.T) {
	counter := filepath.Join(t.TempDir(), "starts")
	e := newEngine(t, script.Options{Child: []string{"/bin/sh", "-c", "echo x >> " + counter + "; echo no such luck >&2; exit 7"}})
	m := loadIn(t, e, script.RuntimeProcess, `export const handlers = { next: () => 1 };`)
	deadline := time.Now().Add(90 * time.Second)
	for {
		err := failure(t, m, "next", `{}`)
		wantText(t, err.Code, gongu.CodeUnavailable)
		if strings.Contains(err.Message, "times in a row") {
			wantPart(t, err.Message, "exit status 7", "no such luck")
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it is started again and again")
		}
	}
	raw, err := os.ReadFile(counter)
	if starts := strings.Count(string(raw), "x"); err != nil || starts > 12 {
		t.Errorf("%d starts, %v", starts, err)
	}
}

// TestGarbage: a child that breaks the protocol is ended and reported.
func TestGarbage(t *testing.T) {
	for name, line := range map[string]string{
		"no JSON":      "echo hello; sleep 60",
		"no kind":      `echo '{"t":"surprise"}'; sleep 60`,
		"endless line": "head -c 300000000 /dev/zero | tr '\\0' a; sleep 60",
		"cut line":     `printf '{"t":"re'`,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, script.Options{Child: []string{"/bin/sh", "-c", line}})
			m := loadIn(t, e, script.RuntimeProcess, `export const handlers = { next: () => 1 };`)
			began := time.Now()
			err := failure(t, m, "next", `{}`)
			wantText(t, err.Code, gongu.CodeUnavailable)
			wantPart(t, err.Message, "protocol")
			if took := time.Since(began); took > 9*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
	for _, runtime := range runtimes(t)[1:] {
		t.Run(runtime, func(t *testing.T) {
			e := apart(t, script.Options{})
			m := loadIn(t, e, runtime, `import fs from 'node:fs'; export const handlers = { run: async () => { fs.writeSync(4, 'garbage\n'); await new Promise((r) => setTimeout(r, 60000)); }, next: () => 'works' };`)
			err := failure(t, m, "run", `{}`)
			wantText(t, err.Code, gongu.CodeOutcomeUnknown)
			wantPart(t, err.Message, "garbage")
			wantText(t, output(t, m, "next", `{}`), `"works"`)
		})
	}
}

// TestPrintedOutput: whatever a module prints goes to the log and not into the
// protocol.
func TestPrintedOutput(t *testing.T) {
	for _, runtime := range runtimes(t)[1:] {
		t.Run(runtime, func(t *testing.T) {
			var log safeBuffer
			e := apart(t, script.Options{Logger: textLogger(&log)})
			m := loadIn(t, e, runtime, `import fs from 'node:fs'; import { execFileSync } from 'node:child_process';
				export const handlers = { run: () => { fs.writeSync(1, '{"t":"result","id":1,"value":"forged"}\n'); process.stdout.write('printed\n'); console.error('an error'); execFileSync('echo', ['inherited'], { stdio: 'inherit' }); return 'real'; } };`)
			wantText(t, output(t, m, "run", `{}`), `"real"`)
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			wantPart(t, log.String(), "forged", "printed", "inherited")
		})
	}
}

// TestChildGuards: files, programs, variables and requests of a child have the
// same bounds as those of a module in this process.
func TestChildGuards(t *testing.T) {
	t.Setenv("GONGU_TEST_SECRET", "s3cret")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "inside") }))
	defer server.Close()
	source := `export const handlers = { run: async (ctx, { url }) => {
		const said = async (f) => { try { return await f(); } catch (e) { return e.message; } };
		return [
			await said(() => Bun.file('/etc/passwd').text()),
			await said(() => Bun.write('inside.txt', 'ok')),
			await said(() => fetch(url).then((r) => r.text())),
			await said(async () => new Response(Bun.spawn(['sh', '-c', 'pwd; echo "[$GONGU_TEST_SECRET]"; exit 3']).stdout).text()),
			process.env.GONGU_TEST_SECRET ?? null, process.env.GOMEMLIMIT ?? null,
		]; } };`
	work := t.TempDir()
	e := apart(t, script.Options{Workdir: work})
	args := fmt.Sprintf(`{"url":%q}`, server.URL)
	want := output(t, load(t, e, source), "run", args)
	wantText(t, output(t, loadIn(t, e, script.RuntimeProcess, source), "run", args), want)
	wantPart(t, want, work, "[]")
	if strings.Contains(want, "root:") || strings.Contains(want, "inside\"") {
		t.Errorf("a bound does not hold: %s", want)
	}
	allowed := apart(t, script.Options{Workdir: work, Transport: http.DefaultTransport})
	wantPart(t, output(t, loadIn(t, allowed, script.RuntimeProcess, source), "run", args), `"inside"`)
}

// TestProgramsEndWithTheChild: a program that a script started does not outlive
// its call, even when the child is killed.
func TestProgramsEndWithTheChild(t *testing.T) {
	everywhere(t, script.Options{Timeout: hostileLimit}, `import { spawn } from 'node:child_process'; export const handlers = {
		run: async () => { spawn('sh', ['-c', 'echo $$ > pid; sleep 61'], { stdio: 'ignore' }); await new Promise((r) => setTimeout(r, 150)); for (;;); } };`,
		func(t *testing.T, e *script.Engine, m *script.Module) {
			ctx := inSwarm(t, t.TempDir())
			if r := call(ctx, m, "run", `{}`); r.Error == nil || r.Error.Code != gongu.CodeTimeout {
				t.Errorf("%+v", r.Error)
			}
			raw, err := os.ReadFile(filepath.Join(gongu.ContextOf(ctx).Workdir, "pid"))
			if err != nil {
				t.Fatal(err)
			}
			var pid int
			fmt.Sscan(string(raw), &pid)
			wantGone(t, pid)
		})
}

// TestProgramsEndWithAKilledChild: a program is not left behind by a child that
// was killed from outside.
func TestProgramsEndWithAKilledChild(t *testing.T) {
	e := apart(t, script.Options{})
	m := loadIn(t, e, script.RuntimeProcess, `export const handlers = { next: () => 1, run: async () => { await Bun.spawn(['sh', '-c', 'echo $$ > pid; exec sleep 62']).exited; } };`)
	output(t, m, "next", `{}`)
	children := childrenOf(t)
	work := t.TempDir()
	answer := make(chan gongu.Result, 1)
	go func() { answer <- call(inSwarm(t, work), m, "run", `{}`) }()
	var pid int
	for deadline := time.Now().Add(10 * time.Second); pid == 0; time.Sleep(5 * time.Millisecond) {
		raw, _ := os.ReadFile(filepath.Join(work, "pid"))
		if fmt.Sscan(string(raw), &pid); time.Now().After(deadline) {
			t.Fatal("the program did not start")
		}
	}
	endProcess(t, children[0])
	if r := <-answer; r.Error == nil || r.Error.Code != gongu.CodeOutcomeUnknown {
		t.Errorf("%+v", r.Error)
	}
	wantGone(t, pid)
}

// TestNoRuntime: what is missing is told by the call, with what to install.
func TestNoRuntime(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	e := newEngine(t, script.Options{})
	for runtime, parts := range map[string][]string{
		script.RuntimeNode:    {"no node on the PATH", "Install Node.js (https://nodejs.org)"},
		script.RuntimeBun:     {"no bun on the PATH", "Install Bun (https://bun.sh)"},
		script.RuntimeProcess: {"does not say how to start one", "script.ChildMain"},
	} {
		err := failure(t, loadIn(t, e, runtime, `export const handlers = { run: () => 1 };`), "run", `{}`)
		wantText(t, err.Code, gongu.CodeUnavailable)
		wantPart(t, err.Message+err.Suggestion, parts...)
	}
}

// TestLoadProblems: what cannot be bundled is an error of the load; a module
// that fails when it is run, or lacks a handler, is told by the call.
func TestLoadProblems(t *testing.T) {
	e := apart(t, script.Options{})
	root := tree(t, map[string]string{"broken.ts": "export const = 1;", "import.ts": "import x from 'left-pad'; export const handlers = { run: x };"})
	for _, file := range []string{"broken.ts", "import.ts", "none.ts"} {
		if _, err := e.LoadIn(t.Context(), script.RuntimeProcess, root, file); err == nil {
			t.Errorf("%s was loaded", file)
		} else if _, ok := isLoadError(err); !ok {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := e.LoadIn(t.Context(), script.RuntimeBun, root, "../x.ts"); err == nil {
		t.Error("a file outside was loaded")
	}
	if _, err := e.LoadIn(t.Context(), "deno", root, "broken.ts"); err == nil {
		t.Error("an unknown runtime")
	}
	for _, runtime := range runtimes(t) {
		err := failure(t, loadIn(t, e, runtime, `export const handlers = { other: () => 1 };`), "run", `{}`)
		wantText(t, err.Code, gongu.CodeUnavailable)
		wantPart(t, err.Message, `no handler "run"; it has other`)
		err = failure(t, loadIn(t, e, runtime, `throw new Error('not today');`), "run", `{}`)
		wantText(t, err.Code, gongu.CodeUnavailable)
		wantPart(t, err.Message, "not today")
		err = failure(t, loadIn(t, e, runtime, `export const x = 1;`), "run", `{}`)
		wantPart(t, err.Message, "exports no handlers")
	}
}

// TestIdleChild: a child that has nothing to do ends; the next call starts one.
func TestIdleChild(t *testing.T) {
	everywhere(t, script.Options{ChildIdle: 100 * time.Millisecond}, `export const handlers = { run: () => 'works' };`,
		func(t *testing.T, e *script.Engine, m *script.Module) {
			if s := e.Stats(); s.Children != 0 {
				t.Errorf("started before the first call: %+v", s)
			}
			for range 2 {
				wantText(t, output(t, m, "run", `{}`), `"works"`)
				noChildren(t, e)
			}
			if s := e.Stats(); s.Killed+s.Died != 0 {
				t.Errorf("%+v", s)
			}
		})
}

// TestWorkdirs: bun and node start in the working directory of the call.
func TestWorkdirs(t *testing.T) {
	everywhere(t, script.Options{}, `export const handlers = { run: (ctx) => [process.cwd() === ctx.workdir, ctx.workdir] };`,
		func(t *testing.T, e *script.Engine, m *script.Module) {
			for range 10 {
				dir := t.TempDir()
				wantText(t, string(call(inSwarm(t, dir), m, "run", `{}`).Output), fmt.Sprintf("[true,%q]", dir))
			}
		})
}

// TestClosedEngine: Close ends calls and children; nothing is left.
func TestClosedEngine(t *testing.T) {
	for _, runtime := range runtimes(t) {
		e := script.NewEngine(&script.Options{Child: self(), Logger: quiet(), Workdir: t.TempDir()})
		m := loadIn(t, e, runtime, `export const handlers = { wait: (ctx) => new Promise((_, no) => ctx.abortSignal.addEventListener('abort', no)), next: () => 1 };`)
		output(t, m, "next", `{}`)
		answer := make(chan gongu.Result, 1)
		go func() { answer <- call(t.Context(), m, "wait", `{}`) }()
		time.Sleep(50 * time.Millisecond)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if r := <-answer; !r.Failed() {
			t.Errorf("%s: %s", runtime, r.Output)
		}
		if left := childrenOf(t); len(left) > 0 {
			t.Errorf("%s left %v", runtime, left)
		}
		wantText(t, failure(t, m, "next", `{}`).Code, gongu.CodeUnavailable)
		if _, err := e.LoadIn(t.Context(), runtime, t.TempDir(), "x.ts"); err == nil {
			t.Error("a closed engine loads")
		}
	}
}

// TestChildMain: the program ends with its input, and says what it did not
// understand.
func TestChildMain(t *testing.T) {
	var out safeBuffer
	if err := script.ChildMain(t.Context(), strings.NewReader(""), &out); err != nil {
		t.Error(err)
	}
	for _, line := range []string{"hello\n", "{\"t\":\"call\"}\n", "{\"t\":\"code\"}\n"} {
		if err := script.ChildMain(t.Context(), strings.NewReader(line), &out); err == nil {
			t.Errorf("%q is no error", line)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	if err := script.ChildMain(ctx, r, &out); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
