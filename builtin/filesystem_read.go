package builtin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"strconv"
	"unicode/utf8"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxEdited is the largest file that is edited, and therefore the largest whose
// hash is reported.
const maxEdited = 256 << 20

type readArgs struct {
	Path        string   `json:"path"`
	MaxBytes    *float64 `json:"maxBytes,omitempty"`
	Offset      *float64 `json:"offset,omitempty"`
	Limit       *float64 `json:"limit,omitempty"`
	LineNumbers bool     `json:"line_numbers,omitempty"`
}

type readOutput struct {
	Path      string `json:"path"`
	Size      int64  `json:"size"`
	Truncated bool   `json:"truncated"`
	// SHA is the SHA-256 of the whole file, whatever part of it was read.
	SHA string `json:"sha,omitempty"`
	// FirstLine, LastLine and Lines are there when lines were asked for.
	FirstLine int `json:"firstLine,omitempty"`
	LastLine  int `json:"lastLine,omitempty"`
	Lines     int `json:"lines,omitempty"`
	// InvalidUTF8 comes before the content, which may be long.
	InvalidUTF8 bool   `json:"invalidUtf8,omitempty"`
	Content     string `json:"content"`
}

func (s *system) readTool() gongu.Tool {
	return define(s.lang, definition{
		resource: fileSystem, export: "read",
		text: lang.FileRead,
		params: []param{
			fileParam,
			{Name: "maxBytes", Optional: true, Rule: rule{Type: "integer", Minimum: new(1.0), Default: defaultRead}},
			{Name: "offset", Optional: true, Rule: rule{Type: "integer", Minimum: new(1.0), Default: 1}},
			{Name: "limit", Optional: true, Rule: rule{Type: "integer", Minimum: new(1.0)}},
			{Name: "line_numbers", Optional: true, Rule: rule{Type: "boolean", Default: false}},
		},
		keywords: []string{"open", "cat", "load", "text", "열기", "내용"},
		example:  `{"path":"notes.txt"}`,
		limits:   gongu.Limits{ErrorMessage: fileMessage, Output: jsonGrowth*maxText + outputRoom},
	}, s.read)
}

func (s *system) read(ctx context.Context, in readArgs) (readOutput, error) {
	p, err := s.at(ctx, in.Path, lang.FileMissing)
	if err != nil {
		return readOutput{}, readFailed(in.Path, err)
	}
	defer p.close()
	r := &reader{
		most:    clamp(or(in.MaxBytes, defaultRead)),
		first:   count(or(in.Offset, 1)),
		numbers: in.LineNumbers,
		line:    1,
		sum:     sha256.New(),
	}
	r.last = r.first - 1 + count(or(in.Limit, maxLine))
	size, err := r.readFrom(ctx, p)
	if err != nil {
		return readOutput{}, readFailed(in.Path, p.explain(err))
	}
	data := r.kept
	if r.cut {
		data = wholeRunes(data)
	}
	out := readOutput{Path: p.Path, Size: size, Truncated: r.cut || r.more || r.first > 1, InvalidUTF8: !utf8.Valid(data), Content: clean(data)}
	if in.Offset != nil || in.Limit != nil || in.LineNumbers {
		if err := r.describe(&out, p); err != nil {
			return readOutput{}, err
		}
	}
	if r.whole {
		out.SHA = hex.EncodeToString(r.sum.Sum(nil))
		s.files.saw(ctx, p.Real(), out.SHA)
	}
	return out, nil
}

// readFailed puts the words of seed 004 before an error that has only those of
// the system. The end of a call is not a failure of the file.
func readFailed(path string, err error) error {
	if _, worded := errors.AsType[*problem](err); worded || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // its path may be another way to the same file
	}
	return wrong(lang.ReadFailed, fmt.Sprintf("%s: %v", path, err))
}

// maxLine is more lines than a file has.
const maxLine = 1 << 40

// count turns a number of an argument into a number of lines.
func count(n float64) int { return int(min(max(n, 1), maxLine)) }

// reader takes some lines of a file and the hash of all of it, in one pass.
type reader struct {
	// most is how many bytes are kept, first and last are the lines.
	most, first, last int
	numbers           bool

	kept []byte
	// cut means that there was more of these lines, more that there are lines
	// behind them, and whole that the file was read to its end.
	cut, more, whole bool
	line             int
	// shown is the last line that is kept, at least in part.
	shown int
	// inLine means that bytes of the present line were seen.
	inLine bool
	seen   int64
	sum    hash.Hash
}

func (r *reader) readFrom(ctx context.Context, p *place) (size int64, err error) {
	f, info, err := p.Open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	// A file that is too large to edit needs no hash: only what is asked for
	// is read.
	hashed := info.Size() <= maxEdited
	buf := make([]byte, 128<<10)
	for {
		n, err := f.Read(buf)
		r.take(buf[:n])
		switch {
		case errors.Is(err, io.EOF):
			r.whole = hashed && r.seen <= maxEdited
			return max(info.Size(), r.seen), nil
		case err != nil:
			return 0, err
		case ctx.Err() != nil:
			return 0, ctx.Err()
		}
		if hashed = hashed && r.seen <= maxEdited; !hashed && (r.cut || r.more || r.seen > maxEdited) {
			r.more = true
			return max(info.Size(), r.seen), nil
		}
	}
}

// take looks at the next bytes of the file.
func (r *reader) take(data []byte) {
	r.seen += int64(len(data))
	_, _ = r.sum.Write(data) // a hash takes everything
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n') + 1
		ended := n > 0
		if !ended {
			n = len(data)
		}
		switch {
		case r.line > r.last:
			r.more = true
		case r.line >= r.first:
			r.keep(data[:n])
		}
		r.inLine = !ended
		if ended {
			r.line++
		}
		data = data[n:]
	}
}

// keep adds a line, or a part of one.
func (r *reader) keep(text []byte) {
	if r.cut {
		return
	}
	room := r.most - len(r.kept)
	if r.numbers && !r.inLine {
		number := strconv.AppendInt(nil, int64(r.line), 10)
		number = append(bytes.Repeat([]byte(" "), max(0, 6-len(number))), number...)
		number = append(number, '\t')
		if len(number) >= room {
			r.cut = true
			return
		}
		r.kept = append(r.kept, number...)
		room -= len(number)
	}
	if len(text) > room {
		text, r.cut = text[:room], true
	}
	r.kept = append(r.kept, text...)
	r.shown = r.line
}

// describe says which lines were read.
func (r *reader) describe(out *readOutput, p *place) error {
	lines := r.line
	if !r.inLine {
		lines-- // a line end at the end of the file begins no line
	}
	if r.whole {
		out.Lines = lines
	}
	if r.first > max(lines, 1) {
		return wrong(lang.ReadBeyond, p.asked, lines, r.first)
	}
	out.FirstLine, out.LastLine = r.first, max(r.shown, r.first-1)
	return nil
}
