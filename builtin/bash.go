package builtin

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/proc"
)

const (
	defaultRunMs     = 30_000
	defaultShell     = "/bin/bash"
	defaultMaxOutput = 1 << 20
	// bashMessage is the longest error message of the bash tools.
	bashMessage = 1200
)

// The arguments that both tools have.
var (
	runTimeoutParam = param{Name: "timeoutMs", Optional: true, Rule: rule{Type: "number", Default: defaultRunMs}}
	runEnvParam     = param{Name: "env", Optional: true, Rule: rule{Type: "object", Values: &rule{Type: []string{"string", "number", "boolean"}}}}
)

// runOutput is the output of a program. The fields with omitempty are only set
// when a stream was cut.
type runOutput struct {
	DurationMs  int64   `json:"durationMs"`
	Stdout      string  `json:"stdout"`
	Stderr      string  `json:"stderr"`
	ExitCode    int     `json:"exitCode"`
	Signal      *string `json:"signal"`
	TimedOut    bool    `json:"timedOut"`
	Truncated   bool    `json:"truncated,omitempty"`
	StdoutBytes int64   `json:"stdoutBytes,omitempty"`
	StdoutPath  string  `json:"stdoutPath,omitempty"`
	StderrBytes int64   `json:"stderrBytes,omitempty"`
	StderrPath  string  `json:"stderrPath,omitempty"`
}

type execArgs struct {
	Command   string            `json:"command"`
	Cwd       *string           `json:"cwd,omitempty"`
	TimeoutMs *float64          `json:"timeoutMs,omitempty"`
	Env       map[string]scalar `json:"env,omitempty"`
}

type execOutput struct {
	Command string `json:"command"`
	Cwd     string `json:"cwd"`
	runOutput
}

func (s *system) execTool() gongu.Tool {
	tool := define(s.lang, definition{
		resource: bash, export: "exec",
		text: lang.BashExec,
		params: []param{
			{Name: "command", Rule: rule{Type: "string"}},
			{Name: "cwd", Optional: true, Rule: rule{Type: "string"}},
			runTimeoutParam,
			runEnvParam,
		},
		keywords:    []string{"shell", "terminal", "command line", "run", "셸", "터미널", "명령어"},
		example:     `{"command":"ls -la"}`,
		limits:      s.runLimits(),
		annotations: runAnnotations(),
	}, s.exec)
	tool.Shell = shellOf(execArgs.shell)
	tool.Preview = preview(s, s.lookExec)
	return tool
}

func (s *system) exec(ctx context.Context, in execArgs) (execOutput, error) {
	if in.Command == "" {
		return execOutput{}, wrong(lang.MustBeNonEmpty, "command")
	}
	dir, err := s.directory(ctx, or(in.Cwd, "."))
	if err != nil {
		return execOutput{}, err
	}
	ran, err := s.run(ctx, program{
		argv: []string{"/bin/sh", "-lc", in.Command}, dir: dir,
		env: in.Env, timeoutMs: or(in.TimeoutMs, defaultRunMs),
	})
	return execOutput{Command: in.Command, Cwd: dir, runOutput: ran}, err
}

type scriptArgs struct {
	Path      string            `json:"path"`
	Args      []string          `json:"args,omitempty"`
	Shell     *string           `json:"shell,omitempty"`
	TimeoutMs *float64          `json:"timeoutMs,omitempty"`
	Env       map[string]scalar `json:"env,omitempty"`
}

type scriptOutput struct {
	Path  string   `json:"path"`
	Shell string   `json:"shell"`
	Args  []string `json:"args"`
	runOutput
}

func (s *system) scriptTool() gongu.Tool {
	tool := define(s.lang, definition{
		resource: bash, export: "script",
		text: lang.BashScript,
		params: []param{
			{Name: "path", Rule: rule{Type: "string"}},
			{Name: "args", Optional: true, Rule: rule{Type: "array", Items: &rule{Type: "string"}}},
			{Name: "shell", Optional: true, Rule: rule{Type: "string", Default: defaultShell}},
			runTimeoutParam,
			runEnvParam,
		},
		keywords:    []string{"shell", "sh", "run file", "셸", "실행"},
		example:     `{"path":"build.sh","args":["--fast"]}`,
		limits:      s.runLimits(),
		annotations: runAnnotations(),
	}, s.script)
	tool.Shell = shellOf(scriptArgs.shell)
	tool.Preview = preview(s, s.lookScript)
	return tool
}

