package edit

import (
	"bytes"
)

// span is a line of a text: start and end are its bytes without the line end,
// next is where the following line starts.
type span struct {
	start, end, next int
}

// fileLine is a line of the file that has something on it. Small fields keep a
// large file's table small.
type fileLine struct {
	start, end uint32
	// number counts from 0, blank lines included.
	number uint32
}

// bom is the mark that some editors put before UTF-8 text.
var bom = []byte("\xef\xbb\xbf")

// largest is the size from which on only exact text is looked for: offsets
// have 32 bits.
const largest = 1 << 31

// lineAt returns the line that starts at an offset.
func lineAt(content []byte, start int) span {
	i := bytes.IndexByte(content[start:], '\n')
	if i < 0 {
		return span{start, len(content), len(content)}
	}
	end := start + i
	next := end + 1
	if end > start && content[end-1] == '\r' {
		end--
	}
	return span{start, end, next}
}

// lineBefore returns the line that ends where another one starts; start is above 0.
func lineBefore(content []byte, start int) span {
	return lineAt(content, bytes.LastIndexByte(content[:start-1], '\n')+1)
}

// spans splits a text into lines. A final line end starts no further line.
func spans(text []byte) []span {
	lines := make([]span, 0, bytes.Count(text, []byte("\n"))+1)
	for at := 0; at < len(text); {
		s := lineAt(text, at)
		lines = append(lines, s)
		at = s.next
	}
	return lines
}

// isBlank reports whether a line shows nothing.
func isBlank(line []byte) bool {
	return len(indentOf(line)) == len(line)
}

// index is the file, split once.
type index struct {
	content []byte
	lines   []fileLine
	// total counts blank lines, too.
	total int
	// tokens has the loosest key of each line, by position in lines.
	tokens []uint64
}

func newIndex(b *budget, content []byte) *index {
	x := &index{content: content}
	estimate := bytes.Count(content, []byte("\n")) + 1
	x.lines = make([]fileLine, 0, estimate)
	x.tokens = make([]uint64, 0, estimate)
	at := 0
	if bytes.HasPrefix(content, bom) {
		at = len(bom)
	}
	var buf []byte
	for at < len(content) {
		if x.total&0xffff == 0 && b.stopped() {
			return x
		}
		s := lineAt(content, at)
		var key uint64
		var ok bool
		if key, buf, ok = tokenKey(buf, content[s.start:s.end]); ok {
			x.lines = append(x.lines, fileLine{uint32(s.start), uint32(s.end), uint32(x.total)})
			x.tokens = append(x.tokens, key)
		}
		x.total++
		at = s.next
	}
	return x
}

func (x *index) line(i int) []byte {
	return x.content[x.lines[i].start:x.lines[i].end]
}

// block is old or new: a text of the caller, split into lines.
type block struct {
	text  []byte
	lines []span
	// full are the positions in lines of those that are not blank, and keys
	// their loosest keys.
	full []int
	keys []uint64
	// ended reports whether the text ends with a line end.
	ended bool
}

func newBlock(text []byte) *block {
	text = bytes.TrimPrefix(text, bom)
	b := &block{text: text, lines: spans(text), ended: bytes.HasSuffix(text, []byte("\n"))}
	for i := range b.lines {
		if key, _, ok := tokenKey(nil, b.line(i)); ok {
			b.full = append(b.full, i)
			b.keys = append(b.keys, key)
		}
	}
	return b
}

func (b *block) line(i int) []byte { return b.text[b.lines[i].start:b.lines[i].end] }

// fullLine returns the k-th line that is not blank.
func (b *block) fullLine(k int) []byte { return b.line(b.full[k]) }
