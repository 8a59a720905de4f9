package builtin_test

import (
	"context"
	"slices"
	"testing"

	"github.com/gongu-ai/gongu/builtin"
)

// TestSelfRestart is case 140.
func TestSelfRestart(t *testing.T) {
	var heard []string
	executor, _ := newSystem(t, builtin.Options{
		Restart: func(_ context.Context, reason string) { heard = append(heard, reason) },
	})
	for _, tc := range []struct{ args, output string }{
		{`{}`, `{"ok":true,"restartRequested":true,"restartReason":"tool:self-restart"}`},
		{`{"reason":"  new tools \n"}`, `{"ok":true,"restartRequested":true,"restartReason":"new tools"}`},
		{`{"reason":"  "}`, `{"ok":true,"restartRequested":true,"restartReason":"tool:self-restart"}`},
	} {
		if r := raw(t, executor, "self-restart__request", tc.args); string(r.Output) != tc.output {
			t.Errorf("%s: %s, %v, want %s", tc.args, r.Output, r.Error, tc.output)
		}
	}
	// The owner is told by a function: what another tool prints restarts nothing.
	raw(t, executor, "json-query__query", `{"data":"{\"restartRequested\":true}"}`)
	if want := []string{"tool:self-restart", "new tools", "tool:self-restart"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	quiet, _ := newSystem(t, builtin.Options{})
	if r := raw(t, quiet, "self-restart__request", `{}`); r.Failed() {
		t.Errorf("without a listener: %v", r.Error)
	}
}
