//go:build unix

package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
)

type runAnswer struct {
	Command, Cwd, Path, Shell string
	Args                      []string
	DurationMs                int64
	Stdout, Stderr            string
	ExitCode                  int
	Signal                    *string
	TimedOut, Truncated       bool
	StdoutBytes, StderrBytes  int64
	StdoutPath, StderrPath    string
}

func exec(t testing.TB, e *gongu.Executor, args map[string]any) runAnswer {
	t.Helper()
	return answer[runAnswer](t, ask(t, e, "bash__exec", args))
}

// TestExec is case 127, field by field.
func TestExec(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	r := raw(t, executor, "bash__exec", `{"command":"echo hi"}`)
	got := answer[runAnswer](t, r)
	duration := strconv.FormatInt(got.DurationMs, 10)
	want := `{"command":"echo hi","cwd":"` + workdir + `","durationMs":` + duration +
		`,"stdout":"hi\n","stderr":"","exitCode":0,"signal":null,"timedOut":false}`
	if string(r.Output) != want {
		t.Errorf("got %s\nwant %s", r.Output, want)
	}
	for command, want := range map[string]runAnswer{
		"exit 3":                 {ExitCode: 3},
		"echo out; echo err >&2": {Stdout: "out\n", Stderr: "err\n"},
		"cat":                    {}, // no input
		"kill -KILL $$":          {ExitCode: -1, Signal: new("SIGKILL")},
		"printf 'a\\377b'":       {Stdout: "a\ufffdb"},
	} {
		got := exec(t, executor, map[string]any{"command": command})
		if got.Stdout != want.Stdout || got.Stderr != want.Stderr || got.ExitCode != want.ExitCode || got.TimedOut ||
			(got.Signal == nil) != (want.Signal == nil) || got.Signal != nil && *got.Signal != *want.Signal {
			t.Errorf("%s: %+v, want %+v", command, got, want)
		}
	}
	wantMessage(t, raw(t, executor, "bash__exec", `{"command":""}`), "'command' must be a non-empty string")
}

