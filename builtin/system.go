package builtin

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/stream"
)

const (
	// maxText is the most that one call reads of a file or a body, whatever
	// its arguments say.
	maxText = 8 << 20
	// jsonGrowth is how much longer a text can be as JSON: a control
	// character of one byte is written in six.
	jsonGrowth = 6
	// outputRoom is for the other fields of an output.
	outputRoom = 64 << 10
)

// destructive is for tools that change or destroy something on this machine.
func destructive() *gongu.Annotations {
	return &gongu.Annotations{ReadOnly: new(false), Destructive: new(true), OpenWorld: new(false)}
}

// system is shared by the tools that use files, programs and the network.
type system struct {
	lang lang.Lang
	opts Options
	// files is what the file tools share.
	files *fileState
}

func newSystem(opts *Options) *system {
	s := &system{lang: opts.lang()}
	if opts != nil {
		s.opts = *opts
	}
	s.files = newFileState(s.opts.LockDir)
	s.opts.MaxOutput = cmp.Or(max(s.opts.MaxOutput, 0), defaultMaxOutput)
	s.opts.Roots, s.opts.Closed = slices.Clone(s.opts.Roots), slices.Clone(s.opts.Closed)
	s.opts.Env = slices.Clone(s.opts.Env)
	s.opts.AllowPrivate = slices.Clone(s.opts.AllowPrivate)
	return s
}

// at finds the place of a path for a call. What is not there is called missing.
func (s *system) at(ctx context.Context, path string, missing lang.Text) (*place, error) {
	return s.find(ctx, path, missing, false)
}

// find is at, or, to look only, without making the working directory.
func (s *system) find(ctx context.Context, path string, missing lang.Text, look bool) (*place, error) {
	if path == "" {
		return nil, wrong(lang.MustBeNonEmpty, "path")
	}
	workdir, err := filepath.Abs(cmp.Or(gongu.ContextOf(ctx).Workdir, s.opts.Workdir))
	if err != nil {
		return nil, err
	}
	p := &place{asked: path, workdir: workdir, missing: missing}
	roots := s.opts.Roots
	if s.opts.CallRoots != nil {
		roots = append(slices.Clip(roots), s.opts.CallRoots(ctx)...)
	}
	space := fsx.Space{Workdir: workdir, Roots: roots, Closed: s.opts.Closed, Look: look}
	if s.opts.Protected != nil {
		space.Protected = s.opts.Protected(ctx)
	}
	p.Place, err = space.At(path)
	if err != nil {
		return nil, p.explain(err)
	}
	return p, nil
}

// wrote reports a change of a file.
func (s *system) wrote(ctx context.Context, p *place) {
	if s.opts.Wrote != nil {
		s.opts.Wrote(ctx, p.Real())
	}
}

// place is a place and what is needed to speak about it.
type place struct {
	*fsx.Place
	asked, workdir string
	missing        lang.Text
}

// close closes the place. The error does not matter: nothing was written.
func (p *place) close() { _ = p.Close() }

// explain translates an error of the file system into a message with the path
// that the caller gave. Other errors are returned unchanged.
func (p *place) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fsx.ErrOutside):
		return wrong(lang.PathOutside, p.asked, p.workdir)
	case errors.Is(err, fsx.ErrProtected):
		return wrong(lang.PathProtected, p.asked)
	case errors.Is(err, fsx.ErrClosed):
		return wrong(lang.PathClosed, p.asked)
	case errors.Is(err, fs.ErrNotExist):
		return wrong(p.missing, p.asked)
	case errors.Is(err, fsx.ErrIsDir):
		return wrong(lang.PathIsDir, p.asked)
	case errors.Is(err, fsx.ErrNotDir), errors.Is(err, syscall.ENOTDIR):
		return wrong(lang.PathNotDir, p.asked)
	case errors.Is(err, fsx.ErrIrregular):
		return wrong(lang.PathIrregular, p.asked)
	case errors.Is(err, fs.ErrExist):
		return wrong(lang.PathExists, p.asked)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return wrong(lang.PathForbidden, p.asked)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return wrong(lang.DiskFull, p.asked)
	case errors.Is(err, fsx.ErrChanged):
		return notApproved(p)
	case errors.Is(err, fsx.ErrTooLarge):
		return wrong(lang.FileTooLarge, p.asked, maxEdited>>20)
	}
	return err
}

// clamp turns a number of an argument into a count of bytes.
func clamp(n float64) int { return int(min(max(n, 1), maxText)) }

// milliseconds is a number of an argument as a time; what is not positive is
// 0, and what is too long to count is the longest there is.
func milliseconds(n float64) time.Duration {
	const longest = math.MaxInt64 / int64(time.Millisecond)
	if n >= float64(longest) {
		return math.MaxInt64
	}
	return time.Duration(max(n, 0) * float64(time.Millisecond))
}

// clean is text without bytes that are not UTF-8.
func clean(raw []byte) string { return stream.Clean(raw) }

// wholeRunes drops the beginning of a rune that was cut off at the end.
func wholeRunes(raw []byte) []byte { return stream.WholeRunes(raw) }
