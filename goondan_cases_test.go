package gongu_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
)

// The cases that goondan, its specifications and its successor leave behind,
// by number: 1 to 30 are the executor, 31 to 40 names and the registry. The
// sentences are ours. Where goondan throws, Go panics or returns an error;
// package script tests handlers in JavaScript.

const commandSchema = `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`

// bashExec is the tool most cases use; calls counts how often it ran.
func bashExec(calls *int) gongu.Tool {
	return handled("bash__exec", commandSchema, func(context.Context, gongu.Call) gongu.Result {
		*calls++
		return gongu.OK(map[string]any{"stdout": "hi"})
	})
}

// wantInvalid runs a tool with this schema on arguments it must refuse, and
// checks that the handler never saw them.
func wantInvalid(t *testing.T, schema gongu.Schema, args string, issues ...string) {
	t.Helper()
	ran := false
	e := newExecutor(t, nil, handled("t__x", schema, func(_ context.Context, call gongu.Call) gongu.Result {
		ran = true
		return gongu.OK(call.Args)
	}))
	got := wantCode(t, run(t, e, "t__x", args), "E_TOOL_INVALID_ARGS")
	if got.Name != "ToolInputValidationError" || !strings.HasPrefix(got.Message, "Invalid arguments for tool 't__x': ") {
		t.Errorf("error = %+v", got)
	}
	for _, issue := range issues {
		if !strings.Contains(got.Message, issue) {
			t.Errorf("%s: message = %q, want %q in it", args, got.Message, issue)
		}
	}
	if ran {
		t.Errorf("%s: the handler ran", args)
	}
}

// thrown is the error of a tool that panics with v.
func thrown(t *testing.T, opts *gongu.ExecutorOptions, v any) *gongu.Error {
	t.Helper()
	result := run(t, newExecutor(t, opts, handled("t__x", "", func(context.Context, gongu.Call) gongu.Result { panic(v) })), "t__x", `{}`)
	if !result.Failed() || result.Error == nil {
		t.Fatalf("a panic gave %s", result.Output)
	}
	return result.Error
}

// Goondan 1: a registered tool that an empty catalog does not list is refused
// in the words of seed 001 §9.2, and its handler is not called.
func TestGoondan01_NotInCatalog(t *testing.T) {
	calls := 0
	r := newRegistry(t, bashExec(&calls))
	empty := catalogOf(t, r, gongu.CatalogOptions{Allow: []gongu.Rule{}})
	result := run(t, overRegistry(r, &gongu.ExecutorOptions{Catalog: empty}), "bash__exec", `{"command":"pwd"}`)
	got := wantCode(t, result, "E_TOOL_NOT_IN_CATALOG")
	if result.Status != "error" || got.Name != "ToolNotInCatalogError" || got.Suggestion == "" {
		t.Errorf("%s: %+v", result.Status, got)
	}
	if want := "Tool 'bash__exec' is not available in the current Tool Catalog."; got.Message != want {
		t.Errorf("message = %q, want %q", got.Message, want)
	}
	if calls != 0 {
		t.Error("the handler ran")
	}
}

// Goondan 2: once the catalog lists it, the same tool runs; the result has the
// handler's value and the ids of the call.
func TestGoondan02_InCatalog(t *testing.T) {
	calls := 0
	r := newRegistry(t, bashExec(&calls), tool("other"))
	listed := catalogOf(t, r, gongu.CatalogOptions{Names: []string{"bash__exec"}})
	e := overRegistry(r, &gongu.ExecutorOptions{Catalog: listed})
	result := e.Call(t.Context(), gongu.Call{ID: "call-7", Name: "bash__exec", Args: json.RawMessage(`{"command":"pwd"}`)})
	wantOK(t, result, `{"stdout":"hi"}`)
	if result.Status != "ok" || result.ToolCallID != "call-7" || result.ToolName != "bash__exec" || calls != 1 {
		t.Errorf("after %d calls: %+v", calls, result)
	}
}

// Goondan 3: a required argument that is missing is named by its path.
func TestGoondan03_RequiredMissing(t *testing.T) {
	wantInvalid(t, commandSchema, `{}`, "args.command: required property is missing")
}

