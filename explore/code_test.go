package explore_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
)

func TestRunCode(t *testing.T) {
	var h heard
	c := &coder{}
	a := everything(t, drawing(t, &explore.Options{Code: c}), h.options())
	a.want("run_code", `{"code":"draw_arc {\"r\":1}\ndraw_arc {\"r\":2}\nset_fill {}"}`, `{
		"value": {"ran":"set_fill","args":{}},
		"log": ["called draw_arc","called draw_arc","called set_fill"],
		"calls": [{"name":"draw_arc","status":"ok","count":2},{"name":"set_fill","status":"ok"}]}`)
	if want := []string{"run_code", "draw_arc", "draw_arc", "set_fill"}; !slices.Equal(h.guard, want) || !slices.Equal(h.middleware, want) {
		t.Errorf("guard %q, middleware %q", h.guard, h.middleware)
	}
	if slices.Contains(c.seen, "run_code") || !slices.Contains(c.seen, "draw_rect") {
		t.Errorf("bound %q", c.seen)
	}
}

// After a failure the model is told what may have taken effect, and where.
func TestRunCodeThatFails(t *testing.T) {
	var h heard
	a := everything(t, drawing(t, &explore.Options{Code: &coder{}}), h.options())
	r := a.call("run_code", `{"code":"draw_arc {}\nremove_fill {}\nset_fill {}"}`)
	if !r.Failed() || r.Error.Code != gongu.CodeDenied {
		t.Fatalf("%+v", r)
	}
	want := `{"value":null,"log":["called draw_arc"],"calls":[{"name":"draw_arc","status":"ok"},{"name":"remove_fill","status":"error","code":"E_TOOL_DENIED"}],"line":2}`
	if string(r.Output) != want {
		t.Errorf("got %s, want %s", r.Output, want)
	}
}

func TestRunCodeTypings(t *testing.T) {
	a := everything(t, drawing(t, &explore.Options{Code: &coder{}}), nil)
	a.want("run_code", `{"typings":["draw_rect","draw_arc"]}`, `{"typings":"declare function draw_rect(): unknown;\ndeclare function draw_arc(): unknown;"}`)
	if err, names := a.refused("run_code", `{"typings":["draw_rectangle"]}`); !slices.Equal(names, []string{"draw_rect"}) {
		t.Errorf("%+v, %q", err, names)
	}
	a.refused("run_code", `{}`)
	var got struct{ Typings string }
	a.into("run_code", `{"code":"draw_arc {}","typings":["draw_arc"]}`, &got)
	if got.Typings == "" {
		t.Error("no typings beside the code")
	}
}

// Code inside of code is refused, whatever stands between.
func TestRunCodeInsideRunCode(t *testing.T) {
	r := drawing(t, &explore.Options{Code: &coder{}})
	through := tool("through", "query", "")
	through.Invoke = func(ctx context.Context, _ gongu.Call) gongu.Result {
		return gongu.ContextOf(ctx).Executor.Call(ctx, gongu.Call{Name: "run_code", Args: json.RawMessage(`{"code":"draw_arc {}"}`)})
	}
	if err := r.Add(through); err != nil {
		t.Fatal(err)
	}
	a := everything(t, r, nil)
	if got := a.call("through", `{}`); got.Failed() {
		t.Fatalf("%+v", got.Error)
	}
	for _, code := range []string{
		`run_code {\"code\":\"draw_arc {}\"}`,
		`call_tool {\"name\":\"run_code\",\"arguments\":{\"code\":\"draw_arc {}\"}}`,
		`through {}`,
	} {
		r := a.call("run_code", `{"code":"`+code+`"}`)
		if !r.Failed() || !strings.Contains(r.Error.Message, "run_code cannot call run_code") {
			t.Errorf("%s: %+v", code, r)
		}
	}
}

func TestRunCodeIsBoundedInCalls(t *testing.T) {
	made := 0
	c := &coder{with: func(ctx context.Context, p explore.Program) explore.Outcome {
		for range 10 {
			r := p.Call(ctx, "draw_arc", nil)
			if r.Failed() {
				return explore.Outcome{Err: r.Error}
			}
			made++
		}
		return explore.Outcome{}
	}}
	a := everything(t, drawing(t, &explore.Options{Code: c, Limits: explore.Limits{Calls: 4}}), nil)
	r := a.call("run_code", `{"code":"x"}`)
	if made != 4 || !r.Failed() || !strings.Contains(r.Error.Message, "more than 4 calls") {
		t.Errorf("%d calls: %+v", made, r.Error)
	}
}

// A call that the runner leaves behind ends with the code.
func TestRunCodeEndsItsCalls(t *testing.T) {
	ended := make(chan struct{})
	began := make(chan struct{})
	c := &coder{with: func(ctx context.Context, p explore.Program) explore.Outcome {
		go func() {
			defer close(ended)
			p.Call(ctx, "slow", nil)
		}()
		<-began
		return explore.Outcome{Value: json.RawMessage("1")}
	}}
	r := drawing(t, &explore.Options{Code: c})
	slow := tool("slow", "query", "")
	slow.Invoke = func(ctx context.Context, _ gongu.Call) gongu.Result {
		close(began)
		<-ctx.Done()
		return gongu.Fail(ctx.Err())
	}
	if err := r.Add(slow); err != nil {
		t.Fatal(err)
	}
	everything(t, r, nil).want("run_code", `{"code":"x"}`, `{"value":1,"log":[],"calls":[{"name":"slow","status":"unfinished"}]}`)
	<-ended
}
