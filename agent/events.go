package agent

import (
	"log/slog"
	"slices"
	"sync"
)

// Listener hears of an event.
type Listener func(args ...any)

// Events is the bus of an agent: the runtime and the extensions speak on it.
// The zero value is ready.
type Events struct {
	// Logger hears of listeners that panic.
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

// Emit calls the listeners in the order they were added. One that panics does
// not keep the next from hearing.
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
