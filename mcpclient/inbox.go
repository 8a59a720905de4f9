package mcpclient

import "sync"

// eventBuffer is how many events may wait for a caller.
const eventBuffer = 256

// inbox holds what a server says while a call waits for its answer. The events
// run one at a time, in order, and before the answer is given.
type inbox struct {
	mu    sync.Mutex
	queue []func()
	// wake tells a caller that looks after its events itself; nil while the
	// caller is busy with its connection.
	wake chan struct{}
	turn sync.Mutex
}

// add queues an event. One that does not listen loses the newest rather than
// holding the connection. Alone says that nobody looks after the events now.
func (b *inbox) add(event func()) (alone bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) >= eventBuffer {
		return false
	}
	b.queue = append(b.queue, event)
	if b.wake == nil {
		return true
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return false
}

// attend makes the caller look after its events from now on.
func (b *inbox) attend() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wake == nil {
		b.wake = make(chan struct{}, 1)
		if len(b.queue) > 0 {
			b.wake <- struct{}{}
		}
	}
	return b.wake
}

// run lets all events happen that wait, after those that happen now.
func (b *inbox) run() {
	b.turn.Lock()
	defer b.turn.Unlock()
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
