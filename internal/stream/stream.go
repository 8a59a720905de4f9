// Package stream reads the output of programs with bounded memory.
package stream

import (
	"os"
	"sync"

	"github.com/gongu-ai/gongu/internal/lang"
)

// MaxSpill is the most of one stream that goes to a file.
const MaxSpill = 64 << 20

// Stream keeps the beginning and the end of what is written to it, puts the
// whole into a file when it does not fit, and hands it on while it comes. Set
// the fields before the first write.
type Stream struct {
	// Keep is how many bytes the text may have.
	Keep int
	// Spill makes the file; nil makes none.
	Spill func() (*os.File, error)
	// Tell gets each piece as it is written, in whole runes; it may be nil.
	Tell func(text string)

	// told and rest are used only by the goroutine that writes.
	told int
	rest []byte // the beginning of a rune

	// mu is for a program that writes while its call already ends.
	mu         sync.Mutex
	over       bool
	total      int64
	head, tail []byte
	spill      spill
}

// Write never fails, so that no program blocks.
func (s *Stream) Write(p []byte) (int, error) {
	if s.take(p) {
		s.pass(p)
	}
	return len(p), nil
}

// take keeps the piece and says whether the call still runs.
func (s *Stream) take(p []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	before := s.total
	s.total += int64(len(p))
	room := min(max(s.Keep/2-len(s.head), 0), len(p))
	s.head = append(s.head, p[:room]...)
	s.tail = append(s.tail, p[room:]...)
	if s.total <= int64(s.Keep) {
		return true
	}
	if before <= int64(s.Keep) {
		// Until now nothing was dropped: the file gets all there was.
		s.spill.open(s.Spill)
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

func (s *Stream) tailLength() int { return s.Keep - s.Keep/2 }

// pass tells the listener no more than the result can hold.
func (s *Stream) pass(p []byte) {
	if s.Tell == nil || s.told >= s.Keep {
		return
	}
	s.rest = append(s.rest, p...)
	whole := WholeRunes(s.rest)
	if len(whole) > 0 {
		s.told += len(whole)
		s.Tell(Clean(whole))
	}
	s.rest = append(s.rest[:0], s.rest[len(whole):]...)
}

// Finish ends the stream. When the text is not all of it, bytes says how much
// there was, and path where it is, if anywhere.
func (s *Stream) Finish(l lang.Lang) (text string, bytes int64, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	path = s.spill.close()
	if s.total <= int64(s.Keep) {
		return Clean(append(s.head, s.tail...)), 0, ""
	}
	head := WholeRunes(s.head)
	tail := AfterCut(s.tail[max(len(s.tail)-s.tailLength(), 0):])
	left := s.total - int64(len(head)) - int64(len(tail))
	return Clean(head) + lang.StreamCut.In(l, left) + Clean(tail), s.total, path
}

// spill is a file for a stream that does not fit. A disk that fails costs the
// file, not the call.
type spill struct {
	file *os.File
	size int
}

func (s *spill) open(create func() (*os.File, error)) {
	if create == nil {
		return
	}
	if file, err := create(); err == nil {
		s.file = file
	}
}

func (s *spill) write(p []byte) {
	if s.file == nil {
		return
	}
	p = p[:min(len(p), MaxSpill-s.size)]
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
