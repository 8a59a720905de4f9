package mcpclient

import "sync"

// eventBuffer is how many events may wait for a caller.
const eventBuffer = 256

// inbox queues the notifications that a server sends during a call. The caller
// handles them one at a time, in order, and before it takes the answer.
type inbox struct {
	added chan struct{} // has a value while there may be events

	mu    sync.Mutex
	queue []func()
}

func newInbox() inbox { return inbox{added: make(chan struct{}, 1)} }

// add queues an event. It drops the newest rather than hold up the connection
// for a caller that does not keep up.
func (b *inbox) add(event func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) >= eventBuffer {
		return
	}
	b.queue = append(b.queue, event)
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
		b.queue = nil
		b.mu.Unlock()
		if len(events) == 0 {
			return
		}
		for _, event := range events {
			event()
		}
	}
}
