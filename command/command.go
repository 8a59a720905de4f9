// Package command takes tools from a program: one command lists them as JSON,
// another runs them. Any language can write such a program.
//
// The list may have any of the forms that agents know; see [Source.Discover].
// A call gets the tool's own name as the last argument and its arguments as
// JSON on standard input. The exit code decides; standard error is a log.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/internal/sandbox"
	"github.com/gongu-ai/gongu/internal/stream"
	"github.com/gongu-ai/gongu/internal/toolname"
)

const (
	defaultTimeout  = 60 * time.Second
	defaultDiscover = 30 * time.Second
	defaultOutput   = 256 << 10
	// maxList is the most that a list may have; 10,000 tools take about 5 MB.
	maxList  = 32 << 20
	maxTools = 100_000
	// maxEntries is how many entries are read for them: some are left out.
	maxEntries = 2 * maxTools
	// maxProblems is how many problems of a list are reported.
	maxProblems = 1000
	// timeoutMargin is how long the end of a program may take.
	timeoutMargin = 2 * time.Second
)

// Config says what to run. Discover and Call are required, each a program and
// its arguments; no shell reads them.
type Config struct {
	// Name is the source's, and the first part of its tools' names.
	Name           string
	Discover, Call []string
	// Env is set for the programs, beside the few variables that every
	// program needs. EnvAllow names more of this process's own to pass.
	Env      map[string]string
	EnvAllow []string
	// Fill completes the texts of Env when a program is started, so that a
	// missing secret affects only this source.
	Fill func(text string) (string, error)
	// Cwd is where the programs start. Empty is the workdir of a call, and
	// DiscoverCwd for the list.
	Cwd, DiscoverCwd string
	// Sandbox confines the programs, a call's with its working directory; nil
	// does not.
	Sandbox *sandbox.Policy
	// Timeout bounds a call (default 60 s), DiscoverTimeout the list (30 s).
	Timeout, DiscoverTimeout time.Duration
	// Worker keeps one program running for all calls, which reads and writes
	// JSON lines.
	Worker bool
	// Trust accepts the program's annotations. Without it only those count that
	// make a tool more dangerous.
	Trust bool
	// Prefix is the prefix of the tools' names instead of Name; empty adds none.
	Prefix *string
	// MaxOutput is how much of each stream a result keeps (default 256 KiB);
	// the whole goes to the file that Spill makes, with random text in place of
	// the star of the pattern.
	MaxOutput int
	Spill     func(ctx context.Context, pattern string) (*os.File, error)
	// Closed are directories that gongu keeps for itself. A working directory
	// in one is made for this user alone.
	Closed []string
	Lang   string
	Logger *slog.Logger
}

// Source is a program that has tools. Its methods may be called from several
// goroutines.
type Source struct {
	config Config
	lang   lang.Lang
	names  toolname.Map

	mu     sync.Mutex
	worker *worker
	closed bool
}

// New checks the configuration. Nothing is started.
func New(config Config) (*Source, error) {
	switch {
	case config.Name == "":
		return nil, errors.New("command: there is no name")
	case len(config.Discover) == 0 || strings.TrimSpace(config.Discover[0]) == "":
		return nil, fmt.Errorf("command %s: discover is empty; give a program and its arguments", config.Name)
	case len(config.Call) == 0 || strings.TrimSpace(config.Call[0]) == "":
		return nil, fmt.Errorf("command %s: call is empty; give a program and its arguments", config.Name)
	}
	config.Timeout = cmp.Or(max(config.Timeout, 0), defaultTimeout)
	config.DiscoverTimeout = cmp.Or(max(config.DiscoverTimeout, 0), defaultDiscover)
	config.MaxOutput = cmp.Or(max(config.MaxOutput, 0), defaultOutput)
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	s := &Source{config: config}
	s.lang, _ = lang.Parse(config.Lang)
	return s, nil
}

// Name is the source's name.
func (s *Source) Name() string { return s.config.Name }

// prefix returns the prefix of the names of the tools.
func (s *Source) prefix() string {
	if s.config.Prefix != nil {
		return *s.config.Prefix
	}
	return s.config.Name
}

// environ returns the environment of the programs, with the explicit part last.
func (s *Source) environ() ([]string, error) {
	env := proc.Environ(s.config.EnvAllow)
	for _, name := range slices.Sorted(maps.Keys(s.config.Env)) {
		value := s.config.Env[name]
		if s.config.Fill != nil {
			filled, err := s.config.Fill(value)
			if err != nil {
				return nil, fmt.Errorf("env %s: %w", name, err)
			}
			value = filled
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}

// Discover runs the listing program and reads what it printed: an array of
// declarations, bare or wrapped in function_declarations or
// functionDeclarations, an object with tools, an MCP list, or one of these to a
// line. A bad entry is left out and reported; a list that fails or breaks off
// is an error, and the caller keeps what it has.
func (s *Source) Discover(ctx context.Context) (*Listing, error) {
	env, err := s.environ()
	if err != nil {
		return nil, fmt.Errorf("command %s: discover: %w", s.config.Name, err)
	}
	stdout := &limited{limit: maxList}
	stderr := &stream.Stream{Keep: 4 << 10}
	exit, err := proc.Run(ctx, proc.Command{
		Argv: s.config.Discover, Dir: cmp.Or(s.config.Cwd, s.config.DiscoverCwd), Env: env, Sandbox: s.config.Sandbox,
		Stdout: stdout, Stderr: stderr, Timeout: s.config.DiscoverTimeout,
	})
	said, _, _ := stderr.Finish(s.lang)
	fail := func(reason string) error {
		if said = strings.TrimSpace(said); said != "" {
			reason += "; it said: " + said
		}
		return fmt.Errorf("command %s: discover: %s", s.config.Name, reason)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("command %s: discover: %w", s.config.Name, err)
	case err != nil:
		return nil, fmt.Errorf("command %s: discover: %w", s.config.Name, startError(s.config.Discover[0], err))
	case exit.TimedOut:
		return nil, fail(fmt.Sprintf("it did not end within %s", s.config.DiscoverTimeout))
	case stdout.over:
		return nil, fail(lang.CommandListLarge.In(s.lang, maxList))
	case exit.Signal != "":
		return nil, fail("it was ended by " + exit.Signal)
	case exit.Code != 0:
		return nil, fail(fmt.Sprintf("exit code %d", exit.Code))
	}
	listing, err := s.read(stdout.data)
	if err != nil {
		return nil, fail(err.Error())
	}
	return listing, nil
}

func startError(program string, err error) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s was not found: %w", program, err)
	}
	return err
}

// Close ends the worker, if there is one.
func (s *Source) Close() error {
	s.mu.Lock()
	worker := s.worker
	s.worker, s.closed = nil, true
	s.mu.Unlock()
	if worker != nil {
		worker.stop()
	}
	return nil
}

// limited keeps the first bytes that are written, and discards the rest, so that
// the program does not block.
type limited struct {
	limit int
	data  []byte
	over  bool
}

func (l *limited) Write(p []byte) (int, error) {
	if room := l.limit - len(l.data); len(p) > room {
		l.over = true
		l.data = append(l.data, p[:room]...)
	} else {
		l.data = append(l.data, p...)
	}
	return len(p), nil
}
