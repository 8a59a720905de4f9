package script

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
)

// The kinds of messages. Each is one line of JSON.
const (
	// from the host
	msgLoad   = "load"
	msgCall   = "call"
	msgAbort  = "abort"
	msgAnswer = "answer"
	msgCode   = "code"
	// from the child
	msgReady  = "ready"
	msgFailed = "failed"
	msgResult = "result"
	msgAck    = "ack"
	msgLog    = "log"
	msgAsk    = "ask"
	msgCancel = "cancel"
)

// message is a line between a host and a child. Which fields count is told by
// its type.
type message struct {
	Type string `json:"t"`
	// ID is the call that a message belongs to; 0 is none.
	ID int `json:"id,omitempty"`

	Load *loadRequest `json:"load,omitempty"`

	Export  string       `json:"export,omitempty"`
	Context *wireContext `json:"ctx,omitempty"`
	// Limit is the time of a call in milliseconds.
	Limit float64 `json:"limit,omitempty"`

	Handlers []string      `json:"handlers,omitempty"`
	Missing  bool          `json:"missing,omitempty"`
	Failure  *LoadError    `json:"failure,omitempty"`
	Result   *gongu.Result `json:"result,omitempty"`
	// Lost says that a VM of the child could not be stopped.
	Lost bool `json:"lost,omitempty"`

	// Number tells the requests of a child apart.
	Number int    `json:"n,omitempty"`
	Op     string `json:"op,omitempty"`
	OK     bool   `json:"ok,omitempty"`
	Kill   bool   `json:"kill,omitempty"`
	Level  string `json:"level,omitempty"`
	// Text is a reason, a line of a log, or what an operation takes and gives.
	Text string `json:"text,omitempty"`
	// Args are those of a call; Value is what a worker answers.
	Args  json.RawMessage `json:"args,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
	Error json.RawMessage `json:"error,omitempty"`
	// At is the place of an error, for runtimes that know it.
	At string `json:"at,omitempty"`
	// Unfit is the place and kind of what JSON cannot carry.
	Unfit string `json:"unfit,omitempty"`
	// Size is that of an output that is too large to be sent.
	Size int `json:"size,omitempty"`

	Code *codeRequest `json:"code,omitempty"`
}

// loadRequest says what a child is to run, and within which bounds.
type loadRequest struct {
	// Path is the module from its root; Root is absolute.
	Path string `json:"path"`
	Root string `json:"root,omitempty"`
	// Source is the bundled module, and Map its source map; empty when the
	// runtime reads the file itself.
	Source string `json:"source,omitempty"`
	Map    []byte `json:"map,omitempty"`

	// Options has the limits; what JSON cannot carry is left out.
	Options
	// Forward names operations that the host does for the child.
	Forward []string `json:"forward,omitempty"`
	// Code is for a child that will run one piece of code.
	Code bool `json:"code,omitempty"`
}

// wireContext is what a handler may know, without what is reached through the
// host.
type wireContext struct {
	gongu.Context
	Swarm bool `json:"swarm"`
}

// errLine is a line that is longer than any the other side may write.
var errLine = errors.New("a line is too long")

// readLine is the next line, without its end, of at most limit bytes. It is
// only good until the next one is read.
func readLine(r *bufio.Reader, buf *bytes.Buffer, limit int) ([]byte, error) {
	buf.Reset()
	for {
		part, err := r.ReadSlice('\n')
		if buf.Len()+len(part) > limit {
			return nil, errLine
		}
		if err == nil && buf.Len() == 0 {
			return part[:len(part)-1], nil
		}
		buf.Write(part)
		switch {
		case err == nil:
			return buf.Bytes()[:buf.Len()-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && buf.Len() > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

// receive reads messages until the other side ends, or breaks the protocol.
func receive(r io.Reader, limit int, take func(*message) error) error {
	in := bufio.NewReaderSize(r, 32<<10)
	var buf bytes.Buffer
	for {
		line, err := readLine(in, &buf, limit)
		if err != nil {
			return err
		}
		m := new(message)
		if err := json.Unmarshal(line, m); err != nil {
			return fmt.Errorf("%.80q is no message: %w", line, err)
		}
		if err := take(m); err != nil {
			return err
		}
		if buf.Cap() > keptBuffer {
			buf = bytes.Buffer{} // one large line must not stay for ever
		}
	}
}

const keptBuffer = 1 << 20

func encodeMessage(m *message) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// outbox writes lines in order, on a goroutine of its own: the other side may
// not read, and that must hold nobody.
type outbox struct {
	mu     sync.Mutex
	queue  [][]byte
	closed bool
	wake   chan struct{}
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put queues a message. It says no when nothing is sent any more.
func (o *outbox) put(m *message) bool {
	line, err := encodeMessage(m)
	if err != nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.queue = append(o.queue, line)
	o.signal()
	return true
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// close ends the outbox once what is queued was written.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.signal()
}

// drain writes what is queued until the outbox is closed or the reader gone.
func (o *outbox) drain(ctx context.Context, w io.Writer) error {
	for {
		o.mu.Lock()
		batch, closed := o.queue, o.closed
		o.queue = nil
		o.mu.Unlock()
		for _, line := range batch {
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		if closed && len(batch) == 0 {
			return nil
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-o.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