func (s *system) script(ctx context.Context, in scriptArgs) (scriptOutput, error) {
	shell := or(in.Shell, defaultShell)
	if shell == "" {
		return scriptOutput{}, wrong(lang.MustBeNonEmpty, "shell")
	}
	file, err := s.file(ctx, in.Path)
	if err != nil {
		return scriptOutput{}, err
	}
	if err := s.expectScript(ctx, in.Path); err != nil {
		return scriptOutput{}, err
	}
	dir, err := s.directory(ctx, ".")
	if err != nil {
		return scriptOutput{}, err
	}
	ran, err := s.run(ctx, program{
		argv: append([]string{shell, file}, in.Args...), dir: dir,
		env: in.Env, timeoutMs: or(in.TimeoutMs, defaultRunMs),
	})
	return scriptOutput{Path: file, Shell: shell, Args: append([]string{}, in.Args...), runOutput: ran}, err
}

// runLimits leave the time to the tool itself, which at its own timeout still
// has an answer to give, and make room for both streams.
func (s *system) runLimits() gongu.Limits {
	return gongu.Limits{Timeout: -1, ErrorMessage: bashMessage, Output: 2*jsonGrowth*s.opts.MaxOutput + outputRoom}
}

// runAnnotations are the most cautious ones: a command can do anything.
func runAnnotations() *gongu.Annotations {
	return &gongu.Annotations{ReadOnly: new(false), Destructive: new(true), Idempotent: new(false), OpenWorld: new(true)}
}

// directory is the absolute path of a directory to run in.
func (s *system) directory(ctx context.Context, path string) (string, error) {
	p, err := s.at(ctx, path, lang.DirMissing)
	if err != nil {
		return "", err
	}
	defer p.close()
	return p.Path, p.explain(p.Dir())
}

// file is the absolute path of a file to run.
func (s *system) file(ctx context.Context, path string) (string, error) {
	p, err := s.at(ctx, path, lang.FileMissing)
	if err != nil {
		return "", err
	}
	defer p.close()
	info, err := p.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = fsx.ErrIsDir
	case !info.Mode().IsRegular():
		err = fsx.ErrIrregular
	}
	return p.Path, p.explain(err)
}

// program is a program to run.
type program struct {
	argv      []string
	dir       string
	env       map[string]scalar
	timeoutMs float64
}

func (s *system) run(ctx context.Context, what program) (runOutput, error) {
	if !proc.Groups {
		return runOutput{}, wrong(lang.ShellNone)
	}
	env, err := s.environment(what)
	if err != nil {
		return runOutput{}, err
	}
	stdout, stderr := s.streams(ctx)
	began := time.Now()
	exit, err := proc.Run(ctx, proc.Command{
		Argv: what.argv, Dir: what.dir, Env: env,
		Stdout: stdout, Stderr: stderr,
		Timeout: milliseconds(what.timeoutMs), Sandbox: s.opts.Sandbox.In(cmp.Or(gongu.ContextOf(ctx).Workdir, s.opts.Workdir)),
	})
	out := runOutput{DurationMs: time.Since(began).Milliseconds(), ExitCode: exit.Code, TimedOut: exit.TimedOut}
	if exit.Signal != "" {
		out.Signal = &exit.Signal
	}
	out.Stdout, out.StdoutBytes, out.StdoutPath = stdout.Finish(s.lang)
	out.Stderr, out.StderrBytes, out.StderrPath = stderr.Finish(s.lang)
	out.Truncated = out.StdoutBytes > 0 || out.StderrBytes > 0
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return runOutput{}, wrong(lang.ShellMissing, what.argv[0])
	}
	return out, err
}
