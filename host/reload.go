package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/toolrequest"
)

// Reload is one attempt to load a bundle again.
type Reload struct {
	// Err is why the attempt failed; then the previous tools stay in use.
	Err      error
	Revision uint64
}

// settleTime is how long files must be quiet before they are read: editors
// and checkouts write in several steps.
const settleTime = 150 * time.Millisecond

// Reload loads the bundle again. Calls that already run finish with the tools
// they began with. The attempt is one of [Host.Events].
func (h *Host) Reload(ctx context.Context) Reload {
	err := h.load(ctx, h.path)
	h.fulfil(ctx)
	result := Reload{Err: err, Revision: h.registry.Revision()}
	h.events.Publish(Event{Kind: event.Reload, Err: err, Revision: result.Revision})
	return result
}

// watch loads the bundle again whenever its files have changed and settled.
func (h *Host) watch() error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the bundle: %w", err)
	}
	if err := h.watchTree(watcher, h.dir); err != nil {
		return errors.Join(fmt.Errorf("watch the bundle: %w", err), watcher.Close())
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.followChanges(watcher)
	}()
	h.closers = append(h.closers, func() error {
		err := watcher.Close()
		<-ended
		return err
	})
	return nil
}

func (h *Host) followChanges(watcher *fsnotify.Watcher) {
	settled := time.NewTimer(time.Hour)
	settled.Stop()
	for {
		select {
		case event, ok := <-watcher.Events:
			if !ok {
				return
			}
			if event.Has(fsnotify.Create) {
				if info, err := os.Stat(event.Name); err == nil && info.IsDir() {
					h.warn(h.watchTree(watcher, event.Name))
				}
			}
			if !event.Has(fsnotify.Chmod) && !h.isOwnFile(event.Name) {
				settled.Reset(settleTime)
			}
		case err, ok := <-watcher.Errors:
			if !ok {
				return
			}
			// An overflow loses events, so everything is read again.
			h.warn(err)
			settled.Reset(settleTime)
		case <-settled.C:
			h.reloadAndLog()
		}
	}
}

// isOwnFile reports whether gongu itself writes a file into a bundle: the lock
// file, the queue of requests, and their temporary files. They need no reload.
func (h *Host) isOwnFile(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, lockName) || strings.HasPrefix(name, strings.TrimSuffix(toolrequest.FileName, ".json"))
}

func (h *Host) reloadAndLog() {
	result := h.Reload(context.Background())
	if result.Err != nil {
		h.opts.Logger.Error("reloading the bundle failed; the previous tools stay in use", "bundle", h.dir, "error", result.Err)
	} else {
		h.opts.Logger.Info("bundle reloaded", "bundle", h.dir, "revision", result.Revision)
	}
}

func (h *Host) warn(err error) {
	if err != nil {
		h.opts.Logger.Warn("watching the bundle failed", "bundle", h.dir, "error", err)
	}
}

// watchTree watches a folder and those below it, without folders of generated or
// foreign files, which change often and hold no resources.
func (h *Host) watchTree(watcher *fsnotify.Watcher, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		switch entry.Name() {
		case ".git", ".gongu", "node_modules", "dist":
			if path != h.dir { // one that was made after the start, too
				return fs.SkipDir
			}
		}
		return watcher.Add(path)
	})
}
