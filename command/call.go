package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/internal/sandbox"
	"github.com/gongu-ai/gongu/internal/stream"
)

// ErrorName is the name in the error of a program that failed.
const ErrorName = "discovered_tool_execution_error"

// invoke runs a tool by its own name.
func (s *Source) invoke(name string) gongu.Invoke {
	return func(ctx context.Context, call gongu.Call) gongu.Result {
		if s.config.Worker {
			return s.callWorker(ctx, name, call)
		}
		return s.spawn(ctx, name, call)
	}
}

// workdir is where a program starts; it is made when it is not there.
func (s *Source) workdir(ctx context.Context) (string, error) {
	if s.config.Cwd != "" {
		return s.config.Cwd, nil
	}
	dir := gongu.ContextOf(ctx).Workdir
	if dir == "" {
		return "", nil
	}
	return dir, fsx.Space{Workdir: dir, Closed: s.config.Closed}.MakeWorkdir()
}

// spill returns what makes the file of a large output, if anything does.
func (s *Source) spill(ctx context.Context, pattern string) func() (*os.File, error) {
	if s.config.Spill == nil {
		return nil
	}
	return func() (*os.File, error) { return s.config.Spill(ctx, pattern) }
}

// sandbox returns the sandbox of a call: it may write to the working directory
// of its caller, wherever the program starts.
func (s *Source) sandbox(ctx context.Context) *sandbox.Policy {
	return s.config.Sandbox.In(gongu.ContextOf(ctx).Workdir)
}

// spawn starts the program for one call.
func (s *Source) spawn(ctx context.Context, name string, call gongu.Call) gongu.Result {
	dir, err := s.workdir(ctx)
	if err != nil {
		return gongu.Fail(err)
	}
	env, err := s.environ()
	if err != nil {
		return s.notRun(ctx, err)
	}
	stdout := &stream.Stream{Keep: s.config.MaxOutput, Spill: s.spill(ctx, "command-*-stdout.txt")}
	stderr := &stream.Stream{Keep: min(s.config.MaxOutput, 64<<10), Spill: s.spill(ctx, "command-*-stderr.txt")}
	said := s.listen(ctx, name)
	stderr.Tell = said.add
	exit, err := proc.Run(ctx, proc.Command{
		Argv: append(slices.Clone(s.config.Call), name), Dir: dir, Env: env, Stdin: call.Args,
		Stdout: stdout, Stderr: stderr, Timeout: s.config.Timeout, Sandbox: s.sandbox(ctx),
	})
	said.flush()
	if err != nil {
		return s.notRun(ctx, err)
	}
	return s.answer(name, exit, stdout, stderr)
}

// notRun returns the result of a call that was stopped or never began.
func (s *Source) notRun(ctx context.Context, err error) gongu.Result {
	if ctx.Err() != nil {
		return gongu.Fail(err)
	}
	program := filepath.Base(s.config.Call[0])
	return gongu.Fail(&gongu.Error{
		Code:       gongu.CodeUnavailable,
		Message:    lang.CommandStart.In(s.lang, program, err),
		Suggestion: lang.CommandStartHint.In(s.lang),
	})
}

// failed is the output of a program that failed.
type failed struct {
	Stdout      string `json:"stdout"`
	StdoutPath  string `json:"stdoutPath,omitempty"`
	Stderr      string `json:"stderr"`
	StderrPath  string `json:"stderrPath,omitempty"`
	ExitCode    *int   `json:"exitCode"`
	Signal      string `json:"signal,omitempty"`
	StdoutBytes int64  `json:"stdoutBytes,omitempty"`
}

func (s *Source) answer(name string, exit proc.Exit, stdout, stderr *stream.Stream) gongu.Result {
	out, size, path := stdout.Finish(s.lang)
	said, _, saidPath := stderr.Finish(s.lang)
	if exit.Code == 0 && exit.Signal == "" && !exit.TimedOut {
		if size > 0 {
			return gongu.OK(map[string]any{"truncated": true, "bytes": size, "preview": out, "path": orNull(path)})
		}
		return printed(out)
	}
	failure := failed{Stdout: out, StdoutPath: path, StdoutBytes: size, Stderr: said, StderrPath: saidPath, Signal: exit.Signal}
	fault := &gongu.Error{Code: gongu.CodeTool, Name: ErrorName, Suggestion: lang.CommandFailedHint.In(s.lang)}
	cause := "(none)"
	switch {
	case exit.TimedOut:
		fault.Code, fault.Suggestion = gongu.CodeTimeout, ""
		fault.Message = lang.CommandTimeout.In(s.lang, name, s.config.Timeout)
		cause = "timed out"
	case exit.Signal != "":
		fault.Message = lang.CommandSignal.In(s.lang, name, exit.Signal)
	default:
		failure.ExitCode = &exit.Code
		fault.Message = lang.CommandFailed.In(s.lang, name, exit.Code)
	}
	if last := lastLines(said); last != "" && !exit.TimedOut {
		fault.Message += " " + last
	}
	result := gongu.OK(failure)
	result.Status, result.Error = gongu.StatusError, fault
	return result.With(gongu.Content{Type: "text", Text: report(failure, cause)})
}

// report describes the failure in the five lines that agents know from commands.
func report(f failed, cause string) string {
	code, signal := "(none)", cmp.Or(f.Signal, "(none)")
	if f.ExitCode != nil {
		code = fmt.Sprint(*f.ExitCode)
	}
	return fmt.Sprintf("Stdout: %s\nStderr: %s\nError: %s\nExit Code: %s\nSignal: %s",
		cmp.Or(f.Stdout, "(empty)"), cmp.Or(f.Stderr, "(empty)"), cause, code, signal)
}

// printed is the result of a program: JSON, as it was written, when it is an
// object or an array, and text, byte for byte, when it is not.
func printed(text string) gongu.Result {
	trimmed := bytes.TrimSpace([]byte(text))
	if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(trimmed) {
		return gongu.Result{Status: gongu.StatusOK, Output: trimmed}
	}
	return gongu.OK(text)
}

func orNull(path string) any {
	if path == "" {
		return nil
	}
	return path
}

// lastLines returns the end of a program's output, short enough for a message.
func lastLines(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return strings.TrimSpace(strings.Join(lines[max(len(lines)-5, 0):], "\n"))
}

// listener passes the lines of a program's standard error to the log and to the
// caller.
type listener struct {
	tell func(line string)
	mu   sync.Mutex
	rest string
}

func (s *Source) listen(ctx context.Context, name string) *listener {
	about := gongu.ContextOf(ctx)
	logger := about.Logger
	if logger == nil {
		logger = s.config.Logger
	}
	said := 0.0
	return &listener{tell: func(line string) {
		logger.Debug("a program said", "command", s.config.Name, "tool", name, "line", line)
		about.Log(ctx, slog.LevelInfo, line)
		said++
		about.Progress(ctx, said, 0, line)
	}}
}

func (l *listener) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest += text
	for {
		line, rest, whole := strings.Cut(l.rest, "\n")
		if !whole {
			return
		}
		l.rest = rest
		l.tell(strings.TrimSuffix(line, "\r"))
	}
}

func (l *listener) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rest != "" {
		l.tell(l.rest)
	}
	l.rest = ""
}
