package ask

import (
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

func pending(tool, args string) *state.Approval {
	return &state.Approval{
		ID: "ap-2b7xq3hkzvwm4t", State: state.ApprovalPending, Principal: "한국어-사용자-이름이-긴-사람", PrincipalKind: "stdio", Agent: "an-agent-with-a-long-name",
		Tool: tool, Calls: []state.ApprovalCall{{Tool: tool, Args: []byte(args)}}, Expires: time.Now().Add(time.Hour),
	}
}

// The list fits the terminal, also with wide characters and text that would steer it.
func TestTableFits(t *testing.T) {
	list := []*state.Approval{
		pending("a__b", `{"to":"`+strings.Repeat("한", 200)+`"}`),
		pending("server__a_tool_with_a_very_long_name_indeed", "{\"x\":\"\x1b[2J\n\"}"),
	}
	for _, width := range []int{80, 100, 200} {
		for line := range strings.SplitSeq(Table(list, width, lang.Korean), "\n") {
			if n := terminal.Columns(line); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
			if strings.Contains(line, "\x1b") {
				t.Errorf("an escape: %q", line)
			}
		}
	}
}

// P6: the calls of a macro are one question, which shows each, and those that were
// approved before.
func TestTextOfSeveralCalls(t *testing.T) {
	a := pending("macro__run", `{"n":1}`)
	a.Calls[0].Tool, a.Calls[0].Approved = "files__write", true
	a.Calls = append(a.Calls, state.ApprovalCall{Tool: "mail__send", Args: []byte(`{"to":"x"}`)})
	text := Text(a, TextOptions{})
	for _, want := range []string{"A call of macro__run makes 2 calls", "1. files__write (approved before)", "2. mail__send", "  to: x"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	q := &question{Asker: New(Options{}), a: a}
	if keys := q.possible(); strings.ContainsAny(keys, "er") {
		t.Errorf("%q: several calls have arguments to edit or remember", keys)
	}
}

// P11: a command that a person has changed is looked at again.
func TestP11_EditedCommandIsParsed(t *testing.T) {
	k := New(Options{})
	for _, c := range []struct {
		args    string
		kind    string
		dynamic bool
	}{
		{`{"command":"ls -l"}`, policy.KindCommand, false},
		{`{"command":"$(x)"}`, policy.KindCommand, true},
		{`{"other":"ls"}`, policy.KindCall, true},
	} {
		a := pending("bash__exec", `{"command":"ls"}`)
		a.Calls[0].Preview = []byte(`{"kind":"command","command":"ls"}`)
		q := &question{Asker: k, a: a}
		q.replace(t.Context(), []byte(c.args))
		if got := PreviewOf(&a.Calls[0]); got.Kind != c.kind || got.Dynamic != c.dynamic || a.Calls[0].Dynamic != c.dynamic {
			t.Errorf("%s: %+v", c.args, got)
		}
	}
}