func TestExecDirectory(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	if err := os.MkdirAll(filepath.Join(workdir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(workdir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{"sub", filepath.Join(workdir, "sub")} {
		got := exec(t, executor, map[string]any{"command": "pwd; echo $PWD", "cwd": cwd})
		want := filepath.Join(workdir, "sub")
		if got.Stdout != want+"\n"+want+"\n" || got.Cwd != want {
			t.Errorf("%s: %+v", cwd, got)
		}
	}
	for cwd, message := range map[string]string{"out": "--root", "nowhere": "The directory does not exist: nowhere", "": "'path' must be"} {
		wantMessage(t, ask(t, executor, "bash__exec", map[string]any{"command": "pwd", "cwd": cwd}), message)
	}
}

// TestScript is case 130.
func TestScript(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	script := filepath.Join(workdir, "show.sh")
	if err := os.WriteFile(script, []byte("for a in \"$@\"; do echo \"[$a]\"; done; pwd; echo $NAME"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := answer[runAnswer](t, ask(t, executor, "bash__script", map[string]any{
		"path": "show.sh", "args": []string{"b", "a c", "-x", ""}, "shell": "/bin/sh", "env": map[string]any{"NAME": 7},
	}))
	if want := "[b]\n[a c]\n[-x]\n[]\n" + workdir + "\n7\n"; got.Stdout != want || got.ExitCode != 0 {
		t.Errorf("%+v, want %q", got, want)
	}
	if got.Path != script || got.Shell != "/bin/sh" || len(got.Args) != 4 {
		t.Errorf("%+v", got)
	}
	r := raw(t, executor, "bash__script", `{"path":"show.sh","shell":"/bin/sh"}`)
	if !strings.Contains(string(r.Output), `"args":[]`) {
		t.Errorf("output %s", r.Output)
	}
	for args, message := range map[string]string{
		`{"path":"no.sh"}`:                        "The file does not exist: no.sh",
		`{"path":"."}`:                            "The path is a directory, not a file: .",
		`{"path":"show.sh","shell":"/no/shell"}`:  "The shell does not exist: /no/shell",
		`{"path":"show.sh","shell":"no-shell-x"}`: "The shell does not exist: no-shell-x",
		`{"path":"show.sh","shell":""}`:           "'shell' must be a non-empty string",
	} {
		wantMessage(t, raw(t, executor, "bash__script", args), message)
	}
}

// wantGroupDead waits until the group that a command printed has ended. Ended
// processes that their parent has not waited for do not run any more.
func wantGroupDead(t testing.TB, printed string) {
	t.Helper()
	group, err := strconv.Atoi(strings.TrimSpace(printed))
	if err != nil || group <= 1 {
		t.Fatalf("no group in %q", printed)
	}
	for deadline := time.Now().Add(5 * time.Second); syscall.Kill(-group, 0) == nil && runs(group); {
		if time.Now().After(deadline) {
			t.Fatalf("group %d still runs", group)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// runs reports whether a process of the group is more than an entry in a table.
func runs(group int) bool {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return true // no way to tell
	}
	for _, name := range stats {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		if fields := strings.Fields(rest); len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" && fields[0] != "X" {
			return true
		}
	}
	return false
}

// TestTimeouts is cases 128 and 129 and W7.
func TestTimeouts(t *testing.T) {
	executor, _ := newSystem(t, builtin.Options{})
	for name, command := range map[string]string{
		"ignores TERM":                "echo $$; trap '' TERM; sleep 60",
		"background child has stdout": "echo $$; sleep 60 &",
		"both":                        "echo $$; trap '' TERM; (sleep 60) & sleep 60",
	} {
		t.Run(name, func(t *testing.T) {
			var took []time.Duration
			for range 3 { // a busy machine may try again; what holds a call does so every time
				began := time.Now()
				got := exec(t, executor, map[string]any{"command": command, "timeoutMs": 200})
				took = append(took, time.Since(began))
				if !got.TimedOut || got.DurationMs < 200 {
					t.Errorf("%+v", got)
				}
				if got.Stdout == "" {
					continue // too busy even to begin
				}
				wantGroupDead(t, got.Stdout)
				if took[len(took)-1] < 1200*time.Millisecond {
					return
				}
			}
			t.Errorf("took %v, within 1 s of the timeout was promised", took)
		})
	}
}

// TestNoTimeout: zero and less mean none, and cancelling still ends the group.
func TestNoTimeout(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	for _, timeout := range []float64{0, -1, 1e300} {
		got := exec(t, executor, map[string]any{"command": "sleep 0.05; echo done", "timeoutMs": timeout})
		if got.Stdout != "done\n" || got.TimedOut {
			t.Errorf("%g: %+v", timeout, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.Map
	ctx = listening(t, ctx, workdir, func(text string) {
		group.LoadOrStore("pid", text)
		cancel()
	})
	r := executor.Call(ctx, gongu.Call{Name: "bash__exec", Args: json.RawMessage(`{"command":"echo $$; trap '' TERM; sleep 60","timeoutMs":0}`)})
	if r.Error == nil || r.Error.Code != gongu.CodeCancelled {
		t.Errorf("%s, %+v, want %s", r.Output, r.Error, gongu.CodeCancelled)
	}
	pid, _ := group.Load("pid")
	wantGroupDead(t, pid.(string))
}

// listening is a context whose caller takes output while it comes.
func listening(t *testing.T, ctx context.Context, workdir string, hear func(string)) context.Context {
	t.Helper()
	ctx, err := gongu.WithContext(ctx, gongu.Context{
		AgentName: "a", InstanceKey: "a", TurnID: "t", TraceID: strings.Repeat("0", 32), Workdir: workdir,
		Caller: gongu.Caller{Partial: func(_ context.Context, c gongu.Content) { hear(c.Text) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// TestPartialOutput: the caller hears the output while the command runs, in
// whole runes. The command goes on only after the caller has heard it.
func TestPartialOutput(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	var mu sync.Mutex
	var heard strings.Builder
	ctx := listening(t, t.Context(), workdir, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if !utf8.ValidString(text) {
			t.Errorf("%q is not UTF-8", text)
		}
		heard.WriteString(text)
		if strings.Contains(heard.String(), "ready") {
			if err := os.WriteFile(filepath.Join(workdir, "go"), nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	command := `printf 'r\352\260'; printf '\200eady'; until [ -e go ]; do sleep 0.01; done; echo done`
	args, err := json.Marshal(map[string]any{"command": strings.ReplaceAll(command, "eady", " ready")})
	if err != nil {
		t.Fatal(err)
	}
	got := answer[runAnswer](t, executor.Call(ctx, gongu.Call{Name: "bash__exec", Args: args}))
	mu.Lock()
	defer mu.Unlock()
	if want := "r가 readydone\n"; got.Stdout != want || heard.String() != want || got.TimedOut {
		t.Errorf("stdout %q, heard %q, want %q", got.Stdout, heard.String(), want)
	}
}

// spillIn makes the files of large outputs in a folder.
func spillIn(dir string) func(context.Context, string) (*os.File, error) {
	return func(_ context.Context, pattern string) (*os.File, error) { return os.CreateTemp(dir, pattern) }
}

// TestGoondanW7_LargeOutput: 60 MB cost a bounded result, and a file has the rest.
func TestGoondanW7_LargeOutput(t *testing.T) {
	const total = 60_000_000
	command := "head -c 60000000 /dev/zero | tr '\\0' x; echo end; echo small >&2"
	dir := t.TempDir()
	executor, _ := newSystem(t, builtin.Options{Spill: spillIn(dir)})
	got := exec(t, executor, map[string]any{"command": command})
	if len(got.Stdout) > 1<<20+100 || len(got.Stdout) < 1<<20 || !strings.HasPrefix(got.Stdout, "xxx") || !strings.HasSuffix(got.Stdout, "xend\n") {
		t.Errorf("%d bytes of stdout, ending in %q", len(got.Stdout), got.Stdout[max(0, len(got.Stdout)-20):])
	}
	if !got.Truncated || got.StdoutBytes != total+4 || got.ExitCode != 0 || got.Stderr != "small\n" || got.StderrBytes != 0 || got.StderrPath != "" {
		t.Errorf("truncated %v, %d bytes, exit %d, stderr %q", got.Truncated, got.StdoutBytes, got.ExitCode, got.Stderr)
	}
	left := strconv.Itoa(total + 4 - 1<<20)
	if !strings.Contains(got.Stdout, "["+left+" bytes left out]") {
		t.Errorf("no mark says that %s bytes are left out", left)
	}
	if info, err := os.Stat(got.StdoutPath); err != nil || info.Size() != total+4 || filepath.Dir(got.StdoutPath) != dir || info.Mode().Perm() != 0o600 {
		t.Errorf("file %q: %v, %v", got.StdoutPath, info, err)
	}

	plain, _ := newSystem(t, builtin.Options{})
	if got := exec(t, plain, map[string]any{"command": command}); !got.Truncated || got.StdoutPath != "" || got.StdoutBytes != total+4 {
		t.Errorf("without a directory: %v, %q, %d", got.Truncated, got.StdoutPath, got.StdoutBytes)
	}
}

// TestSpillIsBounded: the file, too, has an end.
func TestSpillIsBounded(t *testing.T) {
	executor, _ := newSystem(t, builtin.Options{Spill: spillIn(t.TempDir()), MaxOutput: 100})
	got := exec(t, executor, map[string]any{"command": "head -c 70000000 /dev/zero"})
	if info, err := os.Stat(got.StdoutPath); err != nil || info.Size() != 64<<20 || got.StdoutBytes != 70_000_000 {
		t.Errorf("%v, %v, %d", info, err, got.StdoutBytes)
	}
}

// TestSpillFails: a directory that cannot be written costs the file alone.
func TestSpillFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	executor, _ := newSystem(t, builtin.Options{Spill: spillIn(filepath.Join(file, "x")), MaxOutput: 10})
	if got := exec(t, executor, map[string]any{"command": "echo 0123456789abcdef"}); !got.Truncated || got.StdoutPath != "" || got.ExitCode != 0 {
		t.Errorf("%+v", got)
	}
}

// TestOutputIsCutAtRunes, at both ends of what is left out.
func TestOutputIsCutAtRunes(t *testing.T) {
	for keep := 1; keep < 40; keep++ {
		executor, _ := newSystem(t, builtin.Options{MaxOutput: keep})
		got := exec(t, executor, map[string]any{"command": "printf 가나다라마바사아자차카타파하"})
		if strings.ContainsRune(got.Stdout, utf8.RuneError) || got.StdoutBytes != 42 {
			t.Errorf("%d: %q of %d bytes", keep, got.Stdout, got.StdoutBytes)
		}
		head, tail, found := strings.Cut(got.Stdout, "\n... [")
		count, tail, found2 := strings.Cut(tail, " bytes left out] ...\n")
		if n, err := strconv.Atoi(count); !found || !found2 || err != nil || len(head)+n+len(tail) != 42 || len(head)+len(tail) > keep {
			t.Errorf("%d: %q", keep, got.Stdout)
		}
	}
	executor, _ := newSystem(t, builtin.Options{MaxOutput: 42})
	if got := exec(t, executor, map[string]any{"command": "printf 가나다라마바사아자차카타파하"}); got.Stdout != "가나다라마바사아자차카타파하" || got.Truncated {
		t.Errorf("%+v", got)
	}
}

// TestGoondanW7_Environment: a command sees what is let through and what the call
// sets, and no keys.
func TestGoondanW7_Environment(t *testing.T) {
	for name, value := range map[string]string{
		"SECRET_KEY": "s3cret", "OPENAI_API_KEY": "s3cret", "LC_TIME": "C", "TZ": "UTC", "SHOWN": "shown", "APP_ONE": "1", "APP_TWO": "2",
	} {
		t.Setenv(name, value)
	}
	executor, _ := newSystem(t, builtin.Options{Env: []string{"SHOWN", "APP_*", "*"}})
	got := exec(t, executor, map[string]any{"command": "env", "env": map[string]any{"A": "x", "N": 1.5, "B": true, "TZ": "Asia/Seoul"}})
	if strings.Contains(got.Stdout, "s3cret") || strings.Contains(got.Stdout, "SECRET_KEY") {
		t.Error("a key is visible")
	}
	for _, line := range []string{"A=x", "N=1.5", "B=true", "TZ=Asia/Seoul", "LC_TIME=C", "SHOWN=shown", "APP_ONE=1", "APP_TWO=2"} {
		if !strings.Contains("\n"+got.Stdout, "\n"+line+"\n") {
			t.Errorf("%s is not in %q", line, got.Stdout)
		}
	}
	for _, bad := range []map[string]any{{"A=B": 1}, {"": 1}, {"A\x00": 1}, {"A": "\x00"}} {
		wantMessage(t, ask(t, executor, "bash__exec", map[string]any{"command": "env", "env": bad}), "'env' has the name")
	}
	wantMessage(t, raw(t, executor, "bash__exec", `{"command":"env","env":{"A":null}}`), "args.env.A: expected")
}

// TestFIFO: a pipe nobody writes to does not hold a reader.
func TestFIFO(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	if err := syscall.Mkfifo(filepath.Join(workdir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]string{
		"file-system__read": `{"path":"fifo"}`, "file-system__write": `{"path":"fifo","content":"x"}`, "bash__script": `{"path":"fifo"}`,
	} {
		wantMessage(t, raw(t, executor, tool, args), "neither a file nor a directory", "fifo")
	}
	got := answer[listAnswer](t, raw(t, executor, "file-system__list", `{}`))
	if got.Count != 1 || got.Entries[0].Type != "other" || got.Entries[0].Size != nil {
		t.Errorf("%+v", got)
	}
}

// TestSymlinks is W9: a link that leads out is listed and not followed.
func TestSymlinks(t *testing.T) {
	executor, workdir := newSystem(t, builtin.Options{})
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(workdir, "link")); err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]string{
		"file-system__read": `{"path":"link/secret"}`, "file-system__write": `{"path":"link/new","content":"x"}`,
		"file-system__list": `{"path":"link"}`, "file-system__mkdir": `{"path":"link/new"}`, "bash__script": `{"path":"link/secret"}`,
	} {
		wantMessage(t, raw(t, executor, tool, args), "--root")
	}
	got := answer[listAnswer](t, raw(t, executor, "file-system__list", `{"recursive":true}`))
	if got.Count != 1 || got.Entries[0].Type != "symlink" {
		t.Errorf("%+v", got)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside there are %v, %v", entries, err)
	}
}
