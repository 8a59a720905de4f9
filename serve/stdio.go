package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// stdio is a client on a pair of pipes, one message to a line.
type stdio struct {
	server    *Server
	principal *gongu.Principal
	session   *session

	mu  sync.Mutex
	out io.Writer
	err error

	work    sync.WaitGroup
	listens map[string]context.CancelFunc
}

// ServeStdio serves one client until in ends, ctx ends or the server is
// drained. Requests that run when in ends are finished. The principal is that
// of ctx; without one it is called stdio and may use everything. When ctx ends
// while a read blocks, the caller must close in.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	principal := gongu.PrincipalOf(ctx)
	if principal == nil {
		principal = &gongu.Principal{Name: "stdio", Kind: "stdio"}
		ctx = gongu.WithPrincipal(ctx, principal)
	}
	if !principal.MayUse(s.opts.Agent) {
		return errors.New(lang.ServeForbidden.In(s.lang, s.opts.Agent))
	}
	c := &stdio{server: s, principal: principal, out: out, session: s.newSession(principal, s.opts.Agent), listens: map[string]context.CancelFunc{}}
	defer c.session.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan line)
	go readLines(ctx, in, s.limits.Body, lines)
	for {
		select {
		case <-ctx.Done():
			c.end()
			return ctx.Err()
		case <-s.draining:
			c.end()
			return nil
		case l := <-lines:
			if l.err != nil {
				c.end()
				if errors.Is(l.err, io.EOF) {
					return c.failure()
				}
				return fmt.Errorf("stdio: %w", l.err)
			}
			c.take(ctx, l)
		}
	}
}

// line is one line of the input, or why there is none.
type line struct {
	raw     []byte
	tooLong bool
	err     error
}

// readLines reads until the input ends. It skips and reports lines that are too
// long.
func readLines(ctx context.Context, in io.Reader, most int, lines chan<- line) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		l := readLine(r, most)
		if l.err == nil && !l.tooLong && len(bytes.TrimSpace(l.raw)) == 0 {
			continue
		}
		select {
		case lines <- l:
		case <-ctx.Done():
			return
		}
		if l.err != nil {
			return
		}
	}
}

func readLine(r *bufio.Reader, most int) line {
	var l line
	for {
		part, err := r.ReadSlice('\n')
		if len(l.raw)+len(part) > most+1 {
			l.raw, l.tooLong = nil, true
		}
		if !l.tooLong {
			l.raw = append(l.raw, part...)
		}
		switch {
		case err == nil:
			return l
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (len(bytes.TrimSpace(l.raw)) > 0 || l.tooLong):
			return l // the last line has no end
		default:
			l.err = err
			return l
		}
	}
}

// end waits for the running requests, and ends the streams and the questions to
// the client.
func (c *stdio) end() {
	c.session.disconnect()
	c.mu.Lock()
	for id, cancel := range c.listens {
		if id == initialized || !c.server.isDraining() { // a draining server answers its listen requests
			cancel()
		}
	}
	c.mu.Unlock()
	c.work.Wait()
}

func (c *stdio) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// take handles one line.
func (c *stdio) take(ctx context.Context, l line) {
	s := c.server
	if l.tooLong {
		c.answer(nil, nil, s.fail(codeInvalid, lang.ServeTooLarge, s.limits.Body), 0)
		return
	}
	if err := wellFormed(l.raw, s.limits.Depth); err != nil {
		c.answer(nil, nil, failf(codeParse, "%v", err), 0)
		return
	}
	raws := []json.RawMessage{l.raw}
	if batch, err := elementsUpTo(l.raw, s.limits.Batch); err == nil {
		if raws = batch; len(raws) == 0 || len(raws) > s.limits.Batch || c.session.revision() != "2025-03-26" {
			c.answer(nil, nil, s.noBatch(), 0)
			return
		}
	}
	for _, raw := range raws {
		msg, err := scan(raw)
		if err != nil {
			c.answer(msg.id, nil, failf(codeInvalid, "%v", err), 0)
			continue
		}
		c.message(ctx, msg)
	}
}

func (c *stdio) message(ctx context.Context, msg message) {
	s := c.server
	if msg.isNotification() {
		c.cancelListen(&msg)
	}
	if c.session.received(&msg) {
		return
	}
	rq := &request{principal: c.principal, agent: s.opts.Agent, msg: msg, out: c}
	rq.readMeta()
	rq.modern = rq.meta.version != "" && !isLegacy(rq.meta.version) || msg.method == "server/discover"
	if rq.modern && msg.method == methodListen {
		c.listen(ctx, rq)
		return
	}
	work := func() {
		if !rq.modern {
			rq.session = c.session
			result, refusal := s.inSession(ctx, rq)
			c.answer(msg.id, result, refusal, 0)
			return
		}
		ctx, ok := s.takeSlot(ctx, rq)
		if !ok {
			c.answer(msg.id, nil, s.fail(codeServer, lang.ServeBusy), 0)
			return
		}
		defer rq.slot.Release()
		// A request is cancelled by a notification, as in a session.
		ctx, done := c.session.work(ctx, msg.id)
		defer done()
		result, refusal := s.modern(ctx, rq)
		c.answer(msg.id, result, refusal, 0)
	}
	if msg.method == "initialize" {
		work() // the client's next messages depend on it
		return
	}
	c.work.Go(work)
}

func (c *stdio) listen(ctx context.Context, rq *request) {
	if err := c.server.checkModern(rq); err != nil {
		c.answer(rq.msg.id, nil, err, 0)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.listens[string(rq.msg.id)] = cancel
	c.mu.Unlock()
	c.work.Go(func() {
		defer cancel()
		c.server.listen(ctx, rq, c)
		c.mu.Lock()
		delete(c.listens, string(rq.msg.id))
		c.mu.Unlock()
	})
}

func (c *stdio) cancelListen(msg *message) {
	if msg.method == "notifications/initialized" {
		// From here on the client may get notifications.
		c.followChanges()
		return
	}
	if msg.method != "notifications/cancelled" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.listens[string(member(msg.params, "requestId"))]; cancel != nil {
		cancel()
	}
}

// initialized is the key of the session's own subscription in listens.
const initialized = "initialized"

func (c *stdio) followChanges() {
	ctx, cancel := context.WithCancel(c.session.lifetime)
	c.mu.Lock()
	_, already := c.listens[initialized]
	if !already {
		c.listens[initialized] = cancel
	}
	c.mu.Unlock()
	if already {
		cancel()
		return
	}
	sub := c.session.subscription(c.principal)
	messages := queued(sub)
	// Subscribe here, not in the goroutine, so that no change is missed.
	stop := c.server.notifier.add(sub)
	c.work.Go(func() {
		defer cancel()
		defer stop()
		for {
			select {
			case message := <-messages:
				_ = c.send(message) // ServeStdio returns the error
			case <-ctx.Done():
				return
			}
		}
	})
}

// send writes one message as one line.
func (c *stdio) send(message []byte) error {
	if bytes.IndexByte(message, '\n') >= 0 || bytes.IndexByte(message, '\r') >= 0 {
		var compact bytes.Buffer
		if err := json.Compact(&compact, message); err != nil {
			return err
		}
		message = compact.Bytes()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	_, c.err = c.out.Write(append(message[:len(message):len(message)], '\n'))
	return c.err
}

func (c *stdio) answer(id, result json.RawMessage, refusal *rpcError, _ int) {
	_ = c.send(appendAnswer(nil, id, result, refusal)) // ServeStdio returns the error
}