// Goondan 4: a wrong type is said in words, and a whole number is an integer.
func TestGoondan04_WrongType(t *testing.T) {
	wantInvalid(t, commandSchema, `{"command":123}`, "args.command: expected string but got integer")
	wantInvalid(t, commandSchema, `{"command":1.5}`, "args.command: expected string but got number")
}

// Goondan 5: with additionalProperties false an extra argument is refused.
func TestGoondan05_UnexpectedProperty(t *testing.T) {
	wantInvalid(t, commandSchema, `{"command":"pwd","extra":"x"}`, "args.extra: unexpected property")
}

// Goondan 6: without a limit a long message is cut to 1000 characters, the
// mark included.
func TestGoondan06_DefaultLimit(t *testing.T) {
	long := strings.Repeat("x", 2000)
	want := strings.Repeat("x", 985) + "... (truncated)"
	returned := wantCode(t, run(t, newExecutor(t, nil, failing("t__x", errors.New(long))), "t__x", `{}`), gongu.CodeTool)
	for how, got := range map[string]string{"returned": returned.Message, "thrown": thrown(t, nil, errors.New(long)).Message} {
		if got != want {
			t.Errorf("%s: %d characters ending in %q", how, len(got), got[max(0, len(got)-20):])
		}
	}
}

// Goondan 7: a limit of 50 given with the request, here to the executor, cuts
// to 50.
func TestGoondan07_RequestLimit(t *testing.T) {
	got := thrown(t, &gongu.ExecutorOptions{Limits: gongu.Limits{ErrorMessage: 50}}, strings.Repeat("x", 500))
	if want := strings.Repeat("x", 35) + "... (truncated)"; got.Message != want {
		t.Errorf("message = %q", got.Message)
	}
}

// Goondan 8: a tool's own limit holds on the whole way to the result, above
// the executor's and for refused arguments too. That errorMessageLimit in YAML
// becomes this limit is a test of package host (B2).
func TestGoondan08_ToolLimit(t *testing.T) {
	limited := failing("t__x", errors.New(strings.Repeat("x", 500)))
	limited.Limits.ErrorMessage = 50
	limited.Parameters = `{"type":"object","additionalProperties":false}`
	e := newExecutor(t, &gongu.ExecutorOptions{Limits: gongu.Limits{ErrorMessage: 200}}, limited, failing("t__y", errors.New(strings.Repeat("y", 500))))
	results := e.Batch(t.Context(), []gongu.Call{
		{Name: "t__x"}, {Name: "t__y"}, {Name: "t__x", Args: json.RawMessage(`{"` + strings.Repeat("z", 100) + `":1}`)},
	})
	for i, want := range []int{50, 200, 50} {
		if got := len(results[i].Error.Message); got != want {
			t.Errorf("call %d: %d characters, want %d", i, got, want)
		}
	}
}

// Goondan 9: a limit with no room for the mark cuts plainly. The mark has 15
// characters, so 16 is the first limit that shows it. No rune is split.
func TestGoondan09_LimitBelowMark(t *testing.T) {
	for limit, want := range map[int]string{
		10: "가나다라마바사아자차", 15: "가나다라마바사아자차카타파하a", 16: "가... (truncated)",
	} {
		got := thrown(t, &gongu.ExecutorOptions{Limits: gongu.Limits{ErrorMessage: limit}}, "가나다라마바사아자차카타파하a"+strings.Repeat("b", 15))
		if got.Message != want || utf8.RuneCountInString(got.Message) != limit {
			t.Errorf("limit %d: %q, want %q", limit, got.Message, want)
		}
	}
}

// Goondan 10: a message exactly as long as the limit is left alone, in
// characters and not in bytes.
func TestGoondan10_ExactlyTheLimit(t *testing.T) {
	for _, message := range []string{strings.Repeat("x", 50), strings.Repeat("한", 50)} {
		if got := thrown(t, &gongu.ExecutorOptions{Limits: gongu.Limits{ErrorMessage: 50}}, message); got.Message != message {
			t.Errorf("message = %q, want it unchanged", got.Message)
		}
	}
}

