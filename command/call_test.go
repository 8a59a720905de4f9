package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/command"
)

// C01, C02, C06, row 9: the words of the command, the own name last, the
// arguments as JSON on standard input.
func TestC_Call(t *testing.T) {
	e := runner(t, "echo", nil)
	if got := string(call(t, e, "x", `{"a":1}`).Output); got != `"--flag x|{\"a\":1}"` {
		t.Errorf("C01, C06: %s", got)
	}
	if got := string(call(t, runner(t, "deaf", nil), "x", `{}`).Output); got != `"did not listen"` {
		t.Errorf("C02: %s", got)
	}
	if got := string(call(t, runner(t, "json", nil), "x", `{}`).Output); got != `{"temperature": 21, "html": "<b>"}` {
		t.Errorf("JSON stays JSON: %s", got)
	}
	if got := call(t, e, "x", `{"a":"one"}`); got.Error == nil || got.Error.Code != gongu.CodeInvalidArgs {
		t.Errorf("C11: %+v", got)
	}
	if got := call(t, e, "x", `{"b":1}`); got.Error == nil || got.Error.Code != gongu.CodeInvalidArgs {
		t.Errorf("C12: %+v", got)
	}
	if got := call(t, e, "x", `{"wait_for_previous":true}`); got.Error == nil {
		t.Errorf("C14: a parameter that the author did not declare reached the program: %+v", got)
	}
}

// C03, C05: how a program fails.
func TestC_Failure(t *testing.T) {
	result := call(t, runner(t, "fail", nil), "x", `{}`)
	if result.Error == nil || result.Error.Code != gongu.CodeTool || result.Error.Name != command.ErrorName {
		t.Fatalf("C03: %+v", result)
	}
	if got, want := result.Error.Message, "x failed with exit code 3. no such city"; got != want {
		t.Errorf("C03: %q, want %q", got, want)
	}
	if got, want := string(result.Output), `{"stdout":"half","stderr":"no such city\n","exitCode":3}`; got != want {
		t.Errorf("C03: %s, want %s", got, want)
	}
	text := contentText(t, result)
	if want := "Stdout: half\nStderr: no such city\n\nError: (none)\nExit Code: 3\nSignal: (none)"; text != want {
		t.Errorf("C03: %q", text)
	}
	result = call(t, runner(t, "kill", nil), "x", `{}`)
	if text := contentText(t, result); text != "Stdout: (empty)\nStderr: (empty)\nError: (none)\nExit Code: (none)\nSignal: SIGKILL" {
		t.Errorf("C05: %q", text)
	}
	missing := runner(t, "echo", func(c *command.Config) { c.Call = []string{"no-such-program-at-all"} })
	if result := call(t, missing, "x", `{}`); result.Error == nil || result.Error.Code != gongu.CodeUnavailable {
		t.Errorf("a missing program: %+v", result)
	}
}

func contentText(t *testing.T, result gongu.Result) string {
	t.Helper()
	var blocks []gongu.Content
	if err := json.Unmarshal(result.Content, &blocks); err != nil || len(blocks) != 1 {
		t.Fatalf("%v: %s", err, result.Content)
	}
	return blocks[0].Text
}

