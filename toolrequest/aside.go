package toolrequest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// asideFile is a broken file that keeps its content under another name.
type asideFile struct {
	path, name string
	text       []byte
	reason     lang.Message
}

// loadOrSetAside is load for additions, which go on when the file is broken.
func (s *session) loadOrSetAside() error {
	f := s.file
	entries, text, err := f.readEntries(f.path)
	if flaw, ok := errors.AsType[*broken](err); ok {
		s.aside = f.asideFor(f.path, text, flaw)
		s.high = salvage(text)
		s.warn(s.aside)
	} else if err != nil {
		return err
	}
	s.entries, s.high = entries, max(s.high, highest(entries))
	high, err := f.archiveHigh()
	s.high = max(s.high, high)
	return err
}

func (s *session) warn(a *asideFile) {
	text := lang.RequestSetAside.With(a.path, a.reason, a.name).In(s.file.lang)
	s.warning = strings.TrimSpace(s.warning + " " + text + " " + lang.RequestSetAsideHint.In(s.file.lang))
}

const asideMark = ".corrupt-"

// asideFor chooses the name. A file that a killed writer has already put aside
// keeps the one it got.
func (f *File) asideFor(path string, text []byte, flaw *broken) *asideFile {
	a := &asideFile{path: path, text: text, reason: flaw.reason}
	if others, err := besides(path); err == nil {
		for _, other := range others {
			if kept, err := os.ReadFile(other); err == nil && bytes.Equal(kept, text) {
				a.name = other
				return a
			}
		}
	}
	base := path + asideMark + moment(f.now()).Format("20060102T150405.000Z")
	a.name = base
	for i := 2; ; i++ {
		if _, err := os.Lstat(a.name); errors.Is(err, fs.ErrNotExist) || i > 1000 {
			return a
		}
		a.name = fmt.Sprintf("%s-%d", base, i)
	}
}

// keep writes the copy. The broken file itself stays until the new one takes
// its name, so that there is no moment in which a crash would lose it or would
// let the next writer begin with the first id.
func (a *asideFile) keep(f *File) error {
	if a == nil {
		return nil
	}
	if kept, err := os.ReadFile(a.name); err == nil && bytes.Equal(kept, a.text) {
		return nil
	}
	if err := fsx.Replace(a.name, a.text, nil); err != nil {
		return f.unwritable(a.name, err)
	}
	return nil
}

// besides lists the files that were put aside for a path, the oldest first.
func besides(path string) ([]string, error) {
	names, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found []string
	for _, name := range names {
		if strings.HasPrefix(name.Name(), filepath.Base(path)+asideMark) {
			found = append(found, filepath.Join(filepath.Dir(path), name.Name()))
		}
	}
	return found, err
}

// anyID finds ids in a text that is not valid JSON. Inside a JSON string the
// quotes would be escaped.
var anyID = regexp.MustCompile(`"id"\s*:\s*"` + idPrefix + `([0-9]+)"?`)

// salvage is the highest number of an id that can still be read.
func salvage(text []byte) int64 {
	var high int64
	for _, found := range anyID.FindAllSubmatch(text, -1) {
		if n, ok := numberOf(idPrefix + string(found[1])); ok {
			high = max(high, n)
		}
	}
	return high
}
