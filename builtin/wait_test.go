package builtin_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gongu-ai/gongu"
)

// TestWait is case 139, on a clock of its own.
func TestWait(t *testing.T) {
	for args, want := range map[string]struct {
		output string
		passed time.Duration
	}{
		`{"seconds":1.5}`: {`{"waitedSeconds":1.5,"waitedMs":1500}`, 1500 * time.Millisecond},
		`{"seconds":0}`:   {`{"waitedSeconds":0,"waitedMs":0}`, 0},
		// The longest wait is not cut off by the tool's own deadline.
		`{"seconds":300}`: {`{"waitedSeconds":300,"waitedMs":300000}`, 300 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, executor := newExecutor(t, "en")
			began := time.Now()
			result := executor.Call(t.Context(), gongu.Call{Name: "wait__seconds", Args: json.RawMessage(args)})
			if string(result.Output) != want.output || time.Since(began) != want.passed {
				t.Errorf("%s: output %s, error %v after %s; want %s after %s",
					args, result.Output, result.Error, time.Since(began), want.output, want.passed)
			}
		})
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, executor := newExecutor(t, "en")
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		time.AfterFunc(2*time.Second, cancel)
		result := executor.Call(ctx, gongu.Call{Name: "wait__seconds", Args: json.RawMessage(`{"seconds":300}`)})
		if result.Error == nil || result.Error.Code != gongu.CodeCancelled || time.Since(began) != 2*time.Second {
			t.Errorf("%+v after %s, want %s after 2s", result.Error, time.Since(began), gongu.CodeCancelled)
		}
		// The bubble ends only when the handler's goroutine has ended, too.
	})
}

func TestWaitBounds(t *testing.T) {
	_, executor := newExecutor(t, "en")
	for args, message := range map[string]string{
		`{"seconds":301}`:   "'seconds' must be less than or equal to 300",
		`{"seconds":1e300}`: "'seconds' must be less than or equal to 300",
		`{"seconds":-0.1}`:  "'seconds' must be greater than or equal to 0",
	} {
		result := executor.Call(t.Context(), gongu.Call{Name: "wait__seconds", Args: json.RawMessage(args)})
		if result.Error == nil || result.Error.Code != gongu.CodeInvalidArgs {
			t.Errorf("%s: %+v, want %s", args, result.Error, gongu.CodeInvalidArgs)
		}
		result = invoke(t.Context(), "wait__seconds", args)
		if result.Error == nil || result.Error.Message != message {
			t.Errorf("%s without a schema: %+v, want %q", args, result.Error, message)
		}
	}
}

func TestWaitLimits(t *testing.T) {
	registry, _ := newExecutor(t, "en")
	tool, _ := registry.Get("wait__seconds")
	if tool.Limits.ErrorMessage != 600 || tool.Limits.Timeout <= 300*time.Second {
		t.Errorf("limits %+v, want 600 runes and more than 300 s", tool.Limits)
	}
}
