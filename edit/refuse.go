package edit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Bounds of what a refusal shows.
const (
	mostCandidates  = 3
	excerptLines    = 5
	excerptColumns  = 160
	longestToPaste  = 8 << 10
	leastSimilarity = 0.25
	leastPairs      = 0.18
)

// ambiguous lists places that are equally good.
func (s *search) ambiguous(spots []splice) Outcome {
	if len(spots) <= 1 {
		out := refusal(Ambiguous, lang.EditRival.With())
		out.Matches = 2
		out.Candidates = s.nearMisses()
		return out
	}
	out := refusal(Ambiguous, lang.EditAmbiguous.With(len(spots), s.lineNumbers(spots)))
	out.Matches = len(spots)
	for _, sp := range spots[:min(len(spots), mostCandidates)] {
		out.Candidates = append(out.Candidates, s.candidate(sp, 1, true))
	}
	return out
}

// lineNumbers returns the first lines of some places.
func (s *search) lineNumbers(spots []splice) string {
	var b strings.Builder
	line, at := 1, 0
	for i, sp := range spots {
		if i == 10 {
			b.WriteString(", …")
			break
		}
		line += bytes.Count(s.content[at:sp.start], []byte("\n"))
		at = sp.start
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, line)
	}
	return b.String()
}

func (s *search) applied(spots []splice) Outcome {
	out := refusal(AlreadyApplied, lang.EditAlreadyApplied.With(s.lineNumbers(spots)))
	for _, sp := range spots[:min(len(spots), mostCandidates)] {
		out.Candidates = append(out.Candidates, s.candidate(sp, 1, false))
	}
	return out
}

func (s *search) conflict(reason lang.Message, at splice) Outcome {
	out := refusal(Conflict, reason)
	out.Candidates = []Candidate{s.candidate(at, 1, false)}
	return out
}

// notFound says so, unless the file already has what new adds.
func (s *search) notFound() Outcome {
	if s.x != nil {
		for _, r := range s.readings {
			if !addsLines(r.old, r.new) || blockWeight(r.new) < 8 {
				continue
			}
			if found := occurrences(&s.budget, r.new.keys, s.x.tokens); len(found) > 0 {
				var spots []splice
				for _, at := range found[:min(len(found), mostCandidates)] {
					first, last := s.x.lines[at], s.x.lines[at+len(r.new.keys)-1]
					spots = append(spots, splice{start: int(first.start), end: int(last.end)})
				}
				return s.applied(spots)
			}
		}
	}
	out := refusal(NotFound, lang.EditNotFound.With(firstRunes(s.edit.Old, 50)))
	out.Candidates = s.nearMisses()
	return out
}

