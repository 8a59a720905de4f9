// Package spill keeps outputs that are too large for a model in files: apart for
// each principal, for a day, and up to a size in all.
package spill

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
)

const (
	// MaxAge is how long an output is kept, by default.
	MaxAge = 24 * time.Hour
	// MaxTotal is the most bytes of all outputs, by default.
	MaxTotal = 1 << 30
	// sweepEvery is how often old outputs are looked for.
	sweepEvery = time.Hour
)

// Options change the limits. Zero values take the defaults.
type Options struct {
	MaxAge   time.Duration
	MaxTotal int64
	// Now is the clock, for tests.
	Now func() time.Time
}

// Store keeps outputs below one folder, which several processes may use.
type Store struct {
	dir  string
	opts Options

	mu sync.Mutex
	// most is the largest size that the outputs can have by now: that of the
	// last sweep, and what was announced since. Zero: not swept yet.
	most  int64
	swept time.Time
	timer *time.Timer
	done  bool
}

// New returns a store below dir, which is made on demand.
func New(dir string, opts *Options) *Store {
	s := &Store{dir: dir}
	if opts != nil {
		s.opts = *opts
	}
	s.opts.MaxAge = cmp.Or(max(s.opts.MaxAge, 0), MaxAge)
	s.opts.MaxTotal = cmp.Or(max(s.opts.MaxTotal, 0), MaxTotal)
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	return s
}

// Dir returns the folder of an owner, which alone may read it. The folder need
// not exist.
func (s *Store) Dir(owner string) string { return filepath.Join(s.dir, fsx.SafeKey(owner)) }

// Create makes the file of an output of at most size bytes, and removes outputs
// that are too old or too many. The name has random text in place of the star of
// the pattern, so that a program that may read any file cannot guess it. The
// caller closes the file.
func (s *Store) Create(owner, pattern string, size int64) (*os.File, error) {
	s.makeRoom(size)
	dir := s.Dir(owner)
	if err := fsx.PrivateDir(dir); err != nil {
		return nil, fmt.Errorf("save the output: %w", err)
	}
	name := filepath.Join(dir, strings.Replace(pattern, "*", rand.Text(), 1))
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("save the output: %w", err)
	}
	return file, nil
}

// Close stops the sweeping. The outputs stay.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	if s.timer != nil {
		s.timer.Stop()
	}
	return nil
}

// makeRoom sweeps when the outputs may be too large with one more, or may be too
// old.
func (s *Store) makeRoom(size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most += size
	if s.swept.IsZero() || s.most > s.opts.MaxTotal || s.opts.Now().Sub(s.swept) > sweepEvery {
		s.sweepLocked(size)
	}
	if s.timer == nil && !s.done {
		s.timer = time.AfterFunc(sweepEvery, s.Sweep)
	}
}

// Sweep removes outputs that are too old, and goes on doing so while there are
// any.
func (s *Store) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = nil
	if s.done {
		return
	}
	s.sweepLocked(0)
	if s.most > 0 {
		s.timer = time.AfterFunc(sweepEvery, s.Sweep)
	}
}

type output struct {
	path string
	size int64
	at   time.Time
}

// sweepLocked removes the outputs that are too old, and the oldest ones until
// so many bytes more have room. A file that cannot be removed counts.
func (s *Store) sweepLocked(room int64) {
	outputs := s.outputs()
	now, total := s.opts.Now(), room
	for _, o := range outputs {
		total += o.size
	}
	for _, o := range outputs {
		if now.Sub(o.at) < s.opts.MaxAge && total <= s.opts.MaxTotal {
			break
		}
		if os.Remove(o.path) == nil {
			total -= o.size
		}
	}
	s.most, s.swept = total, now
}

// outputs lists all of them, the oldest first.
func (s *Store) outputs() []output {
	var all []output
	_ = filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // what cannot be read cannot be removed either
		}
		if info, err := entry.Info(); err == nil {
			all = append(all, output{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b output) int { return a.at.Compare(b.at) })
	return all
}
