package mcpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/internal/rawjson"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/stream"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// How long a child has after its input was closed, after it was asked to
	// end, and after it was killed.
	leaveGrace = 500 * time.Millisecond
	termGrace  = 300 * time.Millisecond
	killGrace  = time.Second
	// maxInvalidLines is how many lines in a row may be no messages.
	maxInvalidLines = 200
)

// childTransport starts a program and connects to it over its pipes.
type childTransport struct {
	config  Config // with secrets filled in
	dir     string // where a relative program and folder begin
	limit   int
	logger  *slog.Logger
	secrets *secret.Vault
}

// connect starts the program.
func (t *childTransport) connect(ctx context.Context) (connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	process, err := proc.Start(proc.Spec{
		Argv: append([]string{t.program()}, t.config.Args...), Dir: t.folder(), Env: environ(t.config.Env), Input: true,
		Sandbox: t.config.Sandbox.In(t.folder()),
	})
	if err != nil {
		return nil, &fault{reason: ReasonConfig, err: fmt.Errorf("start the program: %w", err)}
	}
	c := &childConn{
		process: process, logger: t.logger, secrets: t.secrets, exited: process.Exited(), writing: make(chan struct{}, 1),
		stderrEnd: make(chan struct{}), skipped: rawjson.MemberFinder{Name: "id"},
	}
	c.lines = stream.NewLines(process.Stdout, t.limit)
	c.lines.Skipped = func(part []byte) { c.skipped.Write(part) }
	go c.followStderr()
	return c, nil
}

// program makes a relative path one from the folder that the program starts in;
// a bare name is looked up in PATH.
func (t *childTransport) program() string {
	name := t.config.Command
	if dir := t.folder(); dir != "" && !filepath.IsAbs(name) && strings.ContainsRune(name, filepath.Separator) {
		return filepath.Join(dir, name)
	}
	return name
}

func (t *childTransport) folder() string {
	switch {
	case t.config.Cwd == "":
		return t.dir
	case filepath.IsAbs(t.config.Cwd):
		return t.config.Cwd
	}
	return filepath.Join(t.dir, t.config.Cwd)
}

// environ is the few variables that every program needs, and those that were
// given for this one.
func environ(own map[string]string) []string {
	env := proc.Environ(nil)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		env = append(env, name+"="+own[name])
	}
	return env
}

// childConn is the connection to a running program.
type childConn struct {
	process      *proc.Process
	lines        *stream.Lines
	skipped      rawjson.MemberFinder // the id of a message that is too long
	queue        []jsonrpc.Message    // the rest of a batch
	invalidLines int
	logger       *slog.Logger
	secrets      *secret.Vault

	writing   chan struct{}   // held while a message is being written
	exited    <-chan struct{} // closed when the program has ended
	stderrEnd chan struct{}   // closed when its stderr has ended

	tailMu sync.Mutex
	tail   []byte // the end of stderr

	closing sync.Once
}

var _ connection = (*childConn)(nil)

// SessionID is empty: the process is the session.
func (c *childConn) SessionID() string { return "" }