func blockWeight(b *block) int {
	n := 0
	for k := range b.full {
		n += weight(b.fullLine(k))
	}
	return n
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// candidate describes a place. A text that occurs more than once is made
// longer until it is the only one.
func (s *search) candidate(sp splice, similarity float64, unique bool) Candidate {
	start := bytes.LastIndexByte(s.content[:sp.start], '\n') + 1
	if start == 0 && bytes.HasPrefix(s.content, bom) {
		start = len(bom)
	}
	end := lineAt(s.content, max(start, sp.end)).end
	if sp.end > sp.start && s.content[sp.end-1] == '\n' {
		end = max(start, sp.end-1)
		if end > start && s.content[end-1] == '\r' {
			end--
		}
	}
	line := 1 + bytes.Count(s.content[:start], []byte("\n"))
	c := Candidate{Line: line, LastLine: line + bytes.Count(s.content[start:end], []byte("\n")), Similarity: similarity}
	c.Excerpt = excerpt(s.content, start, end)
	if end-start <= longestToPaste {
		if unique {
			start, end = s.longer(start, end)
		}
		if end > start {
			c.OldString = string(s.content[start:end])
		}
	}
	return c
}

// mostLonger is how many lines are added on each side.
const mostLonger = 5

func (s *search) longer(start, end int) (int, int) {
	from, to := start, end
	for range mostLonger {
		if !s.twice(from, to) {
			return from, to
		}
		if from > 0 {
			from = lineBefore(s.content, from).start
		}
		if to < len(s.content) {
			if next := lineAt(s.content, to).next; next < len(s.content) {
				to = lineAt(s.content, next).end
			}
		}
	}
	if s.twice(from, to) {
		return start, start // nothing that would be the only one
	}
	return from, to
}

func (s *search) twice(from, to int) bool {
	text := s.content[from:to]
	i := bytes.Index(s.content, text)
	return len(text) == 0 || bytes.Contains(s.content[i+1:], text)
}

// excerpt shows the first lines of a place.
func excerpt(content []byte, start, end int) string {
	var b strings.Builder
	for n := 0; start <= end && start < len(content); n++ {
		if n == excerptLines {
			b.WriteString("…\n")
			break
		}
		line := lineAt(content, start)
		b.Write(visibleLine(content[line.start:line.end]))
		switch {
		case line.next-line.end == 2:
			b.WriteString("␍⏎")
		case line.next > line.end:
			b.WriteString("⏎")
		}
		b.WriteByte('\n')
		if line.next == start {
			break
		}
		start = line.next
	}
	return b.String()
}

// visibleLine shows the blanks of a line that cannot be seen: tabs, those at
// its end, and those of typography.
func visibleLine(line []byte) []byte {
	last := len(trimEnd(line))
	var out []byte
	columns := 0
	for i := 0; i < len(line); columns++ {
		if columns == excerptColumns {
			return append(out, "…"...)
		}
		r, n := utf8.DecodeRune(line[i:])
		switch {
		case r == '\t':
			out = append(out, "→"...)
		case r == ' ' && i >= last:
			out = append(out, "·"...)
		case r == '\r':
			out = append(out, "␍"...)
		case r == '\u00a0':
			out = append(out, "⍽"...)
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, "\\x%02x", line[i])
		case r < ' ' || r == 0x7f:
			out = fmt.Appendf(out, "\\x%02x", r)
		default:
			out = append(out, line[i:i+n]...)
		}
		i += n
	}
	return out
}

// nearMatch is a beginning in the index and how much of old is there.
type nearMatch struct {
	at         int
	similarity float64
}

// nearMisses returns the places most like old. Half of the similarity is lines at
// the right distance from each other, half is words.
func (s *search) nearMisses() []Candidate {
	if s.x == nil || len(s.x.lines) == 0 {
		return nil
	}
	var best []nearMatch
	var from reading
	for _, r := range s.readings {
		found := s.rank(r.old, (&wordSet{}).count, leastSimilarity)
		if len(found) > 0 && (len(best) == 0 || found[0].similarity > best[0].similarity) {
			best, from = found, r
		}
	}
	if len(best) == 0 {
		// No word is the same: perhaps all are misspelt.
		from = s.readings[0]
		best = s.rank(from.old, (&pairSet{}).count, leastPairs)
	}
	var out []Candidate
	for _, p := range best {
		m := len(from.old.keys)
		first, last := s.x.lines[p.at], s.x.lines[min(p.at+m, len(s.x.lines))-1]
		c := s.candidate(splice{start: int(first.start), end: int(last.end)}, p.similarity, true)
		c.Difference = s.difference(from.old, p.at)
		out = append(out, c)
	}
	return out
}

// difference returns the first line that is not the same.
func (s *search) difference(old *block, at int) string {
	for k := range old.full {
		if at+k >= len(s.x.lines) {
			return fmt.Sprintf("- %s\n+\n", visibleLine(old.fullLine(k)))
		}
		if line := s.x.line(at + k); !bytes.Equal(old.fullLine(k), line) {
			return fmt.Sprintf("- %s\n+ %s\n", visibleLine(old.fullLine(k)), visibleLine(line))
		}
	}
	return ""
}

