package edit

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// ApplyHunks makes the changes of a patch in one file, all or none. Each hunk
// is looked for in the content as it was, like the old text of an edit, but as
// whole lines. Where it fits several places, what the hunk says about its place
// may decide: the line number when it is exact, what the hunk is part of, the
// end of the file, and the hunks before and behind it. The index of a refusal
// is that of the hunk.
func ApplyHunks(ctx context.Context, content []byte, hunks []Hunk, opts *Options) Outcome {
	if opts == nil {
		opts = &Options{}
	}
	if out, ok := admit(content, opts.ExpectedSHA); !ok {
		return out
	}
	a := &hunkApplier{ctx: ctx, content: content, hunks: hunks, places: make([]*hunkPosition, len(hunks))}
	if out, ok := a.find(); !ok {
		return out
	}
	return a.join()
}

// hunkPosition is where a hunk goes.
type hunkPosition struct {
	splice
	tier Tolerance
	// index is the position of the hunk in its patch.
	index int
}

type hunkApplier struct {
	ctx     context.Context
	content []byte
	hunks   []Hunk
	places  []*hunkPosition
}

// find places the hunks that fit one place, and then, between them, the others.
func (a *hunkApplier) find() (Outcome, bool) {
	var open []int
	refusals := make([]Outcome, len(a.hunks))
	for i, h := range a.hunks {
		if h.Old == h.New && h.OldOpen == h.NewOpen {
			continue
		}
		out := a.place(i, 0, len(a.content), nil)
		switch {
		case out.OK:
		case out.Code == Ambiguous:
			open = append(open, i)
			refusals[i] = out
		default:
			out.Index = i
			return out, false
		}
	}
	for _, i := range open {
		if !a.narrow(i) {
			refusals[i].Index = i
			return refusals[i], false
		}
	}
	return Outcome{}, true
}

// narrow looks for a hunk that fits several places only where it says it is.
func (a *hunkApplier) narrow(i int) bool {
	h := a.hunks[i]
	if h.Line > 0 && a.place(i, 0, len(a.content), func(e *Edit) { e.NearLine, e.onLine = h.Line, true }).OK {
		return true
	}
	if from, to, ok := a.within(h.Within); ok && a.place(i, from, to, nil).OK {
		return true
	}
	if h.AtEnd && a.place(i, 0, len(a.content), func(e *Edit) { e.atEnd = true }).OK {
		return true
	}
	from, to := 0, len(a.content)
	for _, p := range a.places[:i] {
		if p != nil {
			from = max(from, lineEndAfter(a.content, p.end))
		}
	}
	for _, p := range a.places[i+1:] {
		if p != nil {
			to = min(to, bytes.LastIndexByte(a.content[:p.start], '\n')+1)
		}
	}
	return (from > 0 || to < len(a.content)) && from < to && a.place(i, from, to, nil).OK
}

// place looks for a hunk in a part of the file, which begins and ends with
// lines.
func (a *hunkApplier) place(i, from, to int, more func(*Edit)) Outcome {
	h, part := a.hunks[i], a.content[from:to]
	if h.Old == "" {
		return a.insert(i)
	}
	out := a.apply(h, part, to == len(a.content), more)
	if out.OK {
		c := out.Changes[0]
		sp := narrowed(part, splice{c.Start, c.End, out.Content[c.NewStart:c.NewEnd]})
		a.places[i] = &hunkPosition{splice{from + sp.start, from + sp.end, sp.text}, out.Tier, i}
	}
	return out
}

// apply makes one edit of a hunk. That a last line has no line end is taken
// literally while the file agrees; else the file's own end stays.
func (a *hunkApplier) apply(h Hunk, part []byte, isEnd bool, more func(*Edit)) Outcome {
	e := Edit{Old: h.Old, New: h.New, lines: true}
	if more != nil {
		more(&e)
	}
	if h.OldOpen || h.NewOpen {
		if isEnd && h.OldOpen != bytes.HasSuffix(part, []byte("\n")) {
			literal := e
			literal.atEnd = true
			if out := apply(a.ctx, part, literal); out.OK {
				return out
			}
		}
		e.Old, e.New = strings.TrimSuffix(h.Old, "\n")+"\n", strings.TrimSuffix(h.New, "\n")+"\n"
		if h.New == "" {
			e.New = ""
		}
	}
	return apply(a.ctx, part, e)
}

