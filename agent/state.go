package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
)

// StateStore stores the state of extensions by their name.
type StateStore interface {
	// Load returns nil when nothing is stored.
	Load(extension string) (json.RawMessage, error)
	Save(extension string, state json.RawMessage) error
}

// MemoryState is a store in memory. It ends with the process.
type MemoryState struct {
	mu    sync.Mutex
	saved map[string]json.RawMessage
}

// NewMemoryState returns an empty store.
func NewMemoryState() *MemoryState { return &MemoryState{saved: make(map[string]json.RawMessage)} }

var _ StateStore = (*MemoryState)(nil)

// Load returns what was saved.
func (m *MemoryState) Load(extension string) (json.RawMessage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.saved[extension]), nil
}

// Save keeps a copy.
func (m *MemoryState) Save(extension string, state json.RawMessage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saved[extension] = bytes.Clone(state)
	return nil
}

// State is the stored state of one extension. Other extensions cannot read it.
type State struct {
	extension string
	store     StateStore

	mu    sync.Mutex
	value json.RawMessage
	dirty bool
}

func newState(store StateStore, extension string) (*State, error) {
	value, err := store.Load(extension)
	if err != nil {
		return nil, fmt.Errorf("load state: %w", err)
	}
	return &State{extension: extension, store: store, value: value}, nil
}

// Get returns the state, or null before it was ever set.
func (s *State) Get() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value == nil {
		return json.RawMessage("null")
	}
	return bytes.Clone(s.value)
}

// Set changes the state. It is stored at the end of the turn.
func (s *State) Set(value json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.dirty = bytes.Clone(value), true
}

// save stores a state that was changed. Only an object can be stored: it is
// what the next version of an extension can add to.
func (s *State) save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dirty {
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(s.value, &object); err != nil || object == nil {
		return fmt.Errorf("extension %s: the state to save must be a JSON object", s.extension)
	}
	if err := s.store.Save(s.extension, s.value); err != nil {
		return fmt.Errorf("extension %s: save state: %w", s.extension, err)
	}
	s.dirty = false
	return nil
}
