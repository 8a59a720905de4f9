package agent

import (
	"log/slog"
	"slices"
	"sync"
)

// Listener is called for an event.
type Listener func(args ...any)

// Events is the event bus of an agent, for the runtime and the extensions. The
// zero value is ready to use.
type Events struct {
	// Logger logs listeners that panic.
	Logger *slog.Logger

	mu        sync.RWMutex
	listeners map[string][]*Listener
}

// On adds a listener. The returned function removes it.
func (e *Events) On(event string, listener Listener) (off func()) {
	added := &listener
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.listeners == nil {
		e.listeners = make(map[string][]*Listener)
	}
	e.listeners[event] = append(slices.Clone(e.listeners[event]), added)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.listeners[event] = slices.DeleteFunc(slices.Clone(e.listeners[event]), func(l *Listener) bool { return l == added })
	}
}

// Emit calls the listeners in the order they were added. It recovers from a
// listener that panics and calls the next one.
func (e *Events) Emit(event string, args ...any) {
	e.mu.RLock()
	listeners := e.listeners[event]
	e.mu.RUnlock()
	for _, listener := range listeners {
		e.tell(event, *listener, args)
	}
}

func (e *Events) tell(event string, listener Listener, args []any) {
	defer func() {
		if thrown := recover(); thrown != nil {
			logger := e.Logger
			if logger == nil {
				logger = slog.Default()
			}
			logger.Error("listener failed", "event", event, "error", thrownError(thrown))
		}
	}()
	listener(args...)
}