// rank finds the windows that share most with old, by what is counted: it may
// add what a line has, and tells how much of it is known, and how much there is.
func (s *search) rank(old *block, count func(line []byte, add bool) (both, all int), least float64) []nearMatch {
	total := 0
	for k := range old.full {
		_, n := count(old.fullLine(k), true)
		total += n
	}
	m, n := len(old.keys), len(s.x.lines)
	if total == 0 || m == 0 {
		return nil
	}
	own := max(1, blockWeight(old))
	votes := s.supports(old)
	// Sums up to each line: what is shared, and all there is.
	shared, present := make([]uint32, n+1), make([]uint32, n+1)
	for i := range n {
		if i&0xffff == 0 && s.stopped() {
			return nil
		}
		both, all := count(s.x.line(i), false)
		shared[i+1], present[i+1] = shared[i]+uint32(both), present[i]+uint32(all)
	}
	var best []nearMatch
	for i := range n {
		end := min(i+m, n)
		both, all := int(shared[end]-shared[i]), int(present[end]-present[i])
		p := nearMatch{i, 0.5*2*float64(both)/float64(total+all) + 0.5*min(1, float64(votes[i].weight)/float64(own))}
		if p.similarity >= least && (len(best) < mostCandidates || p.similarity > best[len(best)-1].similarity) {
			best = insert(best, p, m)
		}
	}
	return best
}

// insert keeps the best places that do not overlap, the best first.
func insert(best []nearMatch, p nearMatch, m int) []nearMatch {
	for i, b := range best {
		if max(b.at-p.at, p.at-b.at) < m {
			if b.similarity >= p.similarity {
				return best
			}
			best = slices.Delete(best, i, i+1)
			break
		}
	}
	best = append(best, p)
	slices.SortStableFunc(best, func(a, b nearMatch) int { return cmp.Compare(b.similarity, a.similarity) })
	return best[:min(len(best), mostCandidates)]
}

// wordSet is the words of a text, by their hashes. It may know a word too many:
// it only ranks.
type wordSet [1 << 8]uint64

// count weighs the words of a line that the set has, and all of them. It may
// add them.
func (w *wordSet) count(line []byte, add bool) (both, all int) {
	h, n := uint64(hashStart), 0
	for i := 0; i <= len(line); i++ {
		if i < len(line) && isWord(line[i]) {
			h = (h ^ uint64(line[i])) * hashPrime
			n++
			continue
		}
		if n == 0 {
			continue
		}
		slot, bit := &w[h>>40&255], uint64(1)<<(h>>50&63)
		if add {
			*slot |= bit
		}
		all += n
		if *slot&bit != 0 {
			both += n
		}
		h, n = hashStart, 0
	}
	return both, all
}

// pairSet is the pairs of neighbouring letters of a text.
type pairSet [1 << 10]uint64

// count counts the pairs of a line that the set has, and all of them. It may
// add them.
func (p *pairSet) count(line []byte, add bool) (both, all int) {
	last := byte(0)
	for _, c := range line {
		if c == ' ' || c == '\t' {
			continue
		}
		if last != 0 {
			pair := uint(last|0x20)<<8 | uint(c|0x20)
			slot, bit := &p[pair>>6], uint64(1)<<(pair&63)
			if add {
				*slot |= bit
			}
			all++
			if *slot&bit != 0 {
				both++
			}
		}
		last = c
	}
	return both, all
}

// Message says in a language what became of the edit: for a model that must
// get it right the next time.
func (o *Outcome) Message(l lang.Lang) string {
	if o.Err != nil {
		return o.Err.Error()
	}
	if o.OK {
		if o.Line == o.LastLine {
			return lang.EditDoneLine.In(l, o.Line, o.Tier)
		}
		return lang.EditDone.In(l, o.Line, o.LastLine, o.Tier)
	}
	var b strings.Builder
	b.WriteString(o.reason.In(l))
	for i, c := range o.Candidates {
		b.WriteByte('\n')
		b.WriteString(lang.EditCandidate.In(l, i+1, c.Line, c.LastLine))
		b.WriteByte('\n')
		b.WriteString(c.Excerpt)
		if c.Difference != "" {
			b.WriteString(lang.EditDifference.In(l))
			b.WriteByte('\n')
			b.WriteString(c.Difference)
		}
		if c.OldString != "" && o.Code != AlreadyApplied {
			b.WriteString(lang.EditPaste.In(l))
			b.WriteByte('\n')
			b.WriteString(c.OldString)
			b.WriteByte('\n')
		}
	}
	if o.Code == NotFound && len(o.Candidates) == 0 {
		b.WriteByte('\n')
		b.WriteString(lang.EditReadAgain.In(l))
	}
	return b.String()
}
