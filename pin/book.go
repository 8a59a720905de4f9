package pin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/rows"
)

// FirstUse is the policy for a source that the lock file does not have.
type FirstUse string

// The policies of first use.
const (
	// Trust pins what a source lists at its first use.
	Trust FirstUse = "trust-on-first-use"
	// Ask holds a new source back until a person accepts it.
	Ask FirstUse = "ask"
	// Locked never adds to the lock file by itself.
	Locked FirstUse = "locked"
)

// Options change how strict a book is. Nil and zero values are fine.
type Options struct {
	// FirstUse is the policy for unknown sources (default [Trust]).
	FirstUse FirstUse
	// HoldNew holds a new tool of a known source back, which is admitted with
	// a log line otherwise.
	HoldNew bool
	// Policy is what a source, by its identity, asks for by itself; the
	// stricter of the two counts.
	Policy func(source string) Policy
	// LockDecides counts everything in the lock file as accepted here, for a
	// check of the file itself. Otherwise the scanner reads what was accepted
	// elsewhere first.
	LockDecides bool
	// Known returns the names of tools of other owners, which a definition
	// should not mention or resemble.
	Known func() []string
	// Rows keep what was accepted in a store that several hosts share. The lock
	// file is then imported once and exported after each change; nil keeps it in
	// the lock file.
	Rows rows.Store
	// ReadOnly writes nothing: what the policy admits counts for this list alone.
	ReadOnly bool
	// Now is the clock.
	Now    func() time.Time
	Logger *slog.Logger
}

// Policy is how strict a book is with one source. The zero value asks for
// nothing.
type Policy struct {
	FirstUse FirstUse
	HoldNew  bool
}

// policy is what counts for a source.
func (b *Book) policy(source string) Policy {
	p := Policy{FirstUse: b.opts.FirstUse, HoldNew: b.opts.HoldNew}
	if b.opts.Policy == nil {
		return p
	}
	own := b.opts.Policy(source)
	if own.FirstUse.strictness() > p.FirstUse.strictness() {
		p.FirstUse = own.FirstUse
	}
	p.HoldNew = p.HoldNew || own.HoldNew
	return p
}

// strictness orders the policies. One that is not known is as strict as can be.
func (f FirstUse) strictness() int {
	switch f {
	case "", Trust:
		return 0
	case Ask:
		return 1
	default:
		return 2
	}
}

// Book is the pins of a bundle. Its methods may be called from several
// goroutines, and several processes may use the same files.
type Book struct {
	path  string
	cache cache
	opts  Options
	table *table // nil when the lock file has what was accepted

	mu sync.Mutex
}

// Open prepares a book: path is the lock file, cacheDir a folder for the cache.
// Neither has to exist. A lock file that cannot be read is an error now, not
// when a tool is called.
func Open(path, cacheDir string, opts *Options) (*Book, error) {
	b := &Book{path: path, cache: cache{dir: cacheDir}}
	if opts != nil {
		b.opts = *opts
	}
	b.opts.FirstUse = cmp.Or(b.opts.FirstUse, Trust)
	switch b.opts.FirstUse {
	case Trust, Ask, Locked:
	default:
		return nil, fmt.Errorf("pins: first use %q is not one of %s, %s, %s", b.opts.FirstUse, Trust, Ask, Locked)
	}
	if b.opts.Now == nil {
		b.opts.Now = time.Now
	}
	if b.opts.Logger == nil {
		b.opts.Logger = slog.Default()
	}
	if b.opts.Rows != nil {
		b.table = &table{book: b, store: b.opts.Rows}
		return b, nil // the file may be older than the rows
	}
	if _, err := readLock(path); err != nil {
		return nil, err
	}
	return b, nil
}

// load returns what was accepted, to be read and not changed.
func (b *Book) load() (*lock, *here, error) {
	if b.table != nil {
		return b.table.read()
	}
	l, err := readLock(b.path)
	return l, readHere(b.cache.dir), err
}

// State is the state of a tool.
type State string

// The states of a tool.
const (
	// Pinned: listed as it was accepted.
	Pinned State = "pinned"
	// Changed: listed differently than it was accepted; held back.
	Changed State = "changed"
	// New: never accepted, and held back by the policy.
	New State = "new"
	// Flagged: never accepted, and the scanner found something; held back.
	Flagged State = "flagged"
	// Moved: its source is started differently than it was accepted.
	Moved State = "moved"
	// Gone: accepted once and not listed now.
	Gone State = "gone"
)

