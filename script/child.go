package script

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

const (
	// endGrace is how long a child may take to exit after its input is closed.
	endGrace = 300 * time.Millisecond
	// pipeGrace is how long the pipes of a child that has exited are still
	// read.
	pipeGrace = 200 * time.Millisecond
	// watchEvery is the interval at which the memory of a child is checked.
	watchEvery = 50 * time.Millisecond
	// outputLine, outputKept and outputLines limit what a child prints beside
	// the protocol: the bytes of a line, the bytes kept for an error, and the
	// lines that are logged.
	outputLine  = 2 << 10
	outputKept  = 600
	outputLines = 1000
)

// The reasons for which the host kills a child.
var (
	errUnused   = errors.New("no longer needed")
	errStuck    = errors.New("a call does not stop")
	errTooBig   = errors.New("over the memory limit")
	errProtocol = errors.New("protocol error")
	errLoad     = errors.New("the module cannot be loaded")
)

// childCommand describes how to start a child, and has the callbacks for it.
type childCommand struct {
	argv []string
	dir  string
	env  []string
	// extraPipes puts the protocol on file descriptors 3 and 4, so that the
	// child can print to standard output. Otherwise the protocol uses standard
	// input and output.
	extraPipes bool
	// sandbox confines the child; nil does not.
	sandbox *sandbox.Policy
	// maxLine is the longest line that the child may write. memory is the limit
	// of its resident memory, 0 for none.
	maxLine, memory int
	// take receives the messages of the child, on one goroutine. An error kills
	// the child.
	take func(*message) error
	// onOutput receives the lines that the child prints beside the protocol.
	onOutput func(line string)
	// ended is called once, after the last message.
	ended func(*child)
}

// child is a child process that runs scripts. It leads a process group, which
// is killed with it.
type child struct {
	process *proc.Process
	out     *outbox
	gone    chan struct{}

	mu    sync.Mutex
	why   error // why the host ended it
	fault error // how it broke the protocol

	outputCount atomic.Int64 // lines written beside the protocol
	tail        string       // the last of them
}

// startChild starts a child process, and the goroutines that serve its pipes
// and end with it.
func startChild(c childCommand) (*child, error) {
	p, err := proc.Start(proc.Spec{Argv: c.argv, Dir: c.dir, Env: c.env, Input: !c.extraPipes, Channel: c.extraPipes, Sandbox: c.sandbox})
	if err != nil {
		return nil, err
	}
	k := &child{process: p, out: newOutbox(), gone: make(chan struct{})}
	to, from, output := p.Stdin, p.Stdout, []*os.File{p.Stderr}
	if c.extraPipes {
		to, from, output = p.Send, p.Receive, []*os.File{p.Stdout, p.Stderr}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	readers.Go(func() { k.read(from, c) })
	for _, file := range output {
		readers.Go(func() { k.readOutput(file, c.onOutput) })
	}
	var others sync.WaitGroup
	others.Go(func() {
		_ = k.out.drain(ctx, to) // wait reports a child that has exited
		_ = to.Close()
	})
	if c.memory > 0 {
		others.Go(func() { k.watch(ctx, c.memory) })
	}
	go k.wait(&readers, func() {
		cancel()
		others.Wait()
		c.ended(k)
	})
	return k, nil
}

// read receives messages until the child exits. It kills a child that breaks
// the protocol.
func (k *child) read(from io.Reader, c childCommand) {
	err := receive(from, c.maxLine, c.take)
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
		return
	}
	if k.reason() == nil { // a child that is being killed may stop in the middle of a line
		why := errProtocol
		if errors.Is(err, errLoad) {
			why = errLoad
		}
		k.mu.Lock()
		k.fault = err
		k.mu.Unlock()
		k.kill(why)
	}
	_, _ = io.Copy(io.Discard, from) // so that it does not block on its pipe
}

// readOutput passes on the lines that the child prints, and keeps the last ones
// for exitReason.
func (k *child) readOutput(from io.Reader, onOutput func(string)) {
	in := bufio.NewReaderSize(from, outputLine)
	for {
		part, err := in.ReadSlice('\n')
		if line := strings.ToValidUTF8(string(bytes.TrimRight(part, "\r\n")), "?"); strings.TrimSpace(line) != "" {
			k.keep(line)
			if n := k.outputCount.Add(1); n <= outputLines {
				onOutput(line)
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (k *child) keep(line string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tail += " " + line
	if len(k.tail) > outputKept {
		k.tail = strings.ToValidUTF8(k.tail[len(k.tail)-outputKept:], "")
	}
}

// wait waits for the child to exit, kills the rest of its process group and
// drains its pipes.
func (k *child) wait(readers *sync.WaitGroup, finish func()) {
	<-k.process.Exited()
	_ = k.process.Kill()        // what it has started must not outlive it
	waitFor(readers, pipeGrace) // a process outside the group may hold a pipe
	k.out.close()
	k.process.Close()
	readers.Wait()
	finish()
	close(k.gone)
}

// send queues a message. It returns false once the child is being ended.
func (k *child) send(m *message) bool { return k.out.put(m) }

// kill kills the process group. The first reason is kept.
func (k *child) kill(why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.why == nil {
		k.why = why
	}
	if !isClosed(k.process.Exited()) {
		_ = k.process.Kill() // it may just have ended by itself
	}
}

// end closes the input of the child, and kills it if it does not exit in time.
func (k *child) end() {
	k.mu.Lock()
	k.why = cmp.Or(k.why, errUnused)
	k.mu.Unlock()
	k.out.close()
	timer := time.AfterFunc(endGrace, func() { k.kill(errUnused) })
	go func() {
		<-k.gone
		timer.Stop()
	}()
}

// reason returns why the host ended the child, or nil.
func (k *child) reason() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.why
}

// exitReason describes how the child exited, for a log or an error.
func (k *child) exitReason() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	text := k.process.Status()
	if k.fault != nil {
		text = k.fault.Error()
	}
	if tail := strings.TrimSpace(k.tail); tail != "" {
		text += ": " + tail
	}
	return text
}

// watch kills the child when it exceeds its memory limit.
func (k *child) watch(ctx context.Context, limit int) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if size, known := residentOf(k.process.PID()); known && size > limit {
			k.kill(errTooBig)
		}
	}
}