// Goondan 11: suggestion and helpUrl of an error reach the result, also when
// the error is wrapped.
func TestGoondan11_SuggestionAndHelp(t *testing.T) {
	own := &gongu.Error{Message: "m", Suggestion: "do this", HelpURL: "https://example.com/h"}
	for how, got := range map[string]*gongu.Error{
		"returned": run(t, newExecutor(t, nil, failing("t__x", own)), "t__x", `{}`).Error,
		"wrapped":  run(t, newExecutor(t, nil, failing("t__x", fmt.Errorf("outer: %w", own))), "t__x", `{}`).Error,
		"thrown":   thrown(t, nil, own),
	} {
		if got.Suggestion != "do this" || got.HelpURL != "https://example.com/h" {
			t.Errorf("%s: %+v", how, got)
		}
	}
}

// Goondan 12: an error of a kind of its own keeps its name and code.
func TestGoondan12_NameAndCode(t *testing.T) {
	own := &gongu.Error{Message: "m", Name: "X", Code: "E_X"}
	returned := run(t, newExecutor(t, nil, failing("t__x", own)), "t__x", `{}`).Error
	for how, got := range map[string]*gongu.Error{"returned": returned, "thrown": thrown(t, nil, own)} {
		if got.Name != "X" || got.Code != "E_X" || got.Message != "m" {
			t.Errorf("%s: %+v", how, got)
		}
	}
}

// Goondan 13: a numeric code is no code: it is dropped for a default one, the
// message stays, and nothing crashes.
func TestGoondan13_NumericCode(t *testing.T) {
	if got := thrown(t, nil, map[string]any{"message": "m", "code": 42}); got.Code != gongu.CodePanic || got.Message != "m" {
		t.Errorf("thrown: %+v", got)
	}
	var decoded gongu.Error
	if err := json.Unmarshal([]byte(`{"message":"m","code":42,"name":7,"suggestion":"s"}`), &decoded); err != nil {
		t.Fatal(err)
	}
	got := wantCode(t, run(t, newExecutor(t, nil, failing("t__x", &decoded)), "t__x", `{}`), gongu.CodeTool)
	if got.Message != "m" || got.Suggestion != "s" || got.Name != "Error" {
		t.Errorf("decoded: %+v", got)
	}
}

// Goondan 14: a thrown string is the message itself.
func TestGoondan14_ThrownString(t *testing.T) {
	if got := thrown(t, nil, "boom"); got.Message != "boom" || got.Name != "UnknownError" {
		t.Errorf("error = %+v", got)
	}
}

// Goondan 15: a handler that simply returns a value is a tool.
func TestGoondan15_PlainHandler(t *testing.T) {
	type in struct {
		N int `json:"n"`
	}
	double := gongu.Func("math__double", "Doubles.", func(_ context.Context, in in) (int, error) { return 2 * in.N, nil })
	wantOK(t, run(t, newExecutor(t, nil, double), "math__double", `{"n":21}`), `42`)
}

// Goondan 16: a handler that returns nothing gives ok with output null.
func TestGoondan16_NoOutput(t *testing.T) {
	type none struct{}
	for how, silent := range map[string]gongu.Tool{
		"nil":         gongu.Func("t__x", "", func(context.Context, none) (any, error) { return nil, nil }),
		"nil pointer": gongu.Func("t__x", "", func(context.Context, none) (*none, error) { return nil, nil }),
		"nil raw":     gongu.Func("t__x", "", func(context.Context, none) (json.RawMessage, error) { return nil, nil }),
		"no result":   gongu.Func("t__x", "", func(context.Context, none) (gongu.Result, error) { return gongu.Result{}, nil }),
		"ok of nil":   handled("t__x", "", func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }),
	} {
		t.Run(how, func(t *testing.T) {
			result := run(t, newExecutor(t, nil, silent), "t__x", `{}`)
			wantOK(t, result, `null`)
			if result.Status != "ok" {
				t.Errorf("status = %q", result.Status)
			}
		})
	}
}

