package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/bench/gateway/job"
	"github.com/gongu-ai/gongu/internal/proc"
)

// program is something to start.
type program struct {
	path string
	args []string
	// env is the whole environment, dir the folder it begins in.
	env []string
	dir string
	// ready is what its output has when it can be used; nil does not wait.
	ready *regexp.Regexp
}

// process is a program that runs, in a process group of its own that ends with
// the benchmark.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	said   *lastWords
	exited chan struct{}
}

const (
	startPatience = 30 * time.Second
	stopPatience  = 3 * time.Second
	keptWords     = 4 << 10
)

// launch starts a program and waits until it is ready. It returns what the
// expression matched.
func launch(ctx context.Context, p program) (*process, string, error) {
	cmd, stdin, err := prepare(ctx, p)
	if err != nil {
		return nil, "", err
	}
	said := newLastWords(p.ready)
	cmd.Stdout, cmd.Stderr = said, said
	one := &process{cmd: cmd, stdin: stdin, said: said, exited: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	go func() {
		_ = cmd.Wait() // how it ended is no matter once it was killed
		close(one.exited)
	}()
	if p.ready == nil {
		return one, "", nil
	}
	timer := time.NewTimer(startPatience)
	defer timer.Stop()
	select {
	case found := <-said.found:
		return one, found, nil
	case <-one.exited:
		err = errors.New("it ended")
	case <-timer.C:
		err = errors.New("it is not ready in time")
	case <-ctx.Done():
		err = ctx.Err()
	}
	one.stop()
	return nil, "", fmt.Errorf("start %s: %w; it said: %s", p.path, err, said)
}

func prepare(ctx context.Context, p program) (*exec.Cmd, io.WriteCloser, error) {
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	cmd.Env, cmd.Dir = p.env, p.dir
	proc.Group(cmd)
	cmd.Cancel = func() error { return proc.Kill(cmd) }
	cmd.WaitDelay = stopPatience
	stdin, err := cmd.StdinPipe()
	return cmd, stdin, err
}

// stop ends the process and everything it started.
func (p *process) stop() {
	_ = p.stdin.Close()       // our own programs end by that
	_ = proc.Terminate(p.cmd) // what has ended already needs no signal
	select {
	case <-p.exited:
	case <-time.After(stopPatience):
	}
	_ = proc.Kill(p.cmd) // here as well
	<-p.exited
}

// lastWords looks for an expression in the lines of an output and keeps its
// end, for errors.
type lastWords struct {
	ready *regexp.Regexp
	found chan string
	mu    sync.Mutex
	text  []byte
}

func newLastWords(ready *regexp.Regexp) *lastWords {
	return &lastWords{ready: ready, found: make(chan string, 1)}
}

func (l *lastWords) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if l.ready != nil {
		if match := l.ready.Find(l.text); match != nil {
			l.found <- string(match)
			l.ready = nil
		}
	}
	if l.ready == nil && len(l.text) > keptWords {
		l.text = bytes.Clone(l.text[len(l.text)-keptWords:])
	}
	return len(p), nil
}

func (l *lastWords) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// memory is what a process occupies, in bytes.
type memory struct{ peak, now float64 }

// memoryOf reads what the system counts; elsewhere than on Linux nothing is
// known.
func memoryOf(list []*process) (memory, bool) {
	var sum memory
	for _, p := range list {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
		if err != nil {
			return memory{}, false
		}
		sum.peak += kilobytes(raw, "VmHWM:")
		sum.now += kilobytes(raw, "VmRSS:")
	}
	return sum, len(list) > 0
}

// ticks is how many of the system's ticks a second has; the interface to user
// programs has had 100 for as long as there is Linux on this architecture.
const ticks = 100

// processorTime is what processes have used so far, in nanoseconds, of user
// and system time. Elsewhere than on Linux it is zero.
func processorTime(list []*process) float64 {
	sum := 0.0
	for _, p := range list {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
		if err != nil {
			return 0
		}
		// The name of the program comes first and may hold anything.
		fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		for _, i := range []int{11, 12} {
			if i < len(fields) {
				n, err := strconv.ParseFloat(fields[i], 64)
				if err != nil {
					return 0
				}
				sum += n * 1e9 / ticks
			}
		}
	}
	return sum
}

func kilobytes(status []byte, name string) float64 {
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			if err != nil {
				return 0
			}
			return n * 1024
		}
	}
	return 0
}

// loader is the load program.
type loader struct {
	*process
	in  io.Writer
	out *bufio.Reader
}

func launchLoad(ctx context.Context, path string) (*loader, error) {
	// The load's own garbage collector should get in the way of nobody.
	cmd, stdin, err := prepare(ctx, program{path: path, env: append(os.Environ(), "GOGC=800")})
	if err != nil {
		return nil, err
	}
	said := newLastWords(nil)
	cmd.Stderr = said
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	l := &loader{in: stdin, out: bufio.NewReader(stdout)}
	l.process = &process{cmd: cmd, stdin: stdin, said: said, exited: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // what went wrong shows as a result that does not come
		close(l.exited)
	}()
	return l, nil
}

// run has one job done. The load program keeps to a deadline of its own.
func (l *loader) run(ctx context.Context, j job.Job) (job.Result, error) {
	raw, err := json.Marshal(j)
	if err != nil {
		return job.Result{}, err
	}
	if _, err := l.in.Write(append(raw, '\n')); err != nil {
		return job.Result{}, fmt.Errorf("load: %w: %s", err, l.said)
	}
	line, err := l.out.ReadBytes('\n')
	if err != nil {
		return job.Result{}, errors.Join(fmt.Errorf("load: %w: %s", err, l.said), ctx.Err())
	}
	var r job.Result
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("load: %w", err)
	}
	return r, nil
}
