package edit

import (
	"bytes"
	"context"
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// splice replaces content[start:end] by text.
type splice struct {
	start, end int
	text       []byte
}

// match is a place that old matches, line by line.
type match struct {
	tier Tolerance
	old  *block
	new  *block
	// at has for each line of old that is not blank the position of its line in
	// the index; elided is the same as the line before it.
	at []int
	// slips are words of old and what the file has instead.
	slips map[string]string
}

// search is one edit under way.
type search struct {
	budget
	ctx     context.Context
	content []byte
	edit    Edit
	// readings are what old and new may have been meant to be, the most
	// literal first.
	readings []reading
	x        *index
	seen     map[*block]map[uint64]*occurrence
	cmp      comparer
}

func apply(ctx context.Context, content []byte, e Edit) Outcome {
	if err := ctx.Err(); err != nil {
		return Outcome{Err: err}
	}
	if e.Old == e.New {
		return refusal(NoChange, lang.EditNoChange.With())
	}
	left := placeholders(e.Old, e.New)
	if e.Old == "" {
		if len(content) > 0 {
			return refusal(Conflict, lang.EditEmptyOld.With())
		}
		if len(left) > 0 {
			return refusal(Conflict, lang.EditPlaceholder.With(left[0]))
		}
		return success(content, Exact, []splice{{0, 0, []byte(e.New)}})
	}
	s := &search{budget: budget{done: ctx.Done(), steps: most}, ctx: ctx, content: content, edit: e}
	out := s.run()
	if len(left) > 0 && !(out.OK && hadPlaceholders(content, &out, left)) && out.Err == nil {
		out = refusal(Conflict, lang.EditPlaceholder.With(left[0]))
	}
	if err := ctx.Err(); err != nil && !out.OK {
		return Outcome{Err: err}
	}
	return out
}

// run tries the tolerances from strict to loose.
func (s *search) run() Outcome {
	if out, done := s.exact(); done {
		return out
	}
	if out, done := s.lineEnding(); done {
		return out
	}
	s.readings = readings(s.edit.Old, s.edit.New)
	if len(s.content) >= largest || isBlank([]byte(s.edit.Old)) {
		return s.notFound()
	}
	s.x = newIndex(&s.budget, s.content)
	for _, try := range []func() (Outcome, bool){s.wholeLines, s.insideLines, s.elisions, s.comments, s.slips, s.missingLine} {
		if s.stopped() {
			return Outcome{}
		}
		if out, done := try(); done {
			return out
		}
	}
	return s.notFound()
}

// exact matches the unchanged text. Occurrences are counted with their overlaps.
func (s *search) exact() (Outcome, bool) {
	old, new := []byte(s.edit.Old), []byte(s.edit.New)
	found, more := all(s.content, old)
	if s.edit.lines {
		found = slices.DeleteFunc(found, func(at int) bool { return !s.isLines(at, at+len(old)) })
	}
	if len(found) == 0 {
		return Outcome{}, false
	}
	if more && s.edit.ReplaceAll {
		return success(s.content, Exact, []splice{everywhere(s.content, old, new)}), true
	}
	spots := make([]splice, len(found))
	for i, at := range found {
		spots[i] = splice{at, at + len(old), new}
		if at == 0 && len(old) > len(bom) && bytes.HasPrefix(old, bom) {
			// The mark at the beginning says how the file is written, not what.
			spots[i] = splice{len(bom), len(old), bytes.TrimPrefix(new, bom)}
		}
	}
	if more {
		return s.ambiguous(spots), true
	}
	if !s.edit.ReplaceAll && bytes.IndexByte(old, '\n') >= 0 && !slices.ContainsFunc(spots, s.wholeWords) {
		return Outcome{}, false
	}
	return s.decide(Exact, spots, inside(s.content, found, len(old), s.edit.Old, s.edit.New)), true
}

// isLines reports whether a place begins and ends where lines do, and at the
// end of the file if it must.
func (s *search) isLines(from, to int) bool {
	if !s.isBeginning(from) && s.content[from-1] != '\n' {
		return false
	}
	if s.edit.atEnd {
		return to == len(s.content)
	}
	return to == len(s.content) || to > 0 && s.content[to-1] == '\n' || s.content[to] == '\n' || bytes.HasPrefix(s.content[to:], []byte("\r\n"))
}

// isBeginning reports whether nothing but the mark of the file is before a
// place.
func (s *search) isBeginning(at int) bool {
	return at == 0 || at == len(bom) && bytes.HasPrefix(s.content, bom)
}

// wholeWords reports whether a place cuts no word in two, and does not end with
// the beginning of a comment. A fragment of a line may; lines that do are others.
func (s *search) wholeWords(sp splice) bool {
	if !s.isBeginning(sp.start) && !boundary(s.content, sp.start) || !boundary(s.content, sp.end) {
		return false
	}
	last := s.content[bytes.LastIndexByte(s.content[:sp.end], '\n')+1 : sp.end]
	rest := s.content[sp.end:lineAt(s.content, sp.end).end]
	return isBlank(rest) || !slices.Contains(leaders, string(trim(last)))
}

// leaders are what lines of comments start with.
var leaders = []string{"//", "///", "//!", "#", "##", "*", "/*", "/**", "--", ";", ";;"}

// mostOccurrences bounds how many places are listed.
const mostOccurrences = 100_000

// all returns the places of a text, overlapping ones included, and whether there
// are more of them. It is linear even where the text overlaps itself.
func all(content, text []byte) ([]int, bool) {
	at := find(content, text)
	if at < 0 {
		return nil, false
	}
	found := []int{at}
	shift := period(text)
	for len(found) < mostOccurrences {
		if end := at + len(text); bytes.HasPrefix(content[end:], text[len(text)-shift:]) {
			at += shift // the overlap is known to be the same
		} else if i := find(content[at+shift:], text); i >= 0 {
			at += shift + i
		} else {
			return found, false
		}
		found = append(found, at)
	}
	return found, bytes.Contains(content[at+1:], text)
}

// find is bytes.Index, faster for a long text: it looks for a piece that fits
// into the processor's registers.
func find(content, text []byte) int {
	const piece, tries = 48, 32
	if len(text) <= piece {
		return bytes.Index(content, text)
	}
	from := (len(text) - piece) / 2
	part := text[from : from+piece]
	for at := from; at <= len(content); {
		i := bytes.Index(content[min(at, len(content)):], part)
		if i < 0 {
			return -1
		}
		start := at + i - from
		if bytes.HasPrefix(content[start:], text) {
			return start
		}
		at += i + 1
		if at-from > tries*piece && i < piece {
			// The piece is everywhere.
			j := bytes.Index(content[start+1:], text)
			if j < 0 {
				return -1
			}
			return start + 1 + j
		}
	}
	return -1
}

// period returns the least distance at which a text may overlap itself.
func period(text []byte) int {
	border := make([]int32, len(text))
	k := 0
	for i := 1; i < len(text); i++ {
		for k > 0 && text[i] != text[k] {
			k = int(border[k-1])
		}
		if text[i] == text[k] {
			k++
		}
		border[i] = int32(k)
	}
	return len(text) - k
}

// everywhere is one change from the first place to the last, for texts with
// very many.
func everywhere(content, old, new []byte) splice {
	start := bytes.Index(content, old)
	end := bytes.LastIndex(content, old) + len(old)
	return splice{start, end, bytes.ReplaceAll(content[start:end], old, new)}
}

// inside reports whether each place of old lies inside an occurrence of new.
func inside(content []byte, found []int, length int, old, new string) bool {
	if len(new) <= len(old) || !bytes.Contains([]byte(new), []byte(old)) {
		return false
	}
	whole, more := all(content, []byte(new))
	if more {
		return false
	}
	for _, at := range found {
		// The last occurrence of new that starts at or before the place ends
		// last, too.
		i, same := slices.BinarySearch(whole, at)
		if !same {
			i--
		}
		if i < 0 || whole[i]+len(new) < at+length {
			return false
		}
	}
	return true
}

// decide edits the one place there is, or all, or says that there are several.
func (s *search) decide(tier Tolerance, spots []splice, applied bool) Outcome {
	if applied {
		return s.applied(spots)
	}
	switch {
	case s.edit.ReplaceAll:
		spots = apart(spots)
	case len(spots) > 1:
		nearest, ok := s.nearest(spots)
		if !ok {
			return s.ambiguous(spots)
		}
		spots = []splice{nearest}
	}
	out := success(s.content, tier, spots)
	if bytes.Equal(out.Content, s.content) {
		return refusal(NoChange, lang.EditNoChange.With())
	}
	return out
}

// apart leaves out the places that overlap one before them.
func apart(spots []splice) []splice {
	kept := spots[:0:0]
	end := -1
	for _, spot := range spots {
		if spot.start >= end {
			kept = append(kept, spot)
			end = spot.end
		}
	}
	return kept
}

// nearest returns the place nearest to the caller's line, when one is.
func (s *search) nearest(spots []splice) (splice, bool) {
	if s.edit.NearLine <= 0 {
		return splice{}, false
	}
	best, distance, tie := splice{}, -1, false
	line, at := 1, 0
	for _, spot := range spots {
		line += bytes.Count(s.content[at:spot.start], []byte("\n"))
		at = spot.start
		d := max(line-s.edit.NearLine, s.edit.NearLine-line)
		switch {
		case distance < 0 || d < distance:
			best, distance, tie = spot, d, false
		case d == distance:
			tie = true
		}
	}
	return best, !tie && (distance == 0 || !s.edit.onLine)
}

// wholeLines matches old line by line under the tolerances for blanks.
func (s *search) wholeLines() (Outcome, bool) {
	var best []match
	for _, r := range s.readings {
		found := occurrences(&s.budget, r.old.keys, s.x.tokens)
		if len(found) > 1 && !s.spend(len(found)*len(r.old.keys)) {
			found = fewer(found, len(r.old.keys), s.edit.ReplaceAll)
		}
		for _, at := range found {
			m := match{old: r.old, new: r.new, at: consecutive(at, len(r.old.keys))}
			if m.tier = s.tierOf(&m); m.tier < 0 {
				continue
			}
			if len(best) > 0 && m.tier > best[0].tier {
				continue
			}
			if len(best) > 0 && (m.tier < best[0].tier) {
				best = best[:0]
			}
			// Of two readings the more literal one comes first.
			if len(best) > 0 && best[0].old != r.old {
				continue
			}
			best = append(best, m)
		}
	}
	if len(best) == 0 {
		return Outcome{}, false
	}
	return s.settle(best), true
}

// fewer keeps of places that are too many to compare those that do not overlap,
// or the two that are enough to refuse.
func fewer(found []int, length int, all bool) []int {
	if !all {
		return found[:2]
	}
	kept := found[:0:0]
	for _, at := range found {
		if len(kept) == 0 || at >= kept[len(kept)-1]+length {
			kept = append(kept, at)
		}
	}
	return kept
}

func consecutive(at, n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = at + i
	}
	return places
}

