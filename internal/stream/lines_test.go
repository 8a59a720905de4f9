package stream_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/stream"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	lines := stream.NewLines(strings.NewReader("a\r\n\n"+long+"\nb\nlast"), 50_000)
	var skipped strings.Builder
	lines.Skipped = func(part []byte) { skipped.Write(part) }
	for _, want := range []string{"a", "", "long", "b", "last"} {
		line, err := lines.Next()
		if tooLong, ok := errors.AsType[*stream.LongLine](err); ok && tooLong.Limit == 50_000 {
			line, err = []byte("long"), nil
		}
		if err != nil || string(line) != want {
			t.Errorf("got %.20q %v, want %q", line, err, want)
		}
	}
	if _, err := lines.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if skipped.String() != long+"\n" {
		t.Errorf("%d bytes were passed on", skipped.Len())
	}
}

// The reader gives up on a line without an end, and holds no more than its
// limit on the way.
func TestEndlessLine(t *testing.T) {
	lines := stream.NewLines(neverEnds{}, 1<<16)
	if _, err := lines.Next(); err == nil || !strings.Contains(err.Error(), "does not end") {
		t.Error(err)
	}
}

// A line of exactly the limit is not too long, whatever ends it.
func TestLineOfTheLimit(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", ""} {
		lines := stream.NewLines(strings.NewReader("12345"+end), 5)
		if line, err := lines.Next(); err != nil || string(line) != "12345" {
			t.Errorf("%q: %q %v", end, line, err)
		}
		lines = stream.NewLines(strings.NewReader("12345678"+end), 5)
		if line, err := lines.Next(); err == nil {
			t.Errorf("%q: %q is over the limit", end, line)
		}
	}
}

// A broken reader is an error, and what it wrote before is not lost silently.
func TestBrokenReader(t *testing.T) {
	broken := errors.New("broken")
	lines := stream.NewLines(io.MultiReader(strings.NewReader("a\nhalf"), failing{broken}), 100)
	if line, err := lines.Next(); err != nil || string(line) != "a" {
		t.Errorf("%q %v", line, err)
	}
	if line, err := lines.Next(); !errors.Is(err, broken) {
		t.Errorf("%q %v", line, err)
	}
}

type neverEnds struct{}

func (neverEnds) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
