package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/proc"
)

// environ returns the environment variables that scripts and their programs
// see.
func (e *Engine) environ() []string { return slices.Sorted(slices.Values(proc.Environ(e.opts.Env))) }

type spawnArgs struct {
	Command []string          `json:"command"`
	Cwd     string            `json:"cwd"`
	Env     map[string]string `json:"env"`
	Timeout float64           `json:"timeout"`
}

// programOutput is the output of a program.
type programOutput struct {
	Text     string          `json:"text"`
	Base64   []byte          `json:"base64,omitempty"`
	TooLarge json.RawMessage `json:"tooLarge,omitempty"`
}

type spawnEnd struct {
	Code     int           `json:"code"`
	Signal   string        `json:"signal,omitempty"`
	Number   int           `json:"number,omitempty"`
	TimedOut bool          `json:"timedOut,omitempty"`
	Stdout   programOutput `json:"stdout"`
	Stderr   programOutput `json:"stderr"`
}

// spawn runs a program and waits for it. Its process group is killed with the
// call.
func spawn(ctx context.Context, c *call, args spawnArgs) (string, error) {
	l := c.module.engine.lang
	if !proc.Groups {
		return "", errors.New(lang.ShellNone.In(l))
	}
	if len(args.Command) == 0 || args.Command[0] == "" {
		return "", &hostError{"TypeError", "ERR_INVALID_ARG_VALUE", lang.ScriptNoCommand.In(l)}
	}
	dir, err := c.directory(args.Cwd)
	if err != nil {
		return "", err
	}
	env, err := c.environment(dir, args.Env)
	if err != nil {
		return "", err
	}
	limit := c.module.engine.opts.MaxRead
	stdout, stderr := &collector{limit: limit}, &collector{limit: limit}
	exit, err := proc.Run(ctx, proc.Command{
		Argv: args.Command, Dir: dir, Env: env, Stdout: stdout, Stderr: stderr, Sandbox: c.module.policy().In(c.space().Workdir),
		Timeout: time.Duration(min(max(args.Timeout, 0), 1<<31) * float64(time.Millisecond)),
	})
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "", &hostError{"Error", "ENOENT", lang.ScriptNoProgram.In(l, args.Command[0])}
	case err != nil && wasKilled(ctx):
		exit = proc.Exit{Code: -1, Signal: "SIGTERM"}
	case err != nil:
		return "", err
	}
	end := spawnEnd{Code: exit.Code, Signal: exit.Signal, TimedOut: exit.TimedOut, Stdout: stdout.finish(l, "stdout"), Stderr: stderr.finish(l, "stderr")}
	if exit.TimedOut && end.Signal == "" {
		end.Signal = "SIGTERM"
	}
	if end.Signal != "" {
		end.Number = map[string]int{"SIGHUP": 1, "SIGINT": 2, "SIGKILL": 9, "SIGTERM": 15}[end.Signal]
	}
	raw, err := json.Marshal(end)
	return string(raw), err
}

// directory returns the working directory of a program, which must be one that
// the call may use.
func (c *call) directory(path string) (string, error) {
	if path == "" {
		path = "."
	}
	p, err := c.space().At(path)
	if err != nil {
		return "", asFileError(err, path)
	}
	defer func() { _ = p.Close() }() // only its metadata was read
	return p.Path, asFileError(p.Dir(), path)
}

// environment returns the environment of a program: what the script gives, or
// else environ.
func (c *call) environment(dir string, given map[string]string) ([]string, error) {
	if given == nil {
		return append(c.module.engine.environ(), "PWD="+dir), nil
	}
	list := make([]string, 0, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(given[name], 0) {
			return nil, errors.New(lang.ScriptEnv.In(c.module.engine.lang, name))
		}
		list = append(list, name+"="+given[name])
	}
	return list, nil
}

// collector stores the output of a program, up to a limit.
type collector struct {
	limit int

	mu   sync.Mutex
	buf  bytes.Buffer
	more bool
}

func (w *collector) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	room := w.limit - w.buf.Len()
	if len(p) > room {
		w.more = true
		w.buf.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return w.buf.Write(p)
}

func (w *collector) finish(l lang.Lang, name string) programOutput {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.more {
		message := lang.ScriptMuchOutput.In(l, name, w.limit)
		return programOutput{TooLarge: json.RawMessage(hostFault("RangeError", "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", message))}
	}
	if raw := w.buf.Bytes(); !utf8.Valid(raw) {
		return programOutput{Base64: bytes.Clone(raw)}
	}
	return programOutput{Text: w.buf.String()}
}
