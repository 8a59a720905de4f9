package script

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/stream"
)

// The types of messages. A message is one line of JSON.
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

// message is one message of the protocol, in either direction. Its type
// determines which fields are set.
type message struct {
	Type string `json:"t"`
	// ID is the number of the call, or 0.
	ID int `json:"id,omitempty"`

	Load *loadRequest `json:"load,omitempty"`

	Export  string       `json:"export,omitempty"`
	Context *wireContext `json:"ctx,omitempty"`
	// Limit is the time limit of a call in milliseconds.
	Limit float64 `json:"limit,omitempty"`

	Handlers []string      `json:"handlers,omitempty"`
	Missing  bool          `json:"missing,omitempty"`
	Failure  *LoadError    `json:"failure,omitempty"`
	Result   *gongu.Result `json:"result,omitempty"`
	// Lost reports that the child lost a VM.
	Lost bool `json:"lost,omitempty"`

	// Number identifies an operation that the child requests.
	Number int    `json:"n,omitempty"`
	Op     string `json:"op,omitempty"`
	OK     bool   `json:"ok,omitempty"`
	Kill   bool   `json:"kill,omitempty"`
	Level  string `json:"level,omitempty"`
	// Text is a reason, a log line, or the argument or result of an operation.
	Text string `json:"text,omitempty"`
	// Args are the arguments of a call, Value is the result from bun or node.
	Args  json.RawMessage `json:"args,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
	Error json.RawMessage `json:"error,omitempty"`
	// At is the position of an error, from runtimes that know it.
	At string `json:"at,omitempty"`
	// Unfit has the path and kind of a value that JSON cannot represent.
	Unfit string `json:"unfit,omitempty"`
	// Size is the size of an output that exceeds the limit.
	Size int `json:"size,omitempty"`

	Code *codeRequest `json:"code,omitempty"`
}

// loadRequest has what a child runs, and its limits.
type loadRequest struct {
	// Path is the module from its root. Root is absolute.
	Path string `json:"path"`
	Root string `json:"root,omitempty"`
	// Source is the bundled module, Map its source map. Both are empty for bun,
	// which reads the file itself.
	Source string `json:"source,omitempty"`
	Map    []byte `json:"map,omitempty"`

	// Options are those of the host, without the fields that JSON leaves out.
	Options
	// Forward lists the operations that the host runs for the child.
	Forward []string `json:"forward,omitempty"`
	// Code marks a child that runs one piece of code instead of a module.
	Code bool `json:"code,omitempty"`
}

// wireContext is the context of a call. Swarm replaces the Runtime, which stays
// in the host.
type wireContext struct {
	gongu.Context
	Swarm bool `json:"swarm"`
	// Roots are those of this call alone.
	Roots []string `json:"roots,omitempty"`
}

// receive passes messages to take until the input ends or take returns an
// error.
func receive(r io.Reader, limit int, take func(*message) error) error {
	lines := stream.NewLines(r, limit)
	for {
		line, err := lines.Next()
		if err != nil {
			return err
		}
		m := new(message)
		if err := json.Unmarshal(line, m); err != nil {
			return fmt.Errorf("invalid message %.80q: %w", line, err)
		}
		if err := take(m); err != nil {
			return err
		}
	}
}

// outbox writes messages in order on a separate goroutine, so that a receiver
// that does not read does not block the senders.
type outbox struct {
	mu     sync.Mutex
	queue  [][]byte
	closed bool
	wake   chan struct{}
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put queues a message. It returns false once the outbox is closed.
func (o *outbox) put(m *message) bool {
	line, err := jsonx.Marshal(m)
	if err != nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.queue = append(o.queue, append(line, '\n'))
	o.signal()
	return true
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// close ends the outbox after the queued messages are written.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.signal()
}

// drain writes queued messages until the outbox is closed or a write fails.
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