// tierOf returns the strictest tolerance under which the lines of a match are the
// same, or -1 when only their hashes are.
func (s *search) tierOf(m *match) Tolerance {
	tier := Trim
	for k, at := range m.at {
		t, ok := s.cmp.tolerance(m.old.fullLine(k), s.x.line(at))
		if !ok {
			return -1
		}
		tier = max(tier, t)
		if k > 0 && m.old.full[k]-m.old.full[k-1] != int(s.x.lines[at].number)-int(s.x.lines[at-1].number) {
			tier = max(tier, LineWhitespace)
		}
	}
	return tier
}

// settle turns matches of one tolerance into an outcome.
func (s *search) settle(found []match) Outcome {
	if !s.edit.ReplaceAll && len(found) > 1 {
		places := s.regions(found)
		nearest, ok := s.nearest(places)
		if !ok {
			return s.ambiguous(places)
		}
		for i := range places {
			if places[i].start == nearest.start {
				found = found[i : i+1]
				break
			}
		}
	}
	applied := true
	for i := range found {
		applied = applied && s.isApplied(&found[i])
	}
	if applied {
		return s.applied(s.regions(found))
	}
	var spots []splice
	for i := range found {
		spot, reason := s.replay(&found[i])
		if !reason.IsZero() {
			return s.conflict(reason, s.region(&found[i]))
		}
		spots = append(spots, spot)
	}
	return s.decide(found[0].tier, apart(spots), false)
}

