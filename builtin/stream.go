package builtin

import (
	"context"
	"os"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxSpill is the most of one stream that goes to a file.
const maxSpill = 64 << 20

// stream takes what a program writes, however much: it keeps the beginning and
// the end, puts the whole into a file when it does not fit, and hands it to the
// caller while it comes.
type stream struct {
	name  string
	keep  int
	spill spill
	// tell hands a piece to the caller; nil when nobody listens.
	tell func(name, text string)
	// told and rest are used by the goroutine that writes, alone.
	told int
	rest []byte // the beginning of a rune

	// mu is for a program that writes while its call already ends.
	mu         sync.Mutex
	over       bool
	total      int64
	head, tail []byte
}

// streams are for one call.
func (s *system) streams(ctx context.Context) (stdout, stderr *stream) {
	var tell func(name, text string)
	if about := gongu.ContextOf(ctx); about.Caller.Partial != nil {
		var one sync.Mutex // the two streams come from two goroutines
		tell = func(name, text string) {
			one.Lock()
			defer one.Unlock()
			about.Partial(ctx, gongu.Content{Type: "text", Name: name, Text: text})
		}
	}
	begin := func(name string) *stream {
		return &stream{name: name, keep: s.opts.MaxOutput, tell: tell, spill: spill{dir: s.opts.SpillDir, name: name}}
	}
	return begin("stdout"), begin("stderr")
}

// Write never fails, so that no program waits for us.
func (s *stream) Write(p []byte) (int, error) {
	if s.take(p) {
		s.pass(p)
	}
	return len(p), nil
}

// take keeps the piece and says whether the call still runs.
func (s *stream) take(p []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	before := s.total
	s.total += int64(len(p))
	room := min(max(s.keep/2-len(s.head), 0), len(p))
	s.head = append(s.head, p[:room]...)
	s.tail = append(s.tail, p[room:]...)
	if s.total <= int64(s.keep) {
		return true
	}
	if before <= int64(s.keep) {
		// Until now nothing was dropped: the file gets all there was.
		s.spill.open()
		s.spill.write(s.head)
		s.spill.write(s.tail)
	} else {
		s.spill.write(p)
	}
	// Moved only when twice as long as needed, so that each byte moves once.
	if last := s.tailLength(); len(s.tail) > 2*last {
		s.tail = s.tail[:copy(s.tail, s.tail[len(s.tail)-last:])]
	}
	return true
}

func (s *stream) tailLength() int { return s.keep - s.keep/2 }

// pass tells the caller, in whole runes and no more than the result can hold.
func (s *stream) pass(p []byte) {
	if s.tell == nil || s.told >= s.keep {
		return
	}
	s.rest = append(s.rest, p...)
	whole := wholeRunes(s.rest)
	if len(whole) > 0 {
		s.told += len(whole)
		s.tell(s.name, clean(whole))
	}
	s.rest = append(s.rest[:0], s.rest[len(whole):]...)
}

// finish ends the stream. When the text is not all of it, bytes says how much
// there was, and path where it is, if anywhere.
func (s *stream) finish(l lang.Lang) (text string, bytes int64, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	path = s.spill.close()
	if s.total <= int64(s.keep) {
		return clean(append(s.head, s.tail...)), 0, ""
	}
	head := wholeRunes(s.head)
	tail := afterCut(s.tail[max(len(s.tail)-s.tailLength(), 0):])
	left := s.total - int64(len(head)) - int64(len(tail))
	return clean(head) + lang.StreamCut.In(l, left) + clean(tail), s.total, path
}

// spill is a file for a stream that does not fit. A disk that fails costs the
// file, not the call.
type spill struct {
	dir, name string
	file      *os.File
	size      int
}

func (s *spill) open() {
	if s.dir == "" || os.MkdirAll(s.dir, 0o700) != nil {
		return
	}
	if file, err := os.CreateTemp(s.dir, "bash-*-"+s.name+".txt"); err == nil {
		s.file = file
	}
}

func (s *spill) write(p []byte) {
	if s.file == nil {
		return
	}
	p = p[:min(len(p), maxSpill-s.size)]
	n, err := s.file.Write(p)
	s.size += n
	if err != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name()) // half of it would be taken for the whole
		s.file = nil
	}
}

// close gives the place of the file, or nothing.
func (s *spill) close() (path string) {
	if s.file == nil {
		return ""
	}
	if s.file.Close() != nil {
		return ""
	}
	return s.file.Name()
}