// Goondan 17: a tool that the catalog lists but nothing stands behind any more
// is not found, which is another code than not in the catalog.
func TestGoondan17_NotFound(t *testing.T) {
	r := newRegistry(t, tool("x__none"))
	e := overRegistry(r, nil)
	r.Remove("x__none")
	got := wantCode(t, run(t, e, "x__none", `{}`), "E_TOOL_NOT_FOUND")
	if got.Name != "ToolNotFoundError" || got.Message != "Tool 'x__none' is not registered." || got.Suggestion == "" {
		t.Errorf("error = %+v", got)
	}
}

// Goondan 18: outside the catalog a tool runs only under a bypass policy.
func TestGoondan18_Bypass(t *testing.T) {
	r := newRegistry(t, tool("a__x"))
	for _, catalog := range []*gongu.Catalog{nil, catalogOf(t, r, gongu.CatalogOptions{Allow: []gongu.Rule{}})} {
		opts := gongu.ExecutorOptions{Catalog: catalog, Logger: quiet()}
		wantCode(t, run(t, gongu.NewExecutor(r, &opts), "a__x", `{}`), gongu.CodeNotInCatalog)
		opts.Bypass = []string{"a__*"}
		wantOK(t, run(t, gongu.NewExecutor(r, &opts), "a__x", `{"n":1}`), `{"n":1}`)
	}
}