// Read waits for the next message. It logs and skips other lines: many programs
// print a greeting on stdout.
func (c *childConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			msg := c.queue[0]
			c.queue = c.queue[1:]
			return msg, nil
		}
		line, err := c.lines.Next()
		if _, long := errors.AsType[*stream.LongLine](err); long {
			return c.tooLarge(err)
		}
		if err != nil {
			return nil, c.ended(err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		c.queue, err = decodeMessages(line, 0)
		if err == nil {
			c.invalidLines = 0
			continue
		}
		if c.invalidLines++; c.invalidLines > maxInvalidLines {
			return nil, faultf(ReasonProtocol, true, "the program writes something else than MCP to its standard output, such as %q", cut(c.redact(line), 80))
		}
		if c.invalidLines <= 3 {
			c.logger.Warn("mcp server: a line is no message and is skipped", "line", string(cut(c.redact(line), 200)), "error", err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

func (c *childConn) redact(line []byte) []byte { return []byte(c.secrets.Redact(string(line))) }

// tooLarge turns a message over the limit into the answer to its request. One
// that answers none of ours ends the connection.
func (c *childConn) tooLarge(err error) (jsonrpc.Message, error) {
	id := c.skipped.Int()
	c.skipped = rawjson.MemberFinder{Name: "id"}
	failure := &fault{reason: ReasonTooLarge, sent: true, err: err}
	if id == 0 {
		return nil, failure
	}
	return &jsonrpc.Response{ID: numberID(id), Error: failure}, nil
}

// ended describes how the program ended, with the end of its stderr.
func (c *childConn) ended(err error) error {
	select {
	case <-c.exited:
	case <-time.After(termGrace):
		if errors.Is(err, io.EOF) {
			return errors.New("the program closed its output")
		}
		return err
	}
	select { // until all of its stderr was read
	case <-c.stderrEnd:
	case <-time.After(termGrace):
	}
	c.tailMu.Lock()
	stderr := strings.TrimSpace(string(c.tail))
	c.tailMu.Unlock()
	how := "the program ended: " + c.process.Status()
	if stderr != "" {
		how += "; it said: " + lastLines(stderr, 300)
	}
	return errors.New(how)
}

func lastLines(text string, limit int) string {
	if len(text) > limit {
		text = text[len(text)-limit:]
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
	}
	return strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
}

func (*childConn) traits() traits         { return traits{pipe: true} }
func (*childConn) setVersion(string)      {}
func (*childConn) listen(context.Context) {}

// Write sends a message. A program that does not read cannot hold its caller
// beyond the context; a message that was cut off by that ends the connection.
func (c *childConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	raw, err := encodeMessage(msg)
	if err != nil {
		return &fault{reason: ReasonProtocol, err: err}
	}
	raw = append(raw, '\n')
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return notSent(ctx.Err())
	case <-c.exited:
		return faultf(ReasonBroken, false, "the program has ended")
	}
	defer func() { <-c.writing }()
	// Windows has no deadlines for pipes: there a program that does not read
	// holds its caller until it is closed.
	if err := c.process.Stdin.SetWriteDeadline(time.Time{}); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return notSent(err)
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = c.process.Stdin.SetWriteDeadline(time.Now())
		close(interrupted)
	})
	n, err := c.process.Stdin.Write(raw)
	if !stop() {
		<-interrupted // it must not interrupt the next message
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	switch {
	case err == nil:
		return nil
	case n == 0:
		return notSent(err)
	}
	// Half a message was sent: no other can follow, so the reader ends, too.
	_ = c.process.Stdin.Close() // half a message was sent
	_ = c.process.Stdout.Close()
	return faultf(ReasonBroken, false, "the program stopped reading in the middle of a message: %w", err)
}

// notSent marks an error of a message that the server has not seen.
func notSent(err error) error {
	f := faultOf(err)
	return &fault{reason: f.reason, err: f.err}
}

// Close ends the program and everything it started: first by closing its
// input, then by asking, then by force.
func (c *childConn) Close() error {
	c.closing.Do(func() {
		c.process.Stop(leaveGrace, termGrace, killGrace)
		c.process.Close()
		select {
		case <-c.stderrEnd:
		case <-time.After(killGrace):
		}
	})
	return nil
}

const (
	// How much of a program's stderr is logged, and how much of its end is kept
	// for the error that describes how it ended.
	maxStderrLines = 1000
	maxStderrLine  = 500
	stderrTail     = 2 << 10
)

// followStderr logs the program's stderr, up to a limit, and discards the rest so
// that the program never blocks on it.
func (c *childConn) followStderr() {
	defer close(c.stderrEnd)
	lines := stream.NewLines(c.process.Stderr, 16<<10)
	for n := 0; ; n++ {
		line, err := lines.Next()
		if _, long := errors.AsType[*stream.LongLine](err); err != nil && !long {
			_, _ = io.Copy(io.Discard, c.process.Stderr) // a line without end
			return
		}
		line = c.redact(line) // before anything is cut, and half a secret is left
		c.tailMu.Lock()
		c.tail = append(append(c.tail, cut(line, stderrTail)...), '\n')
		if len(c.tail) > stderrTail {
			c.tail = slices.Clone(c.tail[len(c.tail)-stderrTail:])
		}
		c.tailMu.Unlock()
		switch {
		case n < maxStderrLines:
			c.logger.Debug("mcp server says", "line", string(cut(line, maxStderrLine)))
		case n == maxStderrLines:
			c.logger.Warn("mcp server says more than is logged", "lines", maxStderrLines)
		}
	}
}
