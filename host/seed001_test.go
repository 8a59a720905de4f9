package host_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"regexp"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/host"
)

// lockedBuffer is a buffer that several goroutines may write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// TestSeed001_ToolLogRecords holds seed 001 §8.4 to the record: the extension as
// printed, in the bundle that ships as an example, logs each call twice at
// debug, first with all arguments, then with the milliseconds.
func TestSeed001_ToolLogRecords(t *testing.T) {
	out := &lockedBuffer{}
	h := example(t, "seed", host.Options{Logger: slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	call(t, h, "", "file-system__write", `{"path":"a.txt","content":"hi"}`)
	call(t, h, "", "bash__exec", `{"command":"true"}`)

	out.mu.Lock()
	defer out.mu.Unlock()
	elapsed := regexp.MustCompile(`\([0-9]+ms\)$`)
	var got []string
	for decoder := json.NewDecoder(&out.b); decoder.More(); {
		var record struct{ Level, Msg, Extension string }
		if err := decoder.Decode(&record); err != nil {
			t.Fatal(err)
		}
		if record.Extension == "tool-log" {
			got = append(got, record.Level+" "+elapsed.ReplaceAllString(record.Msg, "(<n>ms)"))
		}
	}
	want := []string{
		`DEBUG Tool 호출: file-system__write {path: "a.txt", content: "hi"}`,
		"DEBUG Tool 완료: file-system__write (<n>ms)",
		`DEBUG Tool 호출: bash__exec {command: "true"}`,
		"DEBUG Tool 완료: bash__exec (<n>ms)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}
