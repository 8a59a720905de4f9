package script_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/script"
)

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func textLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// childrenOf are the running children of this process.
func childrenOf(t testing.TB) []int {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, list := range lists {
		raw, err := os.ReadFile(list)
		if err != nil {
			continue // a thread may be gone by now
		}
		for word := range strings.FieldsSeq(string(raw)) {
			var pid int
			if _, err := fmt.Sscan(word, &pid); err == nil && isRunning(pid) {
				out = append(out, pid)
			}
		}
	}
	return out
}

// isRunning says whether a process runs; one that only waits to be buried does
// not.
func isRunning(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	return rest != "" && rest[0] != 'Z' && rest[0] != 'X'
}

func wantGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); isRunning(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

func inJSON(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// noChildren waits until the engine has none.
func noChildren(t *testing.T, e *script.Engine) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); e.Stats().Children > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%+v", e.Stats())
		}
	}
}

// waitWarm gives a process that was started ahead the time to get ready: it is
// when it has stopped to use the processor.
func waitWarm(tb testing.TB) {
	tb.Helper()
	before := ""
	for {
		var now string
		for _, pid := range childrenOf(tb) {
			raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
			if err != nil {
				return // it cannot be seen here
			}
			now += string(raw)
		}
		if now == before {
			return
		}
		before = now
		time.Sleep(40 * time.Millisecond)
	}
}

// endProcess kills a process.
func endProcess(t *testing.T, pid int) {
	t.Helper()
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}