// insert places lines that come without any of the file.
func (a *hunkApplier) insert(i int) Outcome {
	h := a.hunks[i]
	at := -1
	_, end, ok := a.header(h.Within)
	switch {
	case len(a.content) == 0:
		at = 0
	case len(h.Within) > 0 && ok:
		at = end
	case len(h.Within) == 0 && h.appends && h.Line == 0:
		at = len(a.content)
	}
	if at < 0 {
		return refusal(Conflict, lang.PatchNoContext.With())
	}
	if left := placeholders("", h.New); len(left) > 0 {
		return refusal(Conflict, lang.EditPlaceholder.With(left[0]))
	}
	eol := endOf(a.content, at)
	text := bytes.ReplaceAll(withoutCR([]byte(h.New)), []byte("\n"), eol)
	if at == len(a.content) && at > 0 && a.content[at-1] != '\n' {
		// Lines after the last one: the old last line now needs a line ending, and
		// the new last line has none.
		text = slices.Concat(eol, bytes.TrimSuffix(text, eol))
	}
	a.places[i] = &hunkPosition{splice{at, at, text}, Exact, i}
	return Outcome{OK: true}
}

// header finds the last of the lines that a hunk is part of: each once, behind
// the one before it. It gives the line's beginning and the beginning of the
// next line.
func (a *hunkApplier) header(within []string) (start, next int, ok bool) {
	for _, want := range within {
		found, behind := 0, next
		for at := next; at < len(a.content); {
			line := lineAt(a.content, at)
			if string(trim(a.content[line.start:line.end])) == want {
				found++
				start, behind = line.start, line.next
			}
			at = line.next
		}
		if found != 1 {
			return 0, 0, false
		}
		next = behind
	}
	return start, next, len(within) > 0
}

// within returns the part of the file that belongs to such a line: the lines behind
// it that are indented deeper and the one that closes them, or all that follow
// when none is.
func (a *hunkApplier) within(lines []string) (from, to int, ok bool) {
	start, from, ok := a.header(lines)
	if !ok {
		return 0, 0, false
	}
	depth := len(indentOf(a.content[start:lineAt(a.content, start).end]))
	deeper := false
	for at := from; at < len(a.content); {
		line := lineAt(a.content, at)
		text := a.content[line.start:line.end]
		switch {
		case isBlank(text):
		case len(indentOf(text)) > depth:
			deeper = true
		case deeper:
			return from, line.next, true
		default:
			return from, len(a.content), true
		}
		at = line.next
	}
	return from, len(a.content), true
}

// join makes one outcome of all places.
func (a *hunkApplier) join() Outcome {
	var placed []hunkPosition
	var tiers []Tolerance
	tier := Exact
	for _, p := range a.places {
		if p == nil {
			tiers = append(tiers, Exact)
			continue
		}
		placed = append(placed, *p)
		tiers = append(tiers, p.tier)
		tier = max(tier, p.tier)
	}
	slices.SortStableFunc(placed, func(x, y hunkPosition) int { return cmp.Compare(x.start, y.start) })
	spots := make([]splice, len(placed))
	for i, p := range placed {
		if i > 0 && p.start < placed[i-1].end {
			out := refusal(Conflict, lang.PatchOverlap.With())
			out.Index = p.index
			return out
		}
		spots[i] = p.splice
	}
	if len(spots) == 0 {
		return refusal(NoChange, lang.PatchNoChange.With())
	}
	out := success(a.content, tier, spots)
	out.Tiers = tiers
	if bytes.Equal(out.Content, a.content) {
		return refusal(NoChange, lang.PatchNoChange.With())
	}
	return out
}
