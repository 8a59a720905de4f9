package toolrequest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// session is one look at the files of a queue, or one change of them.
type session struct {
	ledger
	file *File
	// dirtyArchive means that entries of the archive have changed.
	dirtyArchive bool
	// bounded means that the file must not outgrow maxWritten.
	bounded bool
	// aside is the text of a broken file that is to be replaced.
	aside   *asideFile
	warning string
}

// change does its work under the lock of all processes.
func (f *File) change(ctx context.Context, work func(*session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	select {
	case f.gate <- struct{}{}:
		defer func() { <-f.gate }()
	case <-waiting.Done():
		return f.gaveUp(ctx, waiting.Err())
	}
	lock, err := fsx.TakeUserLock(waiting, f.path)
	switch {
	case errors.Is(err, fsx.ErrLocked):
		return f.gaveUp(ctx, err)
	case err != nil:
		return f.unwritable(f.path, err)
	}
	f.sweep()
	err = work(&session{file: f})
	if released := lock.Release(); released != nil {
		f.logger.Warn("releasing the lock of the tool requests", "path", f.path, "error", released)
	}
	return err
}

// gaveUp distinguishes a cancelled caller from a queue that stays locked.
func (f *File) gaveUp(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return lang.NewError(ErrBusy, lang.RequestBusy.With(f.path, err), lang.RequestBusyHint.With()).Because(err)
}

// sweep removes temporary files of killed writers. The caller holds the lock. A
// file that cannot be removed is only logged.
func (f *File) sweep() {
	for _, path := range []string{f.path, f.archivePath()} {
		if err := fsx.Sweep(path); err != nil {
			f.logger.Warn("removing what a killed writer of the tool requests left", "path", path, "error", err)
		}
	}
}

// read returns the text of a file, or nothing when there is none.
func (f *File) read(path string) (text []byte, there bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, f.unreadable(path, err)
	case !info.Mode().IsRegular():
		// A link could lead to a file that is not ours to replace.
		return nil, false, lang.NewError(ErrStorage, lang.RequestIrregular.With(path), lang.RequestOtherFile.With())
	case info.Size() > maxRead:
		return nil, false, lang.NewError(ErrStorage, lang.RequestTooBig.With(path, info.Size(), maxRead), lang.RequestOtherFile.With())
	}
	text, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, f.unreadable(path, err)
	}
	return text, true, nil
}

func (f *File) readEntries(path string) (entries []*entry, text []byte, err error) {
	text, there, err := f.read(path)
	if err != nil || !there {
		return nil, nil, err
	}
	entries, err = parse(text, path)
	return entries, text, err
}

// readAll reads all entries. A broken file is an error: its caller would write
// the file again without what could not be read.
func (f *File) readAll(path string) ([]*entry, error) {
	entries, _, err := f.readEntries(path)
	if flaw, ok := errors.AsType[*broken](err); ok {
		return nil, lang.NewError(ErrBroken, lang.RequestBroken.With(path, flaw.reason), lang.RequestBrokenHint.With())
	}
	return entries, err
}

// load reads the file, not the archive.
func (s *session) load() error {
	entries, err := s.file.readAll(s.file.path)
	s.entries, s.high = entries, highest(entries)
	return err
}

// loadArchive reads the archive, after the file: what moves over meanwhile is
// seen twice and counted once. The file has the last word, because a writer
// that died between the two had changed the archive first.
func (s *session) loadArchive() error {
	entries, err := s.file.readAll(s.file.archivePath())
	s.high = max(s.high, highest(entries))
	s.archived = without(entries, s.entries)
	return err
}

func (s *session) loadAll() error {
	if err := s.load(); err != nil {
		return err
	}
	return s.loadArchive()
}

func (s *session) isArchived(id string) bool {
	return slices.ContainsFunc(s.archived, func(e *entry) bool { return e.ID == id })
}

// without leaves out the entries whose ids others have. It reuses the slice.
func without(entries, others []*entry) []*entry {
	taken := make(map[string]bool, len(others))
	for _, e := range others {
		taken[e.ID] = true
	}
	return slices.DeleteFunc(entries, func(e *entry) bool { return taken[e.ID] })
}

// save writes what changed: the archive first, so that a crash in between
// leaves a request in both files and never in none.
func (s *session) save(ctx context.Context) error {
	f := s.file
	retired := s.retire(keptClosed)
	text, err := render(s.entries)
	if err != nil {
		return fmt.Errorf("tool requests: %w", err)
	}
	if s.bounded && len(text) > maxWritten {
		return lang.NewError(ErrFull, lang.RequestFullBytes.With(f.path, len(text), maxWritten), lang.RequestFullHint.With())
	}
	// After this, the files change.
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(retired) > 0 || s.dirtyArchive {
		if err := s.archive(retired); err != nil {
			return err
		}
	}
	if err := s.aside.keep(f); err != nil {
		return err
	}
	if err := s.write(f.path, text); err != nil {
		return err
	}
	if s.warning != "" {
		f.logger.Warn(s.warning)
	}
	return nil
}

// archive adds decided requests to those that moved away before.
func (s *session) archive(retired []*entry) error {
	path := s.file.archivePath()
	var aside *asideFile
	if !s.dirtyArchive {
		entries, text, err := s.file.readEntries(path)
		if flaw, ok := errors.AsType[*broken](err); ok {
			aside = s.file.asideFor(path, text, flaw)
			s.warn(aside)
		} else if err != nil {
			return err
		}
		s.archived = without(entries, s.entries)
	}
	kept, gone, err := forget(append(without(s.archived, retired), retired...))
	if err != nil {
		return fmt.Errorf("tool requests: %w", err)
	}
	text, err := render(kept)
	if err != nil {
		return fmt.Errorf("tool requests: %w", err)
	}
	if err := aside.keep(s.file); err != nil {
		return err
	}
	if err := s.write(path, text); err != nil {
		return err
	}
	if gone > 0 {
		s.file.logger.Info("the oldest decided tool requests left the archive", "path", path, "requests", gone)
	}
	return nil
}

func (s *session) write(path string, text []byte) error {
	err := fsx.Replace(path, text, s.file.watch)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fsx.ErrUnconfirmed):
		return lang.NewError(ErrStorage, lang.RequestUnconfirmed.With(path, fsx.Cause(err)), lang.RequestPlaceHint.With()).Because(err)
	}
	return s.file.unwritable(path, err)
}

// archiveHigh is the highest id in the archive. A broken one is put aside when
// it has to be written.
func (f *File) archiveHigh() (int64, error) {
	entries, text, err := f.readEntries(f.archivePath())
	if _, ok := errors.AsType[*broken](err); ok {
		return salvage(text), nil
	}
	return highest(entries), err
}
