package edit

import (
	"bytes"
)

// side says where new lines go when the file has a line there that old does
// not mention: -1 before it, 1 behind it, and 0 when that is not clear.
func (r *replayer) side(c change, f, next int) int {
	unseen := -1
	for i := f; i < next; i++ {
		if !isBlank(r.fileLine(i)) {
			if unseen >= 0 {
				return 0
			}
			unseen = i
		}
	}
	first, last := r.m.new.line(c.fromB), r.m.new.line(c.toB-1)
	before, after := r.neighbour(c.fromA-1, -1), r.neighbour(c.toA, 1)
	if before == nil || after == nil || unseen < 0 || next != unseen+1 || unseen != f {
		return 0
	}
	gap := r.fileLine(unseen)
	if isBlank(last) {
		// A paragraph goes before the one that the unseen line begins.
		if c.fromA > 0 && isBlank(r.m.old.line(c.fromA-1)) && !opens(gap) {
			return -1
		}
		return 0
	}
	indent, ok := r.indentFor(c.fromB, c)
	if !ok || isBlank(first) {
		return 0
	}
	if opens(gap) && !opens(before) && len(indent) > len(indentOf(before)) && len(indent) > len(indentOf(gap)) {
		return 1 // deeper lines need the one that opens
	}
	return sorted(before, gap, after, first, c.toB-c.fromB)
}

// neighbour returns the file's line for the nearest line of old that has one and is
// not blank.
func (r *replayer) neighbour(o, step int) []byte {
	for ; o >= 0 && o < len(r.at); o += step {
		if r.at[o] >= 0 && !isBlank(r.m.old.line(o)) {
			return r.fileLine(r.at[o])
		}
		if r.at[o] == elided {
			return nil
		}
	}
	return nil
}

// opens reports whether a line begins a block.
func opens(line []byte) bool {
	line = trim(line)
	return len(line) > 0 && bytes.IndexByte([]byte("{([:>"), line[len(line)-1]) >= 0
}

// sorted finds the side for one line of a sorted list: imports and the like,
// which start with the same word.
func sorted(before, gap, after, line []byte, n int) int {
	before, gap, after, line = trim(before), trim(gap), trim(after), trim(line)
	word := firstWord(gap)
	if n != 1 || len(word) == 0 || !bytes.Equal(firstWord(before), word) || !bytes.Equal(firstWord(after), word) || !bytes.Equal(firstWord(line), word) {
		return 0
	}
	if bytes.Compare(before, gap) >= 0 || bytes.Compare(gap, after) >= 0 || bytes.Compare(before, line) >= 0 || bytes.Compare(line, after) >= 0 {
		return 0
	}
	return bytes.Compare(line, gap)
}

func firstWord(line []byte) []byte {
	n := 0
	for n < len(line) && isWord(line[n]) {
		n++
	}
	return line[:n]
}
