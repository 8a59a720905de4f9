package host_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/footprint"
)

// H13: ten thousand calls of a bundle, half of them failing or timing out,
// real processes among them, leave goroutines, descriptors, children and
// memory as they were.
func TestH13_TenThousandCalls(t *testing.T) {
	calls := 10_000
	if raceDetector || testing.Short() {
		// The detector sees all there is to see in fewer, and its own memory
		// grows with the addresses touched. make heavy counts all of them.
		calls = 400
	}
	h := open(t, folder(t, base), nil)
	if got := call(t, h, "", "file-system__write", `{"path":"a.txt","content":"x"}`); got.Failed() {
		t.Fatalf("%+v", got.Error)
	}
	batch := func(n int) {
		t.Helper()
		calls := make([]gongu.Call, n)
		for i := range calls {
			calls[i] = mixedCall(i)
		}
		failed := 0
		var results []gongu.Result
		if err := h.Step(t.Context(), "", func(ctx context.Context, x *gongu.Executor) error {
			results = x.Batch(ctx, calls)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, result := range results {
			if result.ToolCallID == "" {
				t.Fatal("a call was not answered")
			}
			if result.Failed() || strings.Contains(string(result.Output), `"timedOut":true`) {
				failed++
			}
		}
		if failed*2 < n-1 || failed*2 > n+1 {
			t.Errorf("%d of %d calls failed or timed out, want half", failed, n)
		}
	}
	batch(400)
	before, err := footprint.Take(footprint.Footprint{Goroutines: runtime.NumGoroutine()})
	if err != nil {
		t.Fatal(err)
	}
	batch(calls)
	after, err := footprint.Take(before)
	if err != nil {
		t.Fatal(err)
	}
	if raceDetector {
		after.Resident = before.Resident
	}
	for _, grown := range after.Grown(before) {
		t.Error(grown)
	}
}

// mixedCall is a good call for an even number and a bad one for an odd one;
// one in twenty is a process.
func mixedCall(i int) gongu.Call {
	name, args := "file-system__read", `{"path":"a.txt"}`
	switch i % 40 {
	case 0:
		name, args = "bash__exec", `{"command":"echo hi"}`
	case 1:
		name, args = "bash__exec", `{"command":"trap '' TERM; sleep 60 & sleep 60","timeoutMs":20}`
	case 3, 13, 23:
		args = `{"path":"../../../../etc/passwd"}`
	case 5, 15, 25:
		name = "no__such"
	default:
		if i%2 == 1 {
			args = `{"path":"missing.txt"}`
		}
	}
	return gongu.Call{Name: name, Args: json.RawMessage(args)}
}

// The path that a cut output names can be read with the file tools.
func TestSpilledOutputCanBeRead(t *testing.T) {
	h := open(t, folder(t, base), nil)
	if err := h.Registry().Add(gongu.Tool{Name: "big", Limits: gongu.Limits{Output: 100}, Invoke: func(ctxT, gongu.Call) gongu.Result {
		return gongu.OK(strings.Repeat("x", 5000))
	}}); err != nil {
		t.Fatal(err)
	}
	var cut struct{ Path string }
	if err := json.Unmarshal(call(t, h, "", "big", `{}`).Output, &cut); err != nil {
		t.Fatal(err)
	}
	path, err := json.Marshal(map[string]any{"path": cut.Path, "maxBytes": 10})
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, h, "", "file-system__read", string(path)); got.Failed() || !strings.Contains(string(got.Output), `"size":5002`) {
		t.Errorf("read: %s %+v", got.Output, got.Error)
	}
}
