package edit

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// success applies the splices, which are in order and do not overlap.
func success(content []byte, tier Tolerance, spots []splice) Outcome {
	size := len(content)
	for _, sp := range spots {
		size += len(sp.text) - (sp.end - sp.start)
	}
	out := Outcome{OK: true, Tier: tier, Content: make([]byte, 0, size), Changes: make([]Change, len(spots))}
	at, line := 0, 1
	for i, sp := range spots {
		out.Content = append(out.Content, content[at:sp.start]...)
		line += bytes.Count(content[at:sp.start], []byte("\n"))
		c := Change{Start: sp.start, End: sp.end, NewStart: len(out.Content), Line: line}
		out.Content = append(out.Content, sp.text...)
		c.NewEnd = len(out.Content)
		line += bytes.Count(content[sp.start:sp.end], []byte("\n"))
		c.LastLine = line
		if sp.end > sp.start && content[sp.end-1] == '\n' {
			c.LastLine = max(c.Line, line-1)
		}
		out.Changes[i] = c
		at = sp.end
	}
	out.Content = append(out.Content, content[at:]...)
	out.Line, out.LastLine = out.Changes[0].Line, out.Changes[len(spots)-1].LastLine
	out.Diff = unified(content, spots)
	return out
}

// Diff returns the change from one text to another as a unified diff, as the
// outcome of an edit has it. It returns false if what differs is longer than most
// bytes in either text.
func Diff(before, after []byte, most int) (diff string, ok bool) {
	sp := narrowed(before, splice{0, len(before), after})
	if sp.end-sp.start > most || len(sp.text) > most {
		return "", false
	}
	if sp.start == sp.end && len(sp.text) == 0 {
		return "", true
	}
	return unified(before, []splice{sp}), true
}

// differing returns the range in which two texts differ.
func differing(a, b []byte) (start, end, newEnd int) {
	sp := narrowed(a, splice{0, len(a), b})
	return sp.start, sp.end, sp.start + len(sp.text)
}

// longestDiff bounds a diff; an edit of a whole large file is not read anyway.
const longestDiff = 256 << 10

// contextLines are shown around each change.
const contextLines = 3

// unified returns the diff of some splices.
func unified(content []byte, spots []splice) string {
	var b strings.Builder
	line, at, moved := 1, 0, 0
	for i := 0; i < len(spots); {
		first := spots[i]
		start := bytes.LastIndexByte(content[:first.start], '\n') + 1
		line += bytes.Count(content[at:start], []byte("\n"))
		at = start
		// Places whose context touches are one hunk.
		var after []byte
		from, end := start, start
		for ; i < len(spots); i++ {
			if spots[i].start > end && from != start && !nearby(content[end:spots[i].start]) {
				break
			}
			after = append(after, content[from:spots[i].start]...)
			after = append(after, spots[i].text...)
			from = spots[i].end
			end = lineEndAfter(content, from)
		}
		after = append(after, content[from:end]...)
		moved += hunks(&b, content, start, end, after, line, moved)
		if b.Len() > longestDiff {
			return b.String()[:longestDiff] + "\n…\n"
		}
	}
	return b.String()
}

// nearby is a stretch that is shorter than the context of two hunks.
func nearby(between []byte) bool {
	return bytes.Count(between, []byte("\n")) <= 2*contextLines
}

// lineEndAfter returns the end of the line that a place is on; the beginning of a
// line is the end of the one before.
func lineEndAfter(content []byte, at int) int {
	if at > 0 && content[at-1] == '\n' {
		return at
	}
	return lineAt(content, at).next
}

// hunks writes the hunks for content[start:end], which starts with a given line
// and becomes after. It returns by how many lines the text grew.
func hunks(b *strings.Builder, content []byte, start, end int, after []byte, line, moved int) int {
	top := start
	for range contextLines {
		if top == 0 {
			break
		}
		top = lineBefore(content, top).start
		line--
	}
	bottom := end
	for range contextLines {
		if bottom >= len(content) || bottom > 0 && content[bottom-1] != '\n' {
			break
		}
		bottom = lineAt(content, bottom).next
	}
	before := wholeLines(content[top:bottom])
	after = slices.Concat(content[top:start], after, content[end:bottom])
	now := wholeLines(after)
	changes := diff(lineKeys(before), lineKeys(now))
	for i := 0; i < len(changes); {
		j := i + 1
		for j < len(changes) && changes[j].fromA-changes[j-1].toA <= 2*contextLines {
			j++
		}
		writeHunk(b, before, now, changes[i:j], line, moved)
		i = j
	}
	return len(now) - len(before)
}

func lineKeys(lines [][]byte) []uint64 {
	keys := make([]uint64, len(lines))
	for i, line := range lines {
		keys[i] = maphash.Bytes(hashSeed, line)
	}
	return keys
}

// wholeLines splits a text into lines with their ends.
func wholeLines(text []byte) [][]byte {
	lines := make([][]byte, 0, bytes.Count(text, []byte("\n"))+1)
	for len(text) > 0 {
		i := bytes.IndexByte(text, '\n') + 1
		if i == 0 {
			i = len(text)
		}
		lines = append(lines, text[:i])
		text = text[i:]
	}
	return lines
}

func writeHunk(b *strings.Builder, before, now [][]byte, changes []change, line, moved int) {
	first, last := changes[0], changes[len(changes)-1]
	fromA, toA := max(0, first.fromA-contextLines), min(len(before), last.toA+contextLines)
	fromB, toB := first.fromB-(first.fromA-fromA), last.toB+(toA-last.toA)
	b.WriteString("@@ -" + hunkRange(line+fromA, toA-fromA) + " +" + hunkRange(line+moved+fromB, toB-fromB) + " @@\n")
	at := fromA
	for _, c := range changes {
		writeLines(b, ' ', before[at:c.fromA])
		writeLines(b, '-', before[c.fromA:c.toA])
		writeLines(b, '+', now[c.fromB:c.toB])
		at = c.toA
	}
	writeLines(b, ' ', before[at:toA])
}

func hunkRange(line, n int) string {
	if n == 0 {
		line-- // the line before, as diff and git count
	}
	if n == 1 {
		return strconv.Itoa(line)
	}
	return strconv.Itoa(line) + "," + strconv.Itoa(n)
}

func writeLines(b *strings.Builder, sign byte, lines [][]byte) {
	for _, line := range lines {
		if b.Len() > longestDiff {
			return
		}
		b.WriteByte(sign)
		b.Write(line)
		if line[len(line)-1] != '\n' {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
