package edit

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// replayer writes the difference between old and new onto the lines of a
// match.
type replayer struct {
	s *search
	m *match
	// file are the lines of the place, blank ones included.
	file []span
	// at has for each line of old its line in file: -1 for a blank one that the
	// file does not have, and elided for a mark.
	at []int
	// changes are between the lines of old and new.
	changes []change
	style   style
	out     []piece
}

// elided marks a line of old that is in place of lines left out.
const elided = -2

// piece is a line to write. One that is the file's own has its line end.
type piece struct {
	text, end []byte
}

// replay gives the place and its new text, or the reason why the difference
// cannot be applied there.
func (s *search) replay(m *match) (splice, lang.Message) {
	r := &replayer{s: s, m: m}
	r.align()
	a, b := r.diffKeys(m.old), r.diffKeys(m.new)
	r.changes = diff(a, b)
	r.style = r.learn()
	if reason := r.walk(); !reason.IsZero() {
		return splice{}, reason
	}
	got := r.join()
	// Several differences may be equally short. All must write the same.
	up, _ := slideUp(r.changes, a, b)
	for _, other := range [][]change{up, diffBack(a, b)} {
		if slices.Equal(other, r.changes) {
			continue
		}
		r.changes, r.out = other, nil
		if reason := r.walk(); !reason.IsZero() {
			return splice{}, reason
		}
		if again := r.join(); !bytes.Equal(again.text, got.text) {
			return splice{}, lang.EditTwoWays.With(r.shown(0))
		}
	}
	return got, lang.Message{}
}

// diffKeys tell lines apart for the difference of old and new, which both are
// the model's: only blanks at their ends do not count.
func (r *replayer) diffKeys(b *block) []uint64 {
	keys := make([]uint64, len(b.lines))
	for i := range b.lines {
		if line := trimEnd(b.line(i)); len(line) > 0 {
			keys[i] = maphash.Bytes(hashSeed, line)
		}
	}
	// An empty rest is not a line when old ends with a line end.
	return keys
}

// align finds the lines of the place and pairs the lines of old with them.
func (r *replayer) align() {
	x, m := r.s.x, r.m
	firstLine, lastLine := x.lines[m.at[0]], x.lines[m.at[len(m.at)-1]]
	r.at = make([]int, len(m.old.lines))
	for i := range r.at {
		r.at[i] = -1
	}
	start, lead := int(firstLine.start), 0
	base := 0
	if bytes.HasPrefix(x.content, bom) {
		base = len(bom)
	}
	for lead < m.old.full[0] && start > base {
		before := lineBefore(x.content, start)
		if before.start < base || !isBlank(x.content[before.start:before.end]) {
			break
		}
		start = before.start
		lead++
	}
	for at := start; at < int(lastLine.end) || len(r.file) == 0; {
		line := lineAt(x.content, at)
		r.file = append(r.file, line)
		at = line.next
	}
	top := int(firstLine.number) - lead
	for i := range lead {
		r.at[m.old.full[0]-lead+i] = i
	}
	for k, at := range m.at {
		if at < 0 {
			r.at[m.old.full[k]] = elided
			continue
		}
		r.at[m.old.full[k]] = int(x.lines[at].number) - top
		switch {
		case k > 0 && m.at[k-1] == at-1:
			r.alignBlanks(m.old.full[k-1], m.old.full[k])
		case k > 0 && m.at[k-1] < 0:
			r.alignAtMark(m.old.full[k-1], m.old.full[k])
		}
	}
	last := m.old.full[len(m.old.full)-1]
	for i := last + 1; i < len(m.old.lines); i++ {
		end := r.file[len(r.file)-1].next
		if end >= len(x.content) {
			break
		}
		line := lineAt(x.content, end)
		if !isBlank(x.content[line.start:line.end]) {
			break
		}
		r.at[i] = len(r.file)
		r.file = append(r.file, line)
	}
}

// alignBlanks pairs the blank lines between two lines of old.
func (r *replayer) alignBlanks(from, to int) {
	f := r.at[from] + 1
	for o := from + 1; o < to && f < r.at[to]; o++ {
		r.at[o] = f
		f++
	}
}

// alignAtMark pairs the blank lines between a mark and the line behind it, and
// between the mark and the line before it.
func (r *replayer) alignAtMark(at, to int) {
	f := r.at[to] - 1
	for o := to - 1; o > at && f > 0 && isBlank(r.fileLine(f)); o-- {
		r.at[o] = f
		f--
	}
	from := at - 1
	for from >= 0 && r.at[from] < 0 {
		from--
	}
	if from < 0 {
		return
	}
	last := f
	f = r.at[from] + 1
	for o := from + 1; o < at && f <= last && isBlank(r.fileLine(f)); o++ {
		r.at[o] = f
		f++
	}
}

func (r *replayer) fileLine(i int) []byte {
	return r.s.content[r.file[i].start:r.file[i].end]
}

func (r *replayer) lineEnd(i int) []byte {
	return r.s.content[r.file[i].end:r.file[i].next]
}

// walk writes the lines of old that stay as the file has them, and in between
// the lines of new that changed.
func (r *replayer) walk() lang.Message {
	o, f := 0, 0
	for _, c := range r.changes {
		for ; o < c.fromA; o++ {
			f = r.keep(o, f)
		}
		next, reason := r.change(c, f)
		if !reason.IsZero() {
			return reason
		}
		f, o = next, c.toA
	}
	for ; o < len(r.at); o++ {
		f = r.keep(o, f)
	}
	r.own(f, len(r.file))
	return lang.Message{}
}

// keep writes a line of old that stays, and what the file has before it.
func (r *replayer) keep(o, f int) int {
	switch at := r.at[o]; at {
	case -1:
		return f
	case elided:
		to := r.following(o)
		r.own(f, to)
		return to
	default:
		r.own(f, at+1)
		return at + 1
	}
}

