package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/script"
)

// Many calls are under way in one VM: all of them wait in next at the same
// time, and the extension's own tool answers meanwhile.
func TestExtensionCallsInterleave(t *testing.T) {
	const calls = 64
	e := newEngine(t, script.Options{})
	_, b := extend(t, e, `
		let inside = 0, most = 0;
		api.pipeline.register('toolCall', async (ctx) => {
			most = Math.max(most, ++inside);
			const result = await ctx.next();
			inside--;
			return { ...result, output: ctx.args.n };
		});
		api.tools.register({ name: 'e__most' }, () => most);`)
	var arrived, group sync.WaitGroup
	arrived.Add(calls)
	for n := range calls {
		group.Go(func() {
			f := &frame{args: fmt.Sprintf(`{"n":%d}`, n), next: func(context.Context) (json.RawMessage, error) {
				arrived.Done()
				arrived.Wait() // nobody goes on before all are here
				if got := text(b.call(t.Context(), "e__most", `{}`)); got != fmt.Sprint(calls) {
					t.Errorf("%s were inside", got)
				}
				return json.RawMessage(`{"status":"ok"}`), nil
			}}
			out, err := b.around(t.Context(), f)
			if want := fmt.Sprintf(`{"status":"ok","output":%d}`, n); err != nil || string(out.Value) != want {
				t.Errorf("%s, %v", out.Value, err)
			}
		})
	}
	group.Wait()
	if s := e.Stats(); s.VMs != 1 || s.Discarded != 0 {
		t.Errorf("%+v", s)
	}
}

const hog = `
	api.tools.register({ name: 'e__spin' }, () => { for (;;) {} });
	api.tools.register({ name: 'e__later' }, async () => { await null; for (;;) {} });
	api.tools.register({ name: 'e__memory' }, () => 'x'.repeat(2 ** 26).length);
	api.tools.register({ name: 'e__wait' }, (ctx, input) => new Promise((r) => setTimeout(() => r('waited'), input.ms)));
	api.tools.register({ name: 'e__ok' }, () => 'ok');
	api.pipeline.register('toolCall', (ctx) => ctx.next());`

// T1: a call that computes for too long or takes too much memory ends the VM.
// Calls that were under way in it hear why; the next one finds a new VM.
func TestT1_ExtensionIsLoadedAgain(t *testing.T) {
	for name, want := range map[string]string{
		"e__spin":   "E_TOOL_TIMEOUT: The script did not finish within",
		"e__later":  "E_TOOL_TIMEOUT: The script did not finish within",
		"e__memory": "E_TOOL: The script needs more than",
	} {
		e := newEngine(t, script.Options{Timeout: 2 * time.Second, Memory: 4 << 20})
		_, b := extend(t, e, hog)
		started, goOn, other := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			_, err := b.around(t.Context(), &frame{next: func(ctx context.Context) (json.RawMessage, error) {
				close(started)
				<-goOn
				return json.RawMessage(`{"status":"ok"}`), nil
			}})
			other <- err
		}()
		<-started
		waiting := make(chan string)
		go func() { waiting <- text(b.call(t.Context(), "e__wait", `{"ms":100000}`)) }()
		wantPart(t, text(b.call(t.Context(), name, `{}`)), want)
		wantPart(t, <-waiting, "E_TOOL") // stopped with the VM, or overdue itself
		wantText(t, text(b.call(t.Context(), "e__ok", `{}`)), `"ok"`)
		if s := e.Stats(); s.Discarded != 1 || s.VMs != 1 {
			t.Errorf("%s: %+v", name, s)
		}
		// A tool that runs behind a middleware is not stopped. Its result has
		// nowhere to go, and nobody may take that for "did not run".
		close(goOn)
		if known, ok := errors.AsType[*gongu.Error](<-other); !ok || known.Code != gongu.CodeOutcomeUnknown {
			t.Errorf("%s: %v", name, known)
		}
	}
}