// C04, row 10: the exit code decides; what is said on standard error is told
// while it comes.
func TestGeminiC04_StderrIsALog(t *testing.T) {
	var mu sync.Mutex
	var heard []string
	ctx, err := gongu.WithContext(t.Context(), gongu.Context{
		AgentName: "a", InstanceKey: "i", TurnID: "t", TraceID: strings.Repeat("0", 32), Workdir: t.TempDir(),
		Caller: gongu.Caller{
			Log: func(_ context.Context, _ slog.Level, line string) {
				mu.Lock()
				defer mu.Unlock()
				heard = append(heard, line)
			},
			Progress: func(_ context.Context, done, _ float64, line string) {
				mu.Lock()
				defer mu.Unlock()
				heard = append(heard, fmt.Sprint(done, line))
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	result := runner(t, "chatty", nil).Call(ctx, gongu.Call{Name: "prog__x"})
	if string(result.Output) != `"fine"` {
		t.Errorf("%+v", result)
	}
	if got := strings.Join(heard, ","); got != "working,1working,done,2done" {
		t.Errorf("heard %s", got)
	}
}

// C07, row 11: a call that is cancelled ends the program, and says so.
func TestGeminiC07_Cancel(t *testing.T) {
	e := runner(t, "hang", nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	begin := time.Now()
	result := e.Call(ctx, gongu.Call{Name: "prog__x"})
	if result.Error == nil || result.Error.Code != gongu.CodeCancelled || time.Since(begin) > 20*time.Second {
		t.Errorf("%+v after %s", result, time.Since(begin))
	}
	e = runner(t, "hang", func(c *command.Config) { c.Timeout = 300 * time.Millisecond })
	if result := call(t, e, "x", `{}`); result.Error == nil || result.Error.Code != gongu.CodeTimeout {
		t.Errorf("timeout: %+v", result)
	}
}

// C08, row 12: a program that does not read its input.
func TestGeminiC08_DeafProgram(t *testing.T) {
	e := runner(t, "deaf", func(c *command.Config) {
		c.Discover = []string{"echo", `[{"name":"x"}]`}
	})
	args, _ := json.Marshal(map[string]string{"text": strings.Repeat("x", 900_000)})
	for range 5 {
		if result := call(t, e, "x", string(args)); string(result.Output) != `"did not listen"` {
			t.Errorf("%+v", result)
		}
	}
}

// C09, row 13: characters survive however they are written.
func TestGeminiC09_SplitCharacters(t *testing.T) {
	if got := string(call(t, runner(t, "split", nil), "x", `{}`).Output); got != `"가나"` {
		t.Errorf("%s", got)
	}
}

// Gemini C10, row 14: 100 MB come back as a beginning, an end and a file.
func TestGeminiC10_LargeOutput(t *testing.T) {
	result := call(t, runner(t, "large", nil), "x", `{}`)
	var out struct {
		Truncated bool
		Bytes     int64
		Preview   string
		Path      string
	}
	if err := json.Unmarshal(result.Output, &out); err != nil || !out.Truncated || out.Bytes != 100<<20 || len(out.Preview) > 300<<10 {
		t.Fatalf("%v: %+v, %d bytes of preview", err, result.Error, len(out.Preview))
	}
	if info, err := os.Stat(out.Path); err != nil || info.Size() != 64<<20 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestWorker(t *testing.T) {
	e := runner(t, "worker", nil)
	first := string(call(t, e, "pid", `{}`).Output)
	if second := string(call(t, e, "pid", `{}`).Output); first != second || first == "" {
		t.Errorf("two programs, %s and %s", first, second)
	}
	if got := string(call(t, e, "echo", `{"a":5}`).Output); got != `{"a":5}` {
		t.Errorf("%s", got)
	}
	if got := call(t, e, "fail", `{}`); got.Error == nil || got.Error.Message != "bad" || got.Error.Suggestion != "better" {
		t.Errorf("%+v", got)
	}
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			want := fmt.Sprintf(`{"a":%d}`, i)
			if got := string(call(t, e, "echo", want).Output); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	all.Wait()
	if got := call(t, e, "die", `{}`); got.Error == nil || got.Error.Code != gongu.CodeOutcomeUnknown {
		t.Errorf("%+v", got)
	}
	if next := string(call(t, e, "pid", `{}`).Output); next == first || next == "" {
		t.Errorf("after it died: %s", next)
	}
	if got := call(t, e, "garbage", `{}`); got.Error == nil || got.Error.Code != gongu.CodeUnavailable {
		t.Errorf("%+v", got)
	}
	if next := string(call(t, e, "pid", `{}`).Output); next == "" {
		t.Error("no program after garbage")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if got := e.Call(ctx, gongu.Call{Name: "prog__silent"}); got.Error == nil {
		t.Errorf("silence is no answer: %+v", got)
	}
	if next := string(call(t, e, "pid", `{}`).Output); next == "" {
		t.Error("the worker lives on")
	}
}

func ExampleSource_Discover() {
	source, err := command.New(command.Config{
		Name:     "greeter",
		Discover: []string{"echo", `[{"name":"hello","description":"Says hello."}]`},
		Call:     []string{"echo", "called:"},
	})
	if err != nil {
		panic(err)
	}
	listing, err := source.Discover(context.Background())
	if err != nil {
		panic(err)
	}
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(listing.Tools...); err != nil {
		panic(err)
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	fmt.Println(string(executor.Call(context.Background(), gongu.Call{Name: "greeter__hello"}).Output))
	// Output: "called: hello\n"
}
