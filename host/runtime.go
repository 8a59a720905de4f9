package host

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/script"
)

const (
	// lossesFile lists scripts that did not stop, below the state root.
	lossesFile = "script-losses.jsonl"
	// maxLosses bounds that file.
	maxLosses = 64 << 10
)

// sharedModule is a script that several states of a bundle use: one that did not
// change stays loaded.
type sharedModule struct {
	*script.Module
	part  string // the hash of its files
	root  string // where its files are
	users atomic.Int32
}

func share(module *script.Module, root, part string) *sharedModule {
	s := &sharedModule{Module: module, root: root, part: part}
	s.users.Store(1)
	return s
}

// close unloads the module with its last user.
func (s *sharedModule) close() error {
	if s.users.Add(-1) > 0 {
		return nil
	}
	return s.Close()
}

// module returns the script of a resource, loaded once for each runtime. One that
// did not change since the previous load is kept.
func (h *Host) module(ctx context.Context, resource *bundle.Tool, next *loaded) (*script.Module, error) {
	runtime := resource.Spec.Runtime
	key := fmt.Sprintf("%s:%s:%s:%+v", runtime, resource.Package, resource.Module.Path, cmp.Or(resource.Spec.Sandbox, &bundle.Sandbox{}))
	if module, ok := next.modules[key]; ok {
		return module.Module, nil
	}
	part := ""
	if next.cover != nil {
		part = next.cover.Part(resource.Key())
	}
	if before := h.now(); before != nil && part != "" {
		if kept, ok := before.modules[key]; ok && kept.part == part {
			kept.users.Add(1)
			next.modules[key] = kept
			return kept.Module, nil
		}
	}
	module, err := h.scripts().LoadIn(ctx, runtime, resource.Module.Root, resource.Module.Path)
	if err != nil {
		return nil, err
	}
	if resource.Spec.Sandbox != nil {
		module.Confine(h.scriptSandbox(resource.Spec.Sandbox))
	}
	next.modules[key] = share(module, next.bundle.Root(), part)
	return module, nil
}

// scripts returns the engine, which it makes for the first script.
func (h *Host) scripts() *script.Engine {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.engine == nil {
		s := h.system
		h.engine = script.NewEngine(&script.Options{
			Lang: s.Lang, Workdir: s.Workdir, Roots: s.Roots, CallRoots: s.CallRoots, Closed: s.Closed, ProtectedFor: s.Protected, Env: s.Env,
			AllowPrivate: s.AllowPrivate, Transport: s.Transport, Logger: h.opts.Logger,
			Child: h.opts.Child, Sandbox: h.scriptSandbox(nil), OnLoss: h.recordLoss,
		})
	}
	return h.engine
}

// ScriptStats counts the VMs and child processes of the scripts.
func (h *Host) ScriptStats() script.Stats {
	h.mu.RLock()
	engine := h.engine
	h.mu.RUnlock()
	if engine == nil {
		return script.Stats{}
	}
	return engine.Stats()
}

// recordLoss stores a loss for gongu doctor.
func (h *Host) recordLoss(loss script.Loss) {
	if err := appendLoss(filepath.Join(h.state, lossesFile), loss); err != nil {
		h.opts.Logger.Warn("recording a lost script failed", "error", err)
	}
}

func appendLoss(path string, loss script.Loss) (err error) {
	line, err := json.Marshal(loss)
	if err != nil {
		return err
	}
	if err := fsx.PrivateDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := fsx.OpenPrivate(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || info.Size() > maxLosses {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return err
}

// LossesFile returns the file in which hosts with this state root record scripts
// that did not stop.
func LossesFile(stateRoot string) string { return filepath.Join(stateRoot, lossesFile) }

// Losses returns the scripts that did not stop at their limit, as the hosts with
// this state root have recorded them, oldest first.
func Losses(stateRoot string) ([]script.Loss, error) {
	f, err := os.Open(LossesFile(stateRoot))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	var losses []script.Loss
	lines := bufio.NewScanner(io.LimitReader(f, 2*maxLosses))
	for lines.Scan() {
		var loss script.Loss
		if err := json.Unmarshal(lines.Bytes(), &loss); err != nil {
			return losses, fmt.Errorf("%s: %w", f.Name(), err)
		}
		losses = append(losses, loss)
	}
	return losses, lines.Err()
}
