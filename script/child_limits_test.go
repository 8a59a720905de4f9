package script_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

// stubborn are handlers that stay inside one operation of the engine.
const stubborn = `export const handlers = {
	indexOf: () => { for (;;) 'a'.repeat(2 ** 24).indexOf('a'.repeat(2 ** 23) + 'b'); },
	join: () => { const a = new Array(2 ** 26); for (;;) a.join(''); },
	slow: async () => { await Bun.sleep(2500); return 'done'; },
	next: () => 'works',
};`

// lossLimit is long enough to get into the operation on a busy machine.
const lossLimit = 1500 * time.Millisecond

// mustEnd calls what never ends and wants a timeout in time.
func mustEnd(t *testing.T, m *script.Module, export string, limit time.Duration) {
	t.Helper()
	watch := startWatch()
	err := failure(t, m, export, `{}`)
	if took := watch.stop(); took > limit+late || err.Code != gongu.CodeTimeout {
		t.Errorf("%s: %+v after %s", export, err, took)
	}
}

// TestT3_LossMovesTheModule: one loss moves its module to a process, where the
// next hostile call is killed and loses nothing; the second loss in the host
// moves all modules, and those that are loaded later.
func TestT3_LossMovesTheModule(t *testing.T) {
	if !again(t) {
		return
	}
	var log safeBuffer
	var losses []script.Loss
	e := script.NewEngine(&script.Options{ // never closed: it could not
		Timeout: lossLimit, Workdir: t.TempDir(), Logger: textLogger(&log), Child: self(),
		OnLoss: func(l script.Loss) { losses = append(losses, l) },
	})
	first, second, third := load(t, e, stubborn), load(t, e, stubborn), load(t, e, stubborn)
	mustEnd(t, first, "indexOf", lossLimit)
	if s := first.Stats(); s.Lost != 1 || s.Moved != 1 || second.Stats().Moved != 0 {
		t.Errorf("%+v, %+v", s, second.Stats())
	}
	wantPart(t, log.String(), "level=WARN", "does not stop", "module=index.ts", "export=indexOf")
	wantText(t, output(t, first, "next", `{}`), `"works"`)
	for _, export := range []string{"indexOf", "join"} {
		mustEnd(t, first, export, lossLimit)
		wantText(t, output(t, first, "next", `{}`), `"works"`)
	}
	if s := e.Stats(); s.Lost != 1 || s.Moved != 1 || s.Children != 1 {
		t.Errorf("%+v", s)
	}
	mustEnd(t, second, "join", lossLimit)
	if s := e.Stats(); s.Lost != 2 || s.Moved != 3 {
		t.Errorf("%+v", s)
	}
	// Both still burn, and everything works.
	for _, m := range []*script.Module{first, second, third} {
		wantText(t, output(t, m, "next", `{}`), `"works"`)
	}
	later := load(t, e, stubborn)
	wantText(t, strings.Join(later.Handlers(), " "), "indexOf join next slow")
	wantText(t, output(t, later, "next", `{}`), `"works"`)
	if _, err := later.Invoke("nothing"); err == nil {
		t.Error("an export without a handler")
	}
	if s := e.Stats(); s.Lost != 2 || s.Moved != 4 {
		t.Errorf("%+v", s)
	}
	if len(losses) != 2 || losses[0].Export != "indexOf" || len(losses[0].Moved) != 1 || len(losses[1].Moved) != 2 {
		t.Errorf("%+v", losses)
	}
}

