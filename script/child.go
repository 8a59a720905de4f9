package script

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/proc"
)

const (
	// endGrace is what a child gets to end by itself once its input is closed.
	endGrace = 300 * time.Millisecond
	// pipeGrace is for what is still in the pipes of a child that has ended.
	pipeGrace = 200 * time.Millisecond
	// watchEvery is how often the memory of a child is looked at.
	watchEvery = 50 * time.Millisecond
	// outputLine and noiseKept bound what a child prints beside its protocol.
	outputLine  = 2 << 10
	outputKept  = 600
	outputLines = 1000
)

// The reasons for which we end a child ourselves.
var (
	errUnused   = errors.New("it is not needed any more")
	errStuck    = errors.New("a call in it does not stop")
	errTooBig   = errors.New("it takes too much memory")
	errProtocol = errors.New("it broke the protocol")
	errLoad     = errors.New("it could not load the module")
)

// childCommand is how a child is started and who hears of it.
type childCommand struct {
	argv []string
	dir  string
	env  []string
	// extraPipes puts the protocol on descriptors 3 and 4, so that whatever the
	// child prints is out of its way; otherwise it is on standard input and
	// output.
	extraPipes bool
	// maxLine is the longest line it may write; memory the most it may take,
	// 0 for any.
	maxLine, memory int
	// take gets its messages, on one goroutine; an error ends the child.
	take func(*message) error
	// onOutput gets what it prints elsewhere.
	onOutput func(line string)
	// ended is called once, after the last message.
	ended func(*child)
}

// child is a process that runs scripts and speaks our protocol. It leads a
// process group, which ends with it.
type child struct {
	cmd   *exec.Cmd
	out   *outbox
	files []*os.File // our ends of its pipes
	gone  chan struct{}

	mu    sync.Mutex
	why   error // why we ended it
	done  bool  // it was waited for
	exit  string
	fault error // what was wrong with its last line

	outputCount atomic.Int64 // lines written beside the protocol
	tail        strings.Builder
}

// startChild starts a process. Everything that belongs to it ends with it.
func startChild(c childCommand) (*child, error) {
	k := &child{out: newOutbox(), gone: make(chan struct{})}
	k.cmd = exec.Command(c.argv[0], c.argv[1:]...)
	k.cmd.Dir, k.cmd.Env = c.dir, c.env
	proc.Group(k.cmd)
	pipes, err := k.connect(c.extraPipes)
	if err != nil {
		return nil, err
	}
	err = k.cmd.Start()
	closeFiles(pipes.theirs)
	if err != nil {
		closeFiles(k.files)
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	readers.Go(func() { k.read(pipes.from, c) })
	for _, file := range pipes.output {
		readers.Go(func() { k.readOutput(file, c.onOutput) })
	}
	var others sync.WaitGroup
	others.Go(func() {
		_ = k.out.drain(ctx, pipes.to) // a child that is gone is told of by its end
		_ = pipes.to.Close()
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

// ends are both sides of the pipes of a child.
type ends struct {
	to, from *os.File
	output   []*os.File
	theirs   []*os.File
}

func (k *child) connect(extraPipes bool) (ends, error) {
	var e ends
	pipe := func(ours, theirs **os.File, toThem bool) error {
		r, w, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("make a pipe: %w", err)
		}
		*ours, *theirs = r, w
		if toThem {
			*ours, *theirs = w, r
		}
		k.files = append(k.files, *ours)
		e.theirs = append(e.theirs, *theirs)
		return nil
	}
	var in, out, stderr, printed *os.File
	var theirIn, theirOut, theirErr, theirPrint *os.File
	err := errors.Join(pipe(&in, &theirIn, true), pipe(&out, &theirOut, false), pipe(&stderr, &theirErr, false))
	if err == nil && extraPipes {
		err = pipe(&printed, &theirPrint, false)
	}
	if err != nil {
		closeFiles(k.files)
		closeFiles(e.theirs)
		return e, err
	}
	e.to, e.from, e.output = in, out, []*os.File{stderr}
	k.cmd.Stderr = theirErr
	if extraPipes {
		k.cmd.Stdout = theirPrint
		k.cmd.ExtraFiles = []*os.File{theirIn, theirOut}
		e.output = append(e.output, printed)
	} else {
		k.cmd.Stdin, k.cmd.Stdout = theirIn, theirOut
	}
	return e, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing was buffered
	}
}

// read takes messages until the child ends. One that breaks the protocol is
// ended.
func (k *child) read(from io.Reader, c childCommand) {
	err := receive(from, c.maxLine, c.take)
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) {
		return
	}
	if errors.Is(err, io.ErrUnexpectedEOF) && k.reason() != nil {
		return // it was cut off in the middle of a line
	}
	why := errProtocol
	if errors.Is(err, errLoad) {
		why = errLoad
	}
	k.mu.Lock()
	if k.fault == nil {
		k.fault = err
	}
	k.mu.Unlock()
	k.kill(why)
	_, _ = io.Copy(io.Discard, from) // so that it does not hang on its pipe
}

// readOutput hands on what the child prints, line by line, and keeps the end.
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
	text := k.tail.String() + " " + line
	if len(text) > outputKept {
		text = strings.ToValidUTF8(text[len(text)-outputKept:], "")
	}
	k.tail.Reset()
	k.tail.WriteString(text)
}

// wait sees the child to its end.
func (k *child) wait(readers *sync.WaitGroup, finish func()) {
	err := k.cmd.Wait()
	k.mu.Lock()
	k.done = true
	k.exit = k.cmd.ProcessState.String()
	if err == nil {
		k.exit = "exit status 0"
	}
	k.mu.Unlock()
	_ = proc.Kill(k.cmd) // what it has started must not outlive it
	read := make(chan struct{})
	go func() {
		readers.Wait()
		close(read)
	}()
	timer := time.NewTimer(pipeGrace)
	defer timer.Stop()
	select {
	case <-read:
	case <-timer.C: // somebody out of reach holds a pipe
	}
	k.out.close()
	closeFiles(k.files)
	<-read
	finish()
	close(k.gone)
}

// send queues a message. It says no to a child that is ending.
func (k *child) send(m *message) bool { return k.out.put(m) }

// kill ends the process group at once. The first reason counts.
func (k *child) kill(why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.why == nil {
		k.why = why
	}
	if !k.done {
		_ = proc.Kill(k.cmd) // it may have ended by itself
	}
}

// end closes its input, and kills it when it does not go.
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

// reason is why we ended it, or nil.
func (k *child) reason() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.why
}

// exitReason says how it ended, for a log or an error.
func (k *child) exitReason() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	text := k.exit
	if k.fault != nil {
		text = k.fault.Error()
	}
	if tail := strings.TrimSpace(k.tail.String()); tail != "" {
		text += ": " + tail
	}
	return text
}

// watch ends a child that takes too much memory.
func (k *child) watch(ctx context.Context, limit int) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if size, known := residentOf(k.cmd.Process.Pid); known && size > limit {
			k.kill(errTooBig)
		}
	}
}
