package near

import (
	"bytes"
	"slices"
)

// Similarities are whole thousandths, so that every machine ranks alike.
const same = 1000

// Similarities of two different words, in thousandths. Each says how sure one
// is that the words mean the same.
const (
	shortened  = 900 // rect for rectangle
	abbreviate = 700 // msg for message
	otherVerb  = 750 // fetch for get
	misspelt   = 650 // less alike than this is another word
)

// similarity compares two names as a whole and without their namespaces. A
// namespace that is left out costs a little, so that the same name within the
// namespace that was asked for comes first.
func similarity(query, candidate *folded) int {
	const kept, oneCut, twoCut = 100, 95, 90
	s := compare(query, 0, candidate, 0) * kept
	if candidate.local > 0 {
		s = max(s, compare(query, 0, candidate, candidate.local)*oneCut)
	}
	if query.local > 0 {
		s = max(s, compare(query, query.local, candidate, 0)*oneCut)
	}
	if query.local > 0 && candidate.local > 0 {
		s = max(s, compare(query, query.local, candidate, candidate.local)*twoCut)
	}
	return s / 100
}

// compare weighs three views of two names, each from its word i or j on: the
// edits between their keys (slips, separators), the words they share in any
// order (word order, other verbs, short forms) and the pairs of keys they share
// (both, and words run together). One of the first two explains most wrong
// names, so the better one counts twice; the pairs keep it honest.
func compare(a *folded, i int, b *folded, j int) int {
	x, y := a.text(i), b.text(j)
	edits, words := editRatio(x, y), wordShare(a, i, b, j)
	return (2*max(edits, words) + 2*pairShare(x, y) + min(edits, words)) / 5
}

// editRatio returns the part of the longer text that needs no edit.
func editRatio(a, b []byte) int {
	n := max(len(a), len(b))
	return same - same*distance(a, b)/n
}

// distance counts the insertions, deletions, substitutions and swaps of
// neighbours between two texts of at most maxKeys bytes.
func distance[T string | []byte](a, b T) int {
	var rows [3][maxKeys + 1]uint8
	before, above, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		above[j] = uint8(j)
	}
	for i := range len(a) {
		row[0] = uint8(i + 1)
		for j := range len(b) {
			d := above[j]
			if a[i] != b[j] {
				d = min(d, above[j+1], row[j]) + 1
				if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
					d = min(d, before[j-1]+1)
				}
			}
			row[j+1] = d
		}
		before, above, row = above, row, before
	}
	return int(above[len(b)])
}

// pairShare returns the Dice coefficient of the adjacent pairs of two texts.
func pairShare(a, b []byte) int {
	var bufA, bufB [maxKeys + 1]uint16
	x, y := sortedPairs(bufA[:0], a), sortedPairs(bufB[:0], b)
	shared := 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			shared++
			i++
			j++
		case x[i] < y[j]:
			i++
		default:
			j++
		}
	}
	return same * 2 * shared / (len(x) + len(y))
}

// sortedPairs appends the pairs of a text, with key 0 at both ends.
func sortedPairs(buf []uint16, text []byte) []uint16 {
	var pair uint16
	for _, k := range text {
		pair = pair<<8 | uint16(k)
		buf = append(buf, pair)
	}
	buf = append(buf, pair<<8)
	slices.Sort(buf)
	return buf
}

// wordShare returns the part of both names that lies in words they share, each word
// counted by its length: long words say more than "get" or "to".
func wordShare(a *folded, i int, b *folded, j int) int {
	total := len(a.text(i)) + len(b.text(j))
	var paired [2][maxWords]bool
	sum := 0
	// Equal words first, or a word that is only similar could take the place
	// of an equal one.
	for _, least := range [...]int{same, misspelt} {
		for k := i; k < a.words; k++ {
			if paired[0][k] {
				continue
			}
			if l, s := mostSimilar(a.word(k), b, j, paired[1][:], least); s > 0 {
				paired[0][k], paired[1][l] = true, true
				sum += s * (len(a.word(k)) + len(b.word(l)))
			}
		}
	}
	return sum / total
}

// mostSimilar returns the word of b, from word j on, that is most similar to w
// among those not taken yet, with their similarity. It is 0 if no word reaches
// least.
func mostSimilar(w []byte, b *folded, j int, taken []bool, least int) (at, similar int) {
	for l := j; l < b.words; l++ {
		if taken[l] {
			continue
		}
		if s := wordSimilarity(w, b.word(l), least); s >= least && s > similar {
			at, similar = l, s
		}
	}
	return at, similar
}

// wordSimilarity compares two words; it may answer 0 when they are less alike
// than least.
func wordSimilarity(a, b []byte, least int) int {
	if bytes.Equal(a, b) {
		return same
	}
	if least == same {
		return 0
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case len(a) >= 2 && bytes.HasPrefix(b, a):
		return shortened
	case verb(a)&verb(b) != 0:
		return otherVerb
	case len(a) >= 2 && abbreviates(a, b):
		return abbreviate
	case same*len(a) < misspelt*len(b):
		return 0
	}
	return editRatio(a, b)
}

// abbreviates says whether a is b without vowels and perhaps more, as msg and
// mgmt are. Vowels after the first key would admit too much: car is not short
// for calculator.
func abbreviates(a, b []byte) bool {
	if a[0] != b[0] || bytes.ContainsAny(a[1:], "aeiou") {
		return false
	}
	for _, k := range b {
		if len(a) > 0 && a[0] == k {
			a = a[1:]
		}
	}
	return len(a) == 0
}

// verb returns the groups of verbs that a word belongs to; two verbs of one
// group are what one API says for what another API calls the other.
func verb(word []byte) uint16 {
	const (
		get uint16 = 1 << iota
		find
		create
		update
		remove
		compute
		send
		start
		stop
		run
		convert
		write
	)
	switch string(word) {
	case "get", "fetch", "read", "retrieve", "show", "view", "load", "describe":
		return get
	case "list", "query", "lookup":
		return get | find
	case "search", "find":
		return find
	case "create", "make", "generate", "produce", "build", "new":
		return create
	case "add", "insert":
		return create | write
	case "update", "edit", "modify", "change", "set":
		return update
	case "delete", "remove", "erase", "clear", "rm":
		return remove
	case "calculate", "compute", "determine", "calc":
		return compute
	case "send", "transmit", "post", "publish":
		return send
	case "start", "begin", "launch", "open":
		return start
	case "stop", "end", "close", "cancel":
		return stop
	case "run", "exec", "execute", "invoke", "call":
		return run
	case "convert", "transform", "translate":
		return convert
	case "write", "save", "store", "put":
		return write
	}
	return 0
}
