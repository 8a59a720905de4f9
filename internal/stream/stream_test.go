package stream

import (
	"bytes"
	"testing"

	"github.com/gongu-ai/gongu/internal/lang"
)

// TestGoondanW7_StreamMemory: what a stream holds is bounded by what it keeps, not by
// what it is given.
func TestGoondanW7_StreamMemory(t *testing.T) {
	const keep, piece = 1 << 16, 1 << 12
	s := &Stream{Keep: keep}
	for range 10_000 {
		if n, err := s.Write(bytes.Repeat([]byte("x"), piece)); n != piece || err != nil {
			t.Fatal(n, err)
		}
		if held := cap(s.head) + cap(s.tail); held > 4*keep {
			t.Fatalf("%d bytes are held for %d", held, keep)
		}
	}
	if _, total, _ := s.Finish(lang.English); total != 10_000*piece {
		t.Errorf("%d bytes were counted", total)
	}
}

// TestStreamIsOver: a program that still writes changes no result.
func TestStreamIsOver(t *testing.T) {
	told := 0
	s := &Stream{Keep: 10, Tell: func(string) { told++ }}
	_, _ = s.Write([]byte("in time"))
	text, _, _ := s.Finish(lang.English)
	if n, err := s.Write([]byte("late")); n != 4 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if text != "in time" || s.total != 7 || told != 1 {
		t.Errorf("%q of %d bytes, told %d times", text, s.total, told)
	}
}

// TestPartialIsBounded: the caller hears no more than the result can hold, but
// for the piece at the limit.
func TestPartialIsBounded(t *testing.T) {
	heard := 0
	s := &Stream{Keep: 100, Tell: func(text string) { heard += len(text) }}
	for range 100 {
		_, _ = s.Write(bytes.Repeat([]byte("y"), 30))
	}
	if heard != 120 {
		t.Errorf("%d bytes were heard", heard)
	}
}