// A call that merely waits too long leaves the VM and the other calls alone.
func TestExtensionWaitsTooLong(t *testing.T) {
	e := newEngine(t, script.Options{})
	_, b := extend(t, e, hog)
	other := make(chan string)
	go func() { other <- text(b.call(t.Context(), "e__wait", `{"ms":300}`)) }()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	wantPart(t, text(b.call(ctx, "e__wait", `{"ms":100000}`)), "E_TOOL_TIMEOUT")
	wantText(t, <-other, `"waited"`)
	if s := e.Stats(); s.Discarded != 0 {
		t.Errorf("%+v", s)
	}
}

// The time that the rest of a level takes is not the middleware's.
func TestExtensionTimeOfTheRest(t *testing.T) {
	e := newEngine(t, script.Options{Timeout: 200 * time.Millisecond})
	_, b := extend(t, e, hog)
	out, err := b.around(t.Context(), &frame{next: func(context.Context) (json.RawMessage, error) {
		time.Sleep(400 * time.Millisecond)
		return json.RawMessage(`{"status":"ok"}`), nil
	}})
	if err != nil || !out.Same {
		t.Errorf("%+v, %v", out, err)
	}
}

// An extension that cannot be brought back is out of order, loudly: its
// middleware refuses every call instead of letting it pass.
func TestExtensionOutOfOrder(t *testing.T) {
	for name, body := range map[string]string{
		"it was stopped 3 times in a row": hog,
		"it registered something else": hog + `
			if (globalThis.process.hrtime.bigint() % 1n === 0n && api.state.get()) api.tools.register({ name: 'e__new' }, () => 1);
			api.state.set({ seen: true });`,
		"it had registered middleware after it was loaded": hog + `
			api.tools.register({ name: 'e__late' }, () => { api.pipeline.register('step', (ctx) => ctx.next()); });`,
	} {
		limit := 200 * time.Millisecond
		if raceDetector {
			limit = 2 * time.Second // for register
		}
		e := newEngine(t, script.Options{Timeout: limit})
		_, b := extend(t, e, body)
		if _, ok := b.tools["e__late"]; ok {
			b.call(t.Context(), "e__late", `{}`)
		}
		for range 4 {
			b.call(t.Context(), "e__spin", `{}`)
		}
		_, err := b.around(t.Context(), &frame{})
		if err == nil {
			t.Fatalf("%s: the middleware let the call pass", name)
		}
		wantPart(t, err.Error(), "The extension ext is disabled", name)
		wantPart(t, text(b.call(t.Context(), "e__ok", `{}`)), "E_TOOL_UNAVAILABLE")
	}
}

// T3: a VM that does not stop is lost, the call is answered and the next one
// works.
func TestT3_ExtensionIsLost(t *testing.T) {
	if !again(t) {
		return
	}
	e := newEngine(t, script.Options{Timeout: 500 * time.Millisecond})
	_, b := extend(t, e, `
		api.tools.register({ name: 'e__stuck' }, () => { for (;;) 'a'.repeat(2 ** 24).indexOf('a'.repeat(2 ** 23) + 'b'); });
		api.tools.register({ name: 'e__ok' }, () => 'ok');`)
	began := time.Now()
	wantPart(t, text(b.call(t.Context(), "e__stuck", `{}`)), "E_TOOL_TIMEOUT")
	if late := time.Since(began) - 500*time.Millisecond; late > 2*time.Second {
		t.Errorf("answered %s late", late)
	}
	for deadline := time.Now().Add(10 * time.Second); text(b.call(t.Context(), "e__ok", `{}`)) != `"ok"`; {
		if time.Now().After(deadline) {
			t.Fatal("no call works any more")
		}
	}
	if s := e.Stats(); s.Lost > 1 {
		t.Errorf("%+v", s)
	}
}

