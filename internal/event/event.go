// Package event is a bounded event bus with any number of subscribers.
// Publishing never blocks; a subscriber that is too slow misses events and gets
// their number.
package event

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
)

// Kind is what an event is about.
type Kind string

// The kinds of events.
const (
	// Tools of an agent changed that are not in the shared registry.
	Tools Kind = "tools"
	// Server is a notification of an MCP server.
	Server Kind = "server"
	// Reload is an attempt to load a bundle again.
	Reload Kind = "reload"
	// Held means that a change of the bundle is held back, or not any more.
	Held Kind = "held"
	// Policy means that rules changed, so that callers may see other tools.
	Policy Kind = "policy"
	// Source was listed, or could not be.
	Source Kind = "source"
)

// Event is one change. Which fields are set depends on the kind.
type Event struct {
	Kind Kind
	// Agent is whose tools changed; empty is the whole bundle.
	Agent string
	// Source is the identity of the source.
	Source string
	// Method and Params are those of a server's notification.
	Method string
	Params json.RawMessage
	// Revision of the registry after a reload.
	Revision uint64
	// Err is why a reload or a list failed; the last valid one stays in use.
	Err error
	// Missed is how many events before this one the subscriber was too slow
	// for.
	Missed int
}

// queueSize is how many events wait for one subscriber.
const queueSize = 256

// Bus hands events to its subscribers. The zero value is ready to use.
type Bus struct {
	mu   sync.Mutex
	subs map[*subscriber]struct{}
}

type subscriber struct {
	mu     sync.Mutex
	queue  []Event
	missed int
	added  chan struct{} // has a token when the queue is not empty
}

// Publish hands an event to all who subscribe now. It does not block.
func (b *Bus) Publish(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.subs {
		s.put(e)
	}
}

// Subscribe returns the events from now on, until ctx ends or the loop is left.
// Range over it once.
func (b *Bus) Subscribe(ctx context.Context) iter.Seq[Event] {
	s := &subscriber{added: make(chan struct{}, 1)}
	b.mu.Lock()
	if b.subs == nil {
		b.subs = map[*subscriber]struct{}{}
	}
	b.subs[s] = struct{}{}
	b.mu.Unlock()
	remove := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs, s)
	}
	stop := context.AfterFunc(ctx, remove) // also of one that is never ranged over
	return func(yield func(Event) bool) {
		defer remove()
		defer stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.added:
			}
			for e := range s.take {
				if ctx.Err() != nil || !yield(e) {
					return
				}
			}
		}
	}
}

// put queues an event. Of a full queue the oldest one is dropped.
func (s *subscriber) put(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) >= queueSize {
		s.queue = s.queue[1:]
		s.missed++
	}
	s.queue = append(s.queue, e)
	select {
	case s.added <- struct{}{}:
	default: // the subscriber knows that there is something
	}
}

// take yields what is queued.
func (s *subscriber) take(yield func(Event) bool) {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.mu.Unlock()
			return
		}
		e := s.queue[0]
		s.queue = s.queue[1:]
		e.Missed, s.missed = s.missed, 0
		s.mu.Unlock()
		if !yield(e) {
			return
		}
	}
}
