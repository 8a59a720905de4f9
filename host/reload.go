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
)

// Reload is one attempt to load a bundle again.
type Reload struct {
	// Err is why the attempt failed; then the previous tools stay in use.
	Err      error
	Revision uint64
}

const (
	// settleTime is how long files must be quiet before they are read: editors
	// and checkouts write in several steps. After settleMost they are read
	// anyway.
	settleTime = 150 * time.Millisecond
	settleMost = time.Second
	// pollTime is how often links and the consent are looked at.
	pollTime = 250 * time.Millisecond
	// maxNewFiles bounds the look into a new folder.
	maxNewFiles = 1000
)

// Reload loads the bundle again. Calls that already run finish with the tools
// they began with. The attempt is one of [Host.Events], unless nothing changed.
func (h *Host) Reload(ctx context.Context) Reload {
	before := h.now()
	err := h.load(ctx, h.path)
	result := Reload{Err: err, Revision: h.registry.Revision()}
	if err == nil && h.now() == before {
		return result
	}
	h.fulfil(ctx)
	h.events.Publish(Event{Kind: event.Reload, Err: err, Revision: result.Revision})
	return result
}

// watcher follows the files of a bundle and the consent to it.
type watcher struct {
	host  *Host
	files *fsnotify.Watcher
	// root is the folder that is watched: another one may take its place when
	// a link on its path changes.
	root os.FileInfo
	// record is the file of the consent, with its last state.
	record  string
	consent os.FileInfo
	touched time.Time
}

// watch loads the bundle again whenever what it does has changed and settled.
func (h *Host) watch() error {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the bundle: %w", err)
	}
	w := &watcher{host: h, files: files, touched: time.Now()}
	w.root, _ = os.Stat(h.dir) // a folder that is gone is found by poll
	if h.opts.Consent != nil {
		if w.record, _, err = h.opts.Consent.Records.path(h.path); err == nil {
			w.consent, _ = os.Stat(w.record) // nil without one
		}
	}
	if err == nil {
		err = w.add(h.dir)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("watch the bundle: %w", err), files.Close())
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.follow()
	}()
	h.closers = append(h.closers, func() error {
		err := files.Close()
		<-ended
		return err
	})
	return nil
}

func (w *watcher) follow() {
	settled := time.NewTimer(time.Hour)
	settled.Stop()
	poll := time.NewTicker(pollTime)
	defer poll.Stop()
	var first time.Time // of the changes that have not settled
	changed := func() {
		if first.IsZero() {
			first = time.Now()
		}
		// Files that change all the time do not put it off forever.
		settled.Reset(max(0, min(settleTime, settleMost-time.Since(first))))
	}
	for {
		select {
		case event, ok := <-w.files.Events:
			if !ok {
				return
			}
			if w.concerns(event) {
				changed()
			}
		case err, ok := <-w.files.Errors:
			if !ok {
				return
			}
			// An overflow loses events, so everything is read again.
			w.host.warn(err)
			changed()
		case <-poll.C:
			if w.poll() {
				changed()
			}
		case <-settled.C:
			first = time.Time{}
			w.host.reloadAndLog()
		}
	}
}

// concerns reports whether an event may change what the bundle does. A log, a
// note or the output of a tool does not.
func (w *watcher) concerns(event fsnotify.Event) bool {
	folder := false
	if event.Has(fsnotify.Create) {
		if info, err := os.Stat(event.Name); err == nil && info.IsDir() {
			folder = true
			w.host.warn(w.add(event.Name))
		}
	}
	label, err := filepath.Rel(w.host.dir, event.Name)
	return err == nil && (w.covers(label) || folder && w.holds(event.Name))
}

// covers reports whether a path concerns what runs, or the bundle as it was read
// last.
func (w *watcher) covers(label string) bool {
	label = filepath.ToSlash(label)
	running, present := w.host.now().cover, w.host.present.Load()
	return running == nil || running.Concerns(label) || present != nil && present.Concerns(label)
}

// holds reports whether a new folder has a file that concerns the bundle.
func (w *watcher) holds(folder string) bool {
	found := false
	visited := 0
	// What cannot be read cannot be used either.
	_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		label, relErr := filepath.Rel(w.host.dir, path)
		if visited++; err != nil || relErr != nil || visited > maxNewFiles {
			return fs.SkipAll
		}
		if found = w.covers(label); found {
			return fs.SkipAll
		}
		return nil
	})
	return found || visited > maxNewFiles
}

// poll looks for what no event reports: a link on the path of the bundle that
// leads elsewhere, and the file of the consent. It also keeps the copies that are
// in use.
func (w *watcher) poll() (changed bool) {
	if root, err := os.Stat(w.host.dir); err == nil && (w.root == nil || !os.SameFile(root, w.root)) {
		w.root, changed = root, true
		for _, path := range w.files.WatchList() {
			_ = w.files.Remove(path) // it may be gone
		}
		w.host.warn(w.add(w.host.dir))
	}
	if w.record != "" {
		now, _ := os.Stat(w.record) // nil without one
		same := now == nil && w.consent == nil ||
			now != nil && w.consent != nil && os.SameFile(now, w.consent) && now.ModTime().Equal(w.consent.ModTime())
		w.consent, changed = now, changed || !same
	}
	if time.Since(w.touched) > touchEvery {
		w.touched = time.Now()
		w.host.touchCopies()
	}
	return changed
}

func (h *Host) reloadAndLog() {
	before := h.now()
	result := h.Reload(context.Background())
	switch {
	case result.Err != nil:
		h.opts.Logger.Error("reloading the bundle failed; the previous tools stay in use", "bundle", h.dir, "error", result.Err)
	case h.now() != before:
		h.opts.Logger.Info("bundle reloaded", "bundle", h.dir, "revision", result.Revision)
	}
}

func (h *Host) warn(err error) {
	if err != nil {
		h.opts.Logger.Warn("watching the bundle failed", "bundle", h.dir, "error", err)
	}
}

// add watches a folder and those below it, without folders of generated or
// foreign files, which change often and hold no resources.
func (w *watcher) add(from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil && path != from {
			return nil // gone, or not for us
		}
		if err != nil || !entry.IsDir() && path != from {
			return err
		}
		switch entry.Name() {
		case ".git", ".gongu", "node_modules", "dist":
			label, relErr := filepath.Rel(w.host.dir, path)
			built := entry.Name() == "dist" && relErr == nil && w.covers(label) // programs may lie there
			if path != w.host.dir && !built {                                   // one that was made after the start, too
				return fs.SkipDir
			}
		}
		if strings.HasPrefix(entry.Name(), "..") {
			return fs.SkipDir
		}
		// A link at the end of the path is not walked by itself.
		if entry.Type()&fs.ModeSymlink != 0 {
			return w.addLinked(path)
		}
		return w.files.Add(path)
	})
}

// addLinked watches the folder behind a link, under the name of the link.
func (w *watcher) addLinked(path string) error {
	if err := w.files.Add(path); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	for _, entry := range entries {
		if entry.IsDir() {
			err = errors.Join(err, w.add(filepath.Join(path, entry.Name())))
		}
	}
	return err
}