// What a call that was given up has started ends; what a finished call has
// started may go on, because others may wait for it.
func TestExtensionWork(t *testing.T) {
	if !proc.Groups {
		t.Skip("no shell") //rules:skip Windows has no process groups
	}
	e := newEngine(t, script.Options{})
	_, b := extend(t, e, `
		let cache;
		api.tools.register({ name: 'e__first' }, () => { cache = new Promise((r) => setTimeout(() => r('made'), 50)); return 'begun'; });
		api.tools.register({ name: 'e__second' }, async () => { const v = await cache; await new Promise((r) => setTimeout(r, 1)); return v; });
		let seen = 'nothing';
		api.tools.register({ name: 'e__run' }, async (ctx) => {
			ctx.abortSignal.addEventListener('abort', () => { seen = ctx.abortSignal.reason.name; });
			const p = Bun.spawn(['sleep', '1000']);
			try { await p.exited; } finally { seen += ' and tidied up'; }
		});
		api.tools.register({ name: 'e__seen' }, () => seen);`)
	wantText(t, text(b.call(t.Context(), "e__first", `{}`)), `"begun"`)
	wantText(t, text(b.call(t.Context(), "e__second", `{}`)), `"made"`)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	wantPart(t, text(b.call(ctx, "e__run", `{}`)), "E_TOOL_CANCELLED")
	wantText(t, text(b.call(t.Context(), "e__seen", `{}`)), `"AbortError and tidied up"`)
}

// Close lets calls finish and refuses later ones; the engine ends those that
// wait.
func TestExtensionClose(t *testing.T) {
	e := newEngine(t, script.Options{})
	x, b := extend(t, e, hog)
	inside, finish, answer := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := b.around(t.Context(), &frame{next: func(context.Context) (json.RawMessage, error) {
			close(inside)
			<-finish
			return json.RawMessage(`{"status":"ok"}`), nil
		}})
		answer <- err
	}()
	<-inside
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	wantPart(t, text(b.call(t.Context(), "e__ok", `{}`)), "E_TOOL_UNAVAILABLE", "unloaded")
	close(finish)
	if err := <-answer; err != nil {
		t.Errorf("a call that ran: %v", err)
	}
	_, other := extend(t, e, hog)
	waiting := make(chan string)
	go func() { waiting <- text(other.call(t.Context(), "e__wait", `{"ms":100000}`)) }()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	wantPart(t, <-waiting, "E_TOOL")
}

// Goondan 61, 62: listeners, in order, until they are taken away; one that
// throws does not stop the next.
func TestGoondan61_ScriptEvents(t *testing.T) {
	e := newEngine(t, script.Options{})
	_, b := extend(t, e, `
		const heard = [];
		api.events.on('turn.completed', () => { throw new Error('first'); });
		const off = api.events.on('turn.completed', (...args) => { heard.push(args); });
		api.tools.register({ name: 'e__heard' }, () => heard);
		api.tools.register({ name: 'e__off' }, () => { off(); off(); });
		api.tools.register({ name: 'e__emit' }, () => { api.events.emit('turn.completed', { n: 3, gone: undefined }, 'x'); });`)
	b.Emit("turn.completed", json.RawMessage(`[1,"a"]`))
	b.call(t.Context(), "e__emit", `{}`)
	wantText(t, text(b.call(t.Context(), "e__heard", `{}`)), `[[1,"a"],[{"n":3,"gone":null},"x"]]`)
	b.call(t.Context(), "e__off", `{}`)
	b.Emit("turn.completed", json.RawMessage(`[2]`))
	wantText(t, text(b.call(t.Context(), "e__heard", `{}`)), `[[1,"a"],[{"n":3,"gone":null},"x"]]`)
}

// A tool that is registered later works, and after a restart says that it is
// gone.
func TestExtensionLateTool(t *testing.T) {
	e := newEngine(t, script.Options{Timeout: 200 * time.Millisecond})
	_, b := extend(t, e, hog+`
		api.tools.register({ name: 'e__grow' }, () => { api.tools.register({ name: 'e__late' }, () => 'late'); });`)
	b.call(t.Context(), "e__grow", `{}`)
	wantText(t, text(b.call(t.Context(), "e__late", `{}`)), `"late"`)
	b.call(t.Context(), "e__spin", `{}`)
	wantPart(t, text(b.call(t.Context(), "e__late", `{}`)), "E_TOOL_UNAVAILABLE", "loaded again since")
	b.call(t.Context(), "e__grow", `{}`)
	wantText(t, text(b.call(t.Context(), "e__late", `{}`)), `"late"`)
}