// Verdict is the decision about one tool, or with an empty name about how a
// source is started.
type Verdict struct {
	Source string `json:"source"`
	Name   string `json:"name"`
	State  State  `json:"state"`
	// Pinned and Listed are the digests, of definitions or launches; one of
	// them may be empty.
	Pinned string `json:"pinned,omitempty"`
	Listed string `json:"listed,omitempty"`
	// Changes are what differs, when the accepted text is still known.
	Changes  []Change  `json:"changes,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	// Elsewhere is set when the lock file has the definition, but it was not
	// accepted on this machine and the scanner or its hints speak against it.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Also are the other accepted definitions; only [Book.List] has them.
	Also []Also `json:"also,omitempty"`
	// Show is the definition to show: the accepted one where there is one.
	Show Definition `json:"-"`

	listed Definition
}

// Also is another accepted definition of a tool, and how the listed one differs
// from it.
type Also struct {
	Digest  string   `json:"digest"`
	Changes []Change `json:"changes,omitempty"`
}

// Held reports whether the tool must not be used.
func (v Verdict) Held() bool { return v.State != Pinned }

// Review compares what a source lists with what was accepted, in the order of
// the list, and pins what the policy admits. A failure to store is an error:
// what could not be remembered was not accepted.
func (b *Book) Review(ctx context.Context, source string, launch Launch, definitions []Definition) ([]Verdict, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var verdicts []Verdict
	compare := func(l *lock, h *here) (dirty bool, err error) {
		r := &review{book: b, source: source, launch: launch, lock: l, here: h}
		verdicts, err = r.run(definitions)
		return r.dirty, err
	}
	var err error
	if b.opts.ReadOnly {
		err = b.tryChange(ctx, compare)
	} else {
		err = b.change(ctx, nil, compare)
	}
	if err != nil {
		return nil, err
	}
	return verdicts, nil
}

// change reads the lock file and the record of this machine, lets f change them
// and writes them, while no other process does. With rows f may run again, and
// the decisions of a person are recorded with the change.
func (b *Book) change(ctx context.Context, decided []rows.Decision, f func(*lock, *here) (dirty bool, err error)) (err error) {
	if b.opts.ReadOnly {
		return errors.New("pins: opened to be read only")
	}
	if err := fsx.PrivateDir(b.cache.dir); err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	held, err := fsx.TakeLock(ctx, filepath.Join(b.cache.dir, "pins.lock"))
	if err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if b.table != nil {
		return b.table.change(ctx, decided, f)
	}
	l, err := readLock(b.path)
	if err != nil {
		return err
	}
	h := readHere(b.cache.dir)
	dirty, err := f(l, h)
	if err != nil {
		return err
	}
	if h.dirty {
		if err := h.write(b.cache.dir); err != nil {
			return fmt.Errorf("pins: %w", err)
		}
	}
	if !dirty {
		return nil
	}
	return l.write(b.path)
}

// tryChange runs a change and drops what it changed.
func (b *Book) tryChange(ctx context.Context, f func(*lock, *here) (dirty bool, err error)) error {
	if b.table != nil {
		s, err := b.table.load(ctx)
		if err == nil {
			_, err = f(s.lock, s.here)
		}
		return err
	}
	l, err := readLock(b.path)
	if err == nil {
		_, err = f(l, readHere(b.cache.dir))
	}
	return err
}

// Cached is what a source listed last, as Review would answer without reaching
// it and without accepting anything. The time is that of the list.
func (b *Book) Cached(source string, launch Launch) (verdicts []Verdict, at time.Time, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last, ok := b.cache.read(source)
	if !ok {
		return nil, time.Time{}, false
	}
	l, h, err := b.load()
	if err != nil {
		return nil, time.Time{}, false
	}
	r := &review{book: b, source: source, launch: launch, lock: l, here: h, readOnly: true}
	definitions := make([]Definition, 0, len(last.Tools))
	for _, k := range last.Tools {
		d, ok := k.definition()
		if !ok {
			return nil, time.Time{}, false
		}
		definitions = append(definitions, d)
	}
	verdicts, err = r.run(definitions)
	return verdicts, last.At, err == nil
}
