package mcpclient

import (
	"bytes"
	"encoding/json"
	"sync"
)

const (
	// eventBuffer is how many events may wait for a caller, and eventBytes how
	// large they may be together.
	eventBuffer = 256
	eventBytes  = 1 << 20
)

// inbox queues the notifications that a server sends during a call. The caller
// handles them one at a time, in order, and before it takes the answer.
type inbox struct {
	added chan struct{} // has a value while there may be events

	mu    sync.Mutex
	queue []func()
	size  int
}

func newInbox() inbox { return inbox{added: make(chan struct{}, 1)} }

// add queues an event with its parameters. It drops the newest rather than hold
// up the connection for a caller that does not keep up. It keeps a copy of the
// parameters, which are part of a message that may be much larger.
func (b *inbox) add(params json.RawMessage, event func(params json.RawMessage)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) >= eventBuffer || b.size+len(params) > eventBytes {
		return
	}
	b.size += len(params)
	own := bytes.Clone(params)
	b.queue = append(b.queue, func() { event(own) })
	select {
	case b.added <- struct{}{}:
	default:
	}
}

// run runs all events that wait.
func (b *inbox) run() {
	for {
		b.mu.Lock()
		events := b.queue
		b.queue, b.size = nil, 0
		b.mu.Unlock()
		if len(events) == 0 {
			return
		}
		for _, event := range events {
			event()
		}
	}
}