// region returns the lines of a match, from the first to the last.
func (s *search) region(m *match) splice {
	first, last := s.x.lines[m.at[0]], s.x.lines[m.at[len(m.at)-1]]
	return splice{start: int(first.start), end: int(last.end)}
}

func (s *search) regions(found []match) []splice {
	places := make([]splice, len(found))
	for i := range found {
		places[i] = s.region(&found[i])
	}
	return places
}

// isApplied reports whether the place of a match lies inside an occurrence of
// new. Only the lines around the place can hold one.
func (s *search) isApplied(m *match) bool {
	n := len(m.new.keys)
	first, last := m.at[0], m.at[len(m.at)-1]
	if n < last-first+1 || !addsLines(m.old, m.new) {
		return false
	}
	from, to := max(0, last+1-n), min(len(s.x.tokens), first+n)
	return len(occurrences(&s.budget, m.new.keys, s.x.tokens[from:to])) > 0
}

// added counts by their keys the lines that new has more often than old.
func added(old, new *block) map[uint64]int {
	more := make(map[uint64]int, len(new.keys))
	for _, key := range new.keys {
		more[key]++
	}
	for _, key := range old.keys {
		if more[key]--; more[key] <= 0 {
			delete(more, key)
		}
	}
	return more
}

// addsLines reports whether new has a line that old has not.
func addsLines(old, new *block) bool { return len(added(old, new)) > 0 }
