package cad

import (
	"context"
	"sync"
)

// Store keeps a scene for each instance. It is safe for use by several
// goroutines.
type Store interface {
	// View lets fn read the scene of an instance. fn must not change it, nor
	// keep it.
	View(ctx context.Context, instance string, fn func(*Scene) error) error
	// Update lets fn change the scene of an instance with one operation and
	// keeps what it did, unless fn fails.
	Update(ctx context.Context, instance string, fn func(*Scene) error) error
}

var (
	_ Store = (*Memory)(nil)
	_ Store = (*Folder)(nil)
)

// Memory is a store that ends with the process.
type Memory struct {
	mu     sync.Mutex
	scenes map[string]*Scene
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{scenes: make(map[string]*Scene)} }

// View lets fn read a scene.
func (m *Memory) View(_ context.Context, instance string, fn func(*Scene) error) error {
	return m.with(instance, fn)
}

// Update lets fn change a scene. An operation is done whole or refused, so
// there is nothing to take back.
func (m *Memory) Update(_ context.Context, instance string, fn func(*Scene) error) error {
	return m.with(instance, fn)
}

func (m *Memory) with(instance string, fn func(*Scene) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	scene, ok := m.scenes[instance]
	if !ok {
		scene = NewScene("")
		m.scenes[instance] = scene
	}
	return fn(scene)
}
