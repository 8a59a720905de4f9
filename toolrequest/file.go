package toolrequest

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rows"
)

// FileName is the name of the queue's file in the root of a bundle.
const FileName = "tool-requests.json"

const (
	defaultMaxOpen = 1000
	// keptClosed is how many decided requests stay in the file.
	keptClosed = 1000
	// maxWritten limits the file while requests are added, because each addition
	// rewrites it. A file that a person wrote may be larger.
	maxWritten = 16 << 20
	maxRead    = 256 << 20
	// lockWait is how long a change waits for others. Each holds the lock for
	// milliseconds; one that is stopped must not stop all.
	lockWait = 10 * time.Second
)

// Options change the defaults of a [File]. The zero value is good.
type Options struct {
	// MaxOpen is how many requests may wait for review (default 1,000).
	MaxOpen int
	// Logger logs a broken file that was put aside (default: slog's).
	Logger *slog.Logger
	// Lang is the language of warnings: "en" or "ko".
	Lang string
	// Now is the clock (default: the system's).
	Now func() time.Time
	// Import reads what belongs to the requests that [Rows] imports from a file,
	// and returns how to write it, in the same transaction. Files do not use it.
	Import func() (write func(context.Context, rows.Tx) error)
}

// File is a queue in a JSON file that any number of processes share.
type File struct {
	path    string
	maxOpen int
	logger  *slog.Logger
	lang    lang.Lang
	now     func() time.Time

	// gate admits one goroutine at a time to the lock between processes.
	gate chan struct{}
	// watch is called for the steps of a write. Only tests set it.
	watch func(fsx.Step) error
}

var _ Store = (*File)(nil)

// NewFile is the queue in a file, which is made by the first request. The
// folder must exist by then.
func NewFile(path string, opts *Options) *File {
	if opts == nil {
		opts = &Options{}
	}
	f := &File{
		path:    filepath.Clean(path),
		maxOpen: cmp.Or(opts.MaxOpen, defaultMaxOpen),
		logger:  opts.Logger,
		lang:    lang.Of(opts.Lang),
		now:     opts.Now,
		gate:    make(chan struct{}, 1),
	}
	if f.logger == nil {
		f.logger = slog.Default()
	}
	if f.now == nil {
		f.now = time.Now
	}
	return f
}

// Path is the file of the queue.
func (f *File) Path() string { return f.path }

// Files are the absolute paths of the queue and of its archive, for those who
// keep others from writing them.
func (f *File) Files() []string {
	files := []string{f.path, f.archivePath()}
	for i, file := range files {
		if absolute, err := filepath.Abs(file); err == nil {
			files[i] = absolute
		}
	}
	return files
}

// archivePath is the file beside it for requests that were decided long ago.
func (f *File) archivePath() string {
	ext := filepath.Ext(f.path)
	return strings.TrimSuffix(f.path, ext) + ".archive" + ext
}

// Add queues a request. A broken file is put aside, and [Request.Warning] and
// the log say so.
func (f *File) Add(ctx context.Context, n New) (r Request, already bool, err error) {
	n, err = check(n)
	if err != nil {
		return Request{}, false, err
	}
	var warning string
	err = f.change(ctx, func(s *session) (err error) {
		if err := s.loadOrSetAside(); err != nil {
			return err
		}
		r, already, err = s.add(n, f.maxOpen, moment(f.now()), f.path)
		if err != nil || already {
			return err
		}
		s.bounded = true
		warning = s.warning
		return s.save(ctx)
	})
	if err != nil {
		return Request{}, false, err
	}
	r.Warning = warning
	return r, already, nil
}

// Get finds a request, also in the archive.
func (f *File) Get(ctx context.Context, id string) (Request, error) {
	if err := ctx.Err(); err != nil {
		return Request{}, err
	}
	s := session{file: f}
	if err := s.load(); err != nil {
		return Request{}, err
	}
	if s.find(id) == nil {
		if err := s.loadArchive(); err != nil {
			return Request{}, err
		}
	}
	e, err := s.get(id)
	if err != nil {
		return Request{}, err
	}
	return e.copy(), nil
}

// List pages through the requests and the archive.
func (f *File) List(ctx context.Context, filter Filter) (Page, error) {
	if err := ctx.Err(); err != nil {
		return Page{}, err
	}
	filter, err := checkFilter(filter)
	if err != nil {
		return Page{}, err
	}
	s := session{file: f}
	if err := s.load(); err != nil {
		return Page{}, err
	}
	if filter.Status != Queued { // those are never archived
		if err := s.loadArchive(); err != nil {
			return Page{}, err
		}
	}
	return s.page(filter)
}

// Review decides about a request.
func (f *File) Review(ctx context.Context, id string, d Decision) (r Request, err error) {
	if err := checkDecision(d); err != nil {
		return Request{}, err
	}
	err = f.change(ctx, func(s *session) (err error) {
		if err := s.load(); err != nil {
			return err
		}
		if s.find(id) == nil {
			if err := s.loadArchive(); err != nil {
				return err
			}
		}
		if e := s.find(id); e != nil && e.Status.mayBecome(d.Status) && s.isArchived(id) {
			s.dirtyArchive = true
		}
		if r, err = s.review(id, d, moment(f.now())); err != nil {
			return err
		}
		return s.save(ctx)
	})
	if err != nil {
		return Request{}, err
	}
	return r, nil
}

// Fulfil marks what was asked for under names that now have a tool. When there
// is nothing to mark, it only reads.
func (f *File) Fulfil(ctx context.Context, names ...string) (changed []Request, err error) {
	if err := ctx.Err(); err != nil || len(names) == 0 {
		return nil, err
	}
	set := setOf(names)
	look := session{file: f}
	if err := look.loadAll(); err != nil {
		return nil, err
	}
	if !look.awaits(set) {
		return nil, nil
	}
	err = f.change(ctx, func(s *session) error {
		if err := s.loadAll(); err != nil {
			return err
		}
		changed, s.dirtyArchive = s.fulfil(set, moment(f.now()))
		if len(changed) == 0 {
			return nil
		}
		return s.save(ctx)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// SetAside lists the broken files that were put aside and are still there.
func (f *File) SetAside() ([]string, error) {
	var found []string
	for _, path := range []string{f.path, f.archivePath()} {
		beside, err := besides(path)
		if err != nil {
			return nil, f.unreadable(path, err)
		}
		found = append(found, beside...)
	}
	return found, nil
}

func (f *File) unreadable(path string, err error) error {
	return lang.NewError(ErrStorage, lang.RequestUnreadable.With(path, fsx.Cause(err)), lang.RequestReadHint.With()).Because(err)
}

func (f *File) unwritable(path string, err error) error {
	return lang.NewError(ErrStorage, lang.RequestUnwritable.With(path, fsx.Cause(err)), lang.RequestPlaceHint.With()).Because(err)
}