// following returns the line of the file for the next line of old that has one.
func (r *replayer) following(o int) int {
	for ; o < len(r.at); o++ {
		if r.at[o] >= 0 {
			return r.at[o]
		}
	}
	return len(r.file)
}

func (r *replayer) blank(from, to int) bool {
	for i := from; i < to; i++ {
		if !isBlank(r.fileLine(i)) {
			return false
		}
	}
	return true
}

// own writes lines of the file as they are.
func (r *replayer) own(from, to int) {
	for i := from; i < to; i++ {
		r.out = append(r.out, piece{r.fileLine(i), r.lineEnd(i)})
	}
}

// shown returns the line number of a line of the place, for messages.
func (r *replayer) shown(f int) int {
	return bytes.Count(r.s.content[:r.file[f].start], []byte("\n")) + 1
}

// change removes lines and writes those of new. What the file has beside
// them and old does not mention stays when it is clear where.
func (r *replayer) change(c change, f int) (int, lang.Message) {
	pure := true
	for o := c.fromA; o < c.toA; o++ {
		at := r.at[o]
		if at == elided {
			return 0, lang.EditMarkChanged.With(r.shown(min(f, len(r.file)-1)))
		}
		if at < 0 {
			continue
		}
		if at > f {
			// Only what is before the first line that goes can stay, and a line
			// only when another takes its neighbour's place.
			if !pure || c.fromB == c.toB && !r.blank(f, at) {
				return 0, lang.EditUnseen.With(r.shown(f))
			}
			r.own(f, at)
		}
		pure, f = false, at+1
	}
	next := r.following(c.toA)
	if !pure && next > f && c.fromB == c.toB && !r.atMark(c) && !r.blank(f, next) {
		return 0, lang.EditUnseen.With(r.shown(f))
	}
	if r.blanksDiffer(c) {
		return 0, lang.EditUnseen.With(r.shown(min(f, len(r.file)-1)))
	}
	if pure && next > f && c.toB > c.fromB && !r.atMark(c) && r.visible(c) && !r.blank(f, next) {
		switch r.side(c, f, next) {
		case 0:
			return 0, lang.EditUnseen.With(r.shown(f))
		case 1:
			r.own(f, next)
			f = next
		}
	}
	for n := c.fromB; n < c.toB; n++ {
		p, ok := r.mapped(n, c)
		if !ok {
			return 0, lang.EditIndentation.With(string(visibleLine(r.m.new.line(n))))
		}
		r.out = append(r.out, p)
	}
	return f, lang.Message{}
}

// blanksDiffer reports whether a change begins or ends among blank lines of
// which the file has more or fewer than old: then it is not clear which of them
// it is beside.
func (r *replayer) blanksDiffer(c change) bool {
	return r.amongBlanks(c, c.fromA) || c.toA != c.fromA && r.amongBlanks(c, c.toA)
}

func (r *replayer) amongBlanks(c change, o int) bool {
	first, last := o, o
	for first > 0 && isBlank(r.m.old.line(first-1)) {
		first--
	}
	for last < len(r.at) && isBlank(r.m.old.line(last)) {
		last++
	}
	if first == 0 || last == len(r.at) || r.at[first-1] < 0 || r.at[last] < 0 {
		return false // at an edge, or beside a mark
	}
	if r.at[last]-r.at[first-1]-1 == last-first {
		return false
	}
	if !r.blank(r.at[first-1]+1, r.at[last]) {
		// Beside a line that old does not mention no blank has a place.
		return last > first && (c.fromA < last && c.toA > first || c.fromA == c.toA)
	}
	// Lines that take the place of a neighbour are beside all the blanks.
	if c.fromA == last && c.toA > c.fromA || c.toA == first && c.toA > c.fromA {
		return c.fromB < c.toB && (isBlank(r.m.new.line(c.fromB)) || isBlank(r.m.new.line(c.toB-1)))
	}
	// So are lines before or behind them, when old has any.
	if c.fromA == c.toA && last > first && (o == first || o == last) {
		return isBlank(r.m.new.line(c.fromB)) || isBlank(r.m.new.line(c.toB-1))
	}
	return true
}

// visible reports whether a change writes anything but blank lines.
func (r *replayer) visible(c change) bool {
	for n := c.fromB; n < c.toB; n++ {
		if !isBlank(r.m.new.line(n)) {
			return true
		}
	}
	return false
}

// atMark reports whether the next line of old after a change is a mark, which
// says where the lines left out are.
func (r *replayer) atMark(c change) bool {
	for o := c.toA; o < len(r.at); o++ {
		if r.at[o] != -1 {
			return r.at[o] == elided
		}
	}
	return false
}

// join makes the text of the place. The line end behind the last line is the
// file's, as is its absence at the end of the file.
func (r *replayer) join() splice {
	last := r.file[len(r.file)-1]
	end := endOf(r.s.content, r.file[0].start)
	final := r.s.content[last.end:last.next]
	if len(r.out) == 0 {
		if !r.m.old.ended {
			// Nothing in place of a line whose end is not named: it stays empty.
			return splice{r.file[0].start, last.end, nil}
		}
		return splice{r.file[0].start, last.next, nil}
	}
	var text []byte
	for i, p := range r.out {
		text = append(text, p.text...)
		switch {
		case i == len(r.out)-1 && len(final) == 0:
		case i == len(r.out)-1 && len(p.end) == 0:
			text = append(text, final...)
		case len(p.end) == 0:
			text = append(text, end...)
		default:
			text = append(text, p.end...)
		}
	}
	return splice{r.file[0].start, last.next, text}
}