// TestT3_HostileInAChild: every hostile script is answered in time in a process
// of its own, the next call works, and nothing is lost here.
func TestT3_HostileInAChild(t *testing.T) {
	if !again(t) {
		return
	}
	all := hostile()
	all["indexOf"] = "for (;;) 'a'.repeat(2 ** 24).indexOf('a'.repeat(2 ** 23) + 'b');"
	all["join"] = "const a = new Array(2 ** 26); for (;;) a.join('');"
	e := apart(t, script.Options{Timeout: hostileLimit})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := loadIn(t, e, script.RuntimeProcess, "export const handlers = { run: async () => {"+all[name]+"}, next: async () => { await Bun.sleep(1); return 'works'; } };")
		calm(t, func(complain func(string, ...any)) {
			wantNext(t, e, m) // the start does not count
			watch := startWatch()
			result := call(t.Context(), m, "run", `{}`)
			if took := watch.stop(); took > hostileLimit+late {
				complain("%s: answered after %s", name, took)
			}
			if !result.Failed() && name != "goes on" && name != "works on" {
				t.Errorf("%s: gave %.100s", name, result.Output)
			}
		})
		wantNext(t, e, m)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if s := e.Stats(); s.Lost+s.Burning > 0 {
		t.Errorf("%+v", s)
	}
}

// TestT3_SiblingsFinish: a call that does not stop takes no other call of its
// child with it, as long as the child still answers.
func TestT3_SiblingsFinish(t *testing.T) {
	if !again(t) {
		return
	}
	e := apart(t, script.Options{Timeout: 4 * time.Second})
	m := loadIn(t, e, script.RuntimeProcess, stubborn)
	wantText(t, output(t, m, "next", `{}`), `"works"`)
	sibling := make(chan gongu.Result, 1)
	ctx, cancel := context.WithTimeout(t.Context(), hostileLimit)
	defer cancel()
	go func() { sibling <- call(t.Context(), m, "slow", `{}`) }()
	time.Sleep(50 * time.Millisecond)
	if r := call(ctx, m, "indexOf", `{}`); !r.Failed() {
		t.Errorf("%s", r.Output)
	}
	// The next call gets a new process while the old one serves the sibling.
	wantText(t, output(t, m, "next", `{}`), `"works"`)
	if r := <-sibling; string(r.Output) != `"done"` {
		t.Errorf("%+v", r.Error)
	}
	for deadline := time.Now().Add(5 * time.Second); e.Stats().Children > 1; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%+v", e.Stats())
		}
	}
}

// TestT4_Memory: a child that takes too much memory is ended, its call says so,
// and the next one works. The engine's own limit comes first where it can.
func TestT4_Memory(t *testing.T) {
	if !again(t) {
		return
	}
	sources := map[string]string{
		// The engine would allow all of it.
		script.RuntimeProcess: `const keep = []; for (let i = 0; i < 1000; i++) { keep.push('x'.repeat(1 << 20) + i); await Bun.sleep(1); } return keep.length;`,
		script.RuntimeNode:    `const keep = []; for (let i = 0; i < 1000; i++) { keep.push(Buffer.alloc(1 << 22, i)); await new Promise((r) => setTimeout(r, 1)); } return keep.length;`,
	}
	sources[script.RuntimeBun] = sources[script.RuntimeNode]
	for _, runtime := range runtimes(t) {
		t.Run(runtime, func(t *testing.T) {
			e := apart(t, script.Options{ChildMemory: 400 << 20, Memory: 2 << 30, Timeout: 20 * time.Second})
			m := loadIn(t, e, runtime, "export const handlers = { run: async () => {"+sources[runtime]+"}, next: () => 'works' };")
			err := failure(t, m, "run", `{}`)
			if err.Code != gongu.CodeTool || !strings.Contains(err.Message, fmt.Sprint(400<<20)) {
				t.Errorf("%+v", err)
			}
			wantText(t, output(t, m, "next", `{}`), `"works"`)
			if s := e.Stats(); s.Killed != 1 {
				t.Errorf("%+v", s)
			}
		})
	}
	t.Run("engine", func(t *testing.T) {
		e := apart(t, script.Options{Memory: 8 << 20})
		m := loadIn(t, e, script.RuntimeProcess, "export const handlers = { run: () => { const a = []; for (;;) a.push('x'.repeat(1000) + a.length); }, next: () => 'works' };")
		err := failure(t, m, "run", `{}`)
		wantPart(t, err.Message, "8388608 bytes of memory")
		wantText(t, output(t, m, "next", `{}`), `"works"`)
		if s := e.Stats(); s.Killed != 0 {
			t.Errorf("%+v", s)
		}
	})
}