// Goondan 19: one failure in a batch of three leaves the other two alone, and
// all come back in call order.
func TestGoondan19_BatchWithFailure(t *testing.T) {
	e := newExecutor(t, nil, tool("a__x"), handled("b__x", "", func(context.Context, gongu.Call) gongu.Result { panic("boom") }))
	results := e.Batch(t.Context(), []gongu.Call{
		{ID: "1", Name: "a__x", Args: json.RawMessage(`{"n":1}`)}, {ID: "2", Name: "b__x"}, {ID: "3", Name: "a__x", Args: json.RawMessage(`{"n":3}`)},
	})
	var got []string
	for _, r := range results {
		got = append(got, r.ToolCallID+" "+r.Status+" "+string(r.Output))
	}
	if diff := cmp.Diff([]string{`1 ok {"n":1}`, "2 error ", `3 ok {"n":3}`}, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// Goondan 20: two slow tools of one step run at the same time, so that the
// step is as long as the slower one, and the results keep call order although
// the second is ready first. Each handler waits for the other: one after the
// other they would never end. One tool message with both results comes with
// the turn loop of step 9.
func TestGoondan20_SlowToolsOverlap(t *testing.T) {
	inA, outB := make(chan struct{}), make(chan struct{})
	waiting := func(name string, enter, leave chan<- struct{}, wait <-chan struct{}) gongu.Tool {
		return handled(name, "", func(ctx context.Context, _ gongu.Call) gongu.Result {
			if enter != nil {
				close(enter)
			}
			select {
			case <-wait:
			case <-ctx.Done():
				return gongu.Fail(ctx.Err())
			}
			if leave != nil {
				close(leave)
			}
			return gongu.OK(name)
		})
	}
	e := newExecutor(t, &gongu.ExecutorOptions{Limits: gongu.Limits{Timeout: 10 * time.Second}},
		waiting("slow__a", inA, nil, outB), waiting("slow__b", nil, outB, inA))
	results := e.Batch(t.Context(), []gongu.Call{{Name: "slow__a"}, {Name: "slow__b"}})
	wantOK(t, results[0], `"slow__a"`)
	wantOK(t, results[1], `"slow__b"`)
}

// Goondan 21: of seven issues five are listed and two are counted.
func TestGoondan21_ManyIssues(t *testing.T) {
	e := newExecutor(t, nil, handled("t__x", `{"type":"object","required":["a","b","c","d","e","f","g"]}`, echo))
	got := wantCode(t, run(t, e, "t__x", `{}`), gongu.CodeInvalidArgs)
	if n := strings.Count(got.Message, "required property is missing"); n != 5 || !strings.HasSuffix(got.Message, "; +2 more issues") {
		t.Errorf("%d issues listed: %s", n, got.Message)
	}
	if !strings.Contains(got.Suggestion, "required=[a, b, c, d, e, f, g]") {
		t.Errorf("suggestion = %s", got.Suggestion)
	}
}

// Goondan 22: a nested object is checked, and the path leads into it.
func TestGoondan22_NestedRequired(t *testing.T) {
	const schema = `{"type":"object","properties":{"o":{"type":"object","required":["x"]},"l":{"type":"array","items":{"type":"string"}}}}`
	wantInvalid(t, schema, `{"o":{}}`, "args.o.x: required property is missing")
	wantInvalid(t, schema, `{"l":["a",1]}`, "args.l[1]: expected string but got integer")
}

// Goondan 23: bounds on length, form and size count; what keeps them passes.
func TestGoondan23_Bounds(t *testing.T) {
	const schema = `{"type":"object","properties":{"s":{"type":"string","minLength":3},"p":{"type":"string","pattern":"^[a-z]+$"},"n":{"type":"number","minimum":1}}}`
	wantInvalid(t, schema, `{"s":"ab"}`, "args.s: must be at least 3 characters long")
	wantInvalid(t, schema, `{"p":"A1"}`, "args.p: must match the pattern ^[a-z]+$")
	wantInvalid(t, schema, `{"n":0}`, "args.n: must be at least 1")
	wantOK(t, run(t, newExecutor(t, nil, handled("t__x", schema, echo)), "t__x", `{"s":"한글말","p":"a","n":1}`), `{"s":"한글말","p":"a","n":1}`)
}

// Goondan 24: a value outside an enum is answered with the enum.
func TestGoondan24_Enum(t *testing.T) {
	wantInvalid(t, `{"type":"object","properties":{"e":{"enum":["a","b"]}}}`, `{"e":"c"}`, `args.e: value must be one of ["a", "b"]`)
}

// Goondan 25: a list of types takes each of them and names them all.
func TestGoondan25_TypeList(t *testing.T) {
	const schema = `{"type":"object","properties":{"v":{"type":["string","number"]}}}`
	wantInvalid(t, schema, `{"v":true}`, "args.v: expected string|number but got boolean")
	e := newExecutor(t, nil, handled("t__x", schema, echo))
	for _, args := range []string{`{"v":5}`, `{"v":0.5}`, `{"v":"5"}`} {
		wantOK(t, run(t, e, "t__x", args), args)
	}
}

// Goondan 26: arguments that come as a JSON string of an object are decoded
// and then checked; a string of an array is refused.
func TestGoondan26_StringArguments(t *testing.T) {
	e := newExecutor(t, nil, handled("bash__exec", commandSchema, echo))
	wantOK(t, run(t, e, "bash__exec", `"{\"command\":\"pwd\"}"`), `{"command":"pwd"}`)
	wantInvalid(t, commandSchema, `"{\"command\":1}"`, "args.command: expected string but got integer")
	wantInvalid(t, commandSchema, `"[{\"command\":\"pwd\"}]"`, "args: expected object but got array")
}

// Goondan 27: arguments that are no object are refused by what they are, also
// for a tool that declares nothing.
func TestGoondan27_NoObject(t *testing.T) {
	for args, kind := range map[string]string{`null`: "null", `[]`: "array", `5`: "number", `-0.5`: "number", `true`: "boolean", `"pwd"`: "string"} {
		for _, schema := range []gongu.Schema{commandSchema, ""} {
			wantInvalid(t, schema, args, "args: expected object but got "+kind)
		}
	}
}

// Goondan 28: a handler that does not return is answered for at its timeout,
// and its context is cancelled so that it can. Here it stays until the answer
// has been seen.
func TestGoondan28_Timeout(t *testing.T) {
	release, told := make(chan struct{}), make(chan error, 1)
	deaf := handled("deaf__x", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		select {
		case <-ctx.Done():
		case <-release:
		}
		told <- ctx.Err()
		<-release
		return gongu.OK("too late")
	})
	deaf.Limits.Timeout = 100 * time.Millisecond
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(10*time.Second, cancel).Stop() // a failure, not a hang
	start := time.Now()
	wantCode(t, newExecutor(t, nil, deaf).Call(ctx, gongu.Call{Name: "deaf__x"}), "E_TOOL_TIMEOUT")
	if took := time.Since(start); took < deaf.Limits.Timeout {
		t.Errorf("answered after %v, before the timeout", took)
	}
	select {
	case err := <-told:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the handler was told %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the handler's context was not cancelled")
	}
}

// Goondan 29: a huge text does not reach the model: the output is capped and
// says so, without a limit at 1 MiB. The 60 MB of the case are tried once, in
// TestH12_OutputCap, because they take seconds under the race detector.
func TestGoondan29_HugeOutput(t *testing.T) {
	for _, tc := range []struct {
		limit, letters int
		truncated      bool
	}{{0, 1<<20 - 1, true}, {0, 1<<20 - 2, false}, {100, 99, true}, {100, 98, false}} {
		text := strings.Repeat("x", tc.letters) // and two quotes
		big := handled("t__x", "", func(context.Context, gongu.Call) gongu.Result { return gongu.OK(text) })
		big.Limits.Output = tc.limit
		result := run(t, newExecutor(t, nil, big), "t__x", `{}`)
		if !tc.truncated {
			if string(result.Output) != `"`+text+`"` {
				t.Errorf("%d letters became %.200s", tc.letters, result.Output)
			}
			continue
		}
		var got struct {
			Truncated bool
			Bytes     int
			Preview   string
		}
		if err := json.Unmarshal(result.Output, &got); err != nil || result.Failed() {
			t.Fatalf("%s, %v", result.Status, err)
		}
		if !got.Truncated || got.Bytes != tc.letters+2 || !strings.HasPrefix(got.Preview, "xxx") || len(result.Output) > 5000 {
			t.Errorf("%d letters: %d bytes of output, truncated %v, bytes %d", tc.letters, len(result.Output), got.Truncated, got.Bytes)
		}
	}
}

// Goondan 30: whatever a handler panics with is an error result, and the next
// call works. Package script tests uncaught rejections.
func TestGoondan30_Panic(t *testing.T) {
	throw := any(nil)
	e := newExecutor(t, nil, handled("t__x", "", func(context.Context, gongu.Call) gongu.Result {
		if throw != nil {
			panic(throw)
		}
		return gongu.OK("fine")
	}))
	for _, throw = range []any{"boom", errors.New("boom"), 42, []int{1}, struct{}{}, func() {}, make(chan int)} {
		wantCode(t, run(t, e, "t__x", `{}`), gongu.CodePanic)
	}
	throw = nil
	wantOK(t, run(t, e, "t__x", `{}`), `"fine"`)
}

type panicsInError struct{}

func (panicsInError) Error() string { panic("no text") }

type panicsInJSON struct{}

func (panicsInJSON) MarshalJSON() ([]byte, error) { panic("no JSON") }

// Goondan 30, the hard half: the value that was thrown may itself panic when
// it is asked what it says. A nil *Error in an error is the likely one.
// The middleware comes first: what escapes there fails the test, what escapes
// from a handler's goroutine ends the process.
func TestGoondan30_PanicOfAPanic(t *testing.T) {
	for _, v := range []any{(*gongu.Error)(nil), fmt.Errorf("outer: %w", (*gongu.Error)(nil)), panicsInError{}, panicsInJSON{}} {
		throws := func(gongu.Invoke) gongu.Invoke {
			return func(context.Context, gongu.Call) gongu.Result { panic(v) }
		}
		survives := func() (ok bool) {
			defer func() {
				if escaped := recover(); escaped != nil {
					t.Errorf("%T thrown by a middleware escaped from Call: %v", v, escaped)
				}
			}()
			wantCode(t, run(t, newExecutor(t, &gongu.ExecutorOptions{Middleware: []gongu.Middleware{throws}}, tool("t__x")), "t__x", `{}`), gongu.CodePanic)
			return true
		}
		if survives() {
			thrown(t, nil, v)
		}
	}
}

// Goondan 31: a name is two parts around one separator, or it does not parse.
func TestGoondan31_ParseName(t *testing.T) {
	if resource, export, ok := gongu.ParseName("a__b"); !ok || resource != "a" || export != "b" {
		t.Errorf("a__b = %q, %q, %v", resource, export, ok)
	}
	for _, name := range []string{"ab", "__b", "a__", "a__b__c"} {
		if resource, export, ok := gongu.ParseName(name); ok || resource != "" || export != "" {
			t.Errorf("%s = %q, %q, %v", name, resource, export, ok)
		}
	}
}

// Goondan 32: a part that contains the separator builds no name.
func TestGoondan32_BuildName(t *testing.T) {
	for _, parts := range [][2]string{{"a__x", "b"}, {"a", "b__y"}} {
		if name, err := gongu.BuildName(parts[0], parts[1]); err == nil || name != "" || !strings.Contains(err.Error(), `must not contain "__"`) {
			t.Errorf("%v = %q, %v", parts, name, err)
		}
	}
}

// Goondan 33: a tool of a resource or extension must have both parts in its
// name. Only what a program adds in Go may be plain.
func TestGoondan33_InvalidName(t *testing.T) {
	for _, kind := range []string{"config", "extension", "mcp", "command"} {
		bad := tool("bad")
		bad.Source = gongu.Source{Type: kind, Name: "owner"}
		r := newRegistry(t)
		if err := r.Add(bad); err == nil || !strings.Contains(err.Error(), `tool "bad": name:`) || r.Has("bad") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// Goondan 34: the same name from the same owner again: the later one, with its
// handler.
func TestGoondan34_LaterWins(t *testing.T) {
	version := func(n int) gongu.Tool {
		v := handled("ext__x", "", func(context.Context, gongu.Call) gongu.Result { return gongu.OK(n) })
		v.Source = gongu.Source{Type: "extension", Name: "ext"}
		return v
	}
	r := newRegistry(t, version(1))
	if err := r.Add(version(2)); err != nil {
		t.Fatal(err)
	}
	wantNames(t, r.Tools(), "ext__x")
	wantOK(t, run(t, overRegistry(r, nil), "ext__x", `{}`), `2`)
}

// Goondan 35: an extension cannot take over a configured tool, and nothing of
// its batch is kept; a declared override can, but not under a catalog that
// showed the old owner.
func TestGoondan35_OwnersAndOverride(t *testing.T) {
	owned := func(kind, owner string) gongu.Tool {
		o := handled("bash__exec", "", func(context.Context, gongu.Call) gongu.Result { return gongu.OK(owner) })
		o.Source = gongu.Source{Type: kind, Name: owner}
		return o
	}
	r := newRegistry(t, owned("config", "bash"))
	before := overRegistry(r, nil)
	err := r.Add(tool("evil__x"), owned("extension", "evil"))
	if err == nil || !strings.Contains(err.Error(), "bash__exec") || !strings.Contains(err.Error(), "Tool/bash") || !strings.Contains(err.Error(), "Extension/evil") {
		t.Errorf("the error names not all of it: %v", err)
	}
	wantNames(t, r.Tools(), "bash__exec")
	wantOK(t, run(t, overRegistry(r, nil), "bash__exec", `{}`), `"bash"`)
	if err := r.Override(owned("extension", "evil")); err != nil {
		t.Fatal(err)
	}
	wantOK(t, run(t, overRegistry(r, nil), "bash__exec", `{}`), `"evil"`)
	wantCode(t, run(t, before, "bash__exec", `{}`), gongu.CodeChanged)
}

// Goondan 36: removing what is not there is no error and changes nothing.
func TestGoondan36_RemoveUnknown(t *testing.T) {
	r := newRegistry(t, tool("a__x"))
	revision := r.Revision()
	if n := r.Remove("a__none"); n != 0 || r.Has("a__none") || r.Revision() != revision {
		t.Errorf("%d removed at revision %d", n, r.Revision())
	}
	if n := r.Remove("a__x", "a__none", "a__x"); n != 1 || r.Has("a__x") || r.Len() != 0 {
		t.Errorf("%d removed, %d left", n, r.Len())
	}
}

// Goondan 37: a returned item is the holder's own. Nested properties cannot be
// changed at all, because a schema is text; what stays the same is what is
// declared and what is enforced.
func TestGoondan37_ReturnedItemsAreCopies(t *testing.T) {
	given := handled("a__x", `{"type":"object","properties":{"o":{"type":"object","required":["x"]}}}`, echo)
	given.Labels, given.Keywords = map[string]string{"k": "v"}, []string{"one"}
	r := newRegistry(t, given)
	c := gongu.Everything(r)
	digest := c.Digest()
	got, _ := c.Get("a__x")
	for _, item := range []*gongu.Tool{&r.Tools()[0], &c.Visible()[0], &got, &given} {
		item.Name, item.Description, item.Parameters, item.Invoke = "a__y", "other", `{"type":"object"}`, nil
		item.Labels["k"], item.Keywords[0] = "w", "two"
	}
	kept, ok := r.Get("a__x")
	if !ok || r.Has("a__y") || kept.Description != "Does a__x." || kept.Labels["k"] != "v" || kept.Keywords[0] != "one" || gongu.Everything(r).Digest() != digest {
		t.Errorf("the registry has %+v", kept)
	}
	wantCode(t, run(t, overRegistry(r, nil), "a__x", `{"o":{}}`), gongu.CodeInvalidArgs)
}

// Goondan 38: a broken schema is refused when the tool is added, not when it
// is called, and the error names the tool.
func TestGoondan38_InvalidSchema(t *testing.T) {
	for _, schema := range []gongu.Schema{
		`{"type":"object","properties":{"a":{"type":"strin"}}}`, `{"type":"object","properties":[]}`, `{"type":"object","required":"a"}`,
		`{"type":"object","properties":{"a":{"pattern":"("}}}`, `{"type":"object"`, `{"type":"string"}`, `{}`, `null`, `true`,
	} {
		r := newRegistry(t)
		if err := r.Add(handled("bad__schema", schema, echo)); err == nil || !strings.Contains(err.Error(), `tool "bad__schema": parameters: `) || r.Len() != 0 {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// Goondan 38 again: the keyword is "type". Another spelling of it is an
// unknown keyword to every provider, so it cannot make the root an object.
func TestGoondan38_RootTypeIsExact(t *testing.T) {
	for _, schema := range []gongu.Schema{`{"Type":"object"}`, `{"type":"string","Type":"object"}`} {
		if err := newRegistry(t).Add(handled("bad__schema", schema, echo)); err == nil {
			t.Errorf("%s was taken", schema)
		}
	}
	if err := newRegistry(t).Add(handled("good__schema", `{"type":"object","TYPE":"x"}`, echo)); err != nil {
		t.Errorf("an unknown keyword hid the type: %v", err)
	}
}

// Goondan 39: a missing description is declared as "", missing parameters as
// the schema of any object. The providers' own forms are tested in dialect.
func TestGoondan39_MissingTexts(t *testing.T) {
	r := newRegistry(t, gongu.Tool{Name: "a__x", Invoke: echo})
	shown := gongu.Everything(r).Visible()[0]
	if shown.Description != "" || shown.Parameters.OrAnyObject() != `{"type":"object","properties":{}}` {
		t.Errorf("declared: %q, %s", shown.Description, shown.Parameters.OrAnyObject())
	}
	wantOK(t, run(t, overRegistry(r, nil), "a__x", `{"any":["thing"]}`), `{"any":["thing"]}`)
}

// Goondan 40: a resource with a single export is still shown with both parts:
// wait__seconds, never wait. Package bundle tests the names of its tools.
func TestGoondan40_SingleExport(t *testing.T) {
	name, err := gongu.BuildName("wait", "seconds")
	if err != nil {
		t.Fatal(err)
	}
	full, short := tool(name), tool("wait")
	full.Source, short.Source = gongu.Source{Type: "config", Name: "wait"}, gongu.Source{Type: "config", Name: "wait"}
	r := newRegistry(t, full)
	if err := r.Add(short); err == nil {
		t.Error("the resource's name alone was taken")
	}
	wantNames(t, gongu.Everything(r).Visible(), "wait__seconds")
	wantCode(t, run(t, overRegistry(r, nil), "wait", `{}`), gongu.CodeNotInCatalog)
}
