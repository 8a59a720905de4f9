package edit

import (
	"bytes"
	"slices"
)

// insideLines matches old, when it is one line, as a part of a line: first
// without the blanks around it, then with other blanks inside it. What is
// found must begin and end where words do.
func (s *search) insideLines() (Outcome, bool) {
	if s.edit.lines {
		return Outcome{}, false
	}
	for _, r := range s.readings {
		if len(r.old.full) != 1 {
			continue
		}
		old, new, ok := edges(r.old, r.new)
		if !ok {
			continue
		}
		edge := edgesOf(r.old.text, old)
		found, more := all(s.content, old)
		if more {
			continue // too many to look at each
		}
		found = slices.DeleteFunc(found, func(at int) bool { return !edge.fit(s.content, at, at+len(old)) })
		if len(found) > 0 {
			var spots []splice
			for _, at := range found {
				spots = append(spots, splice{at, at + len(old), new})
			}
			return s.decide(Trim, spots, inside(s.content, found, len(old), string(old), string(new))), true
		}
		if out, done := s.tokensInside(old, new, edge); done {
			return out, true
		}
	}
	return Outcome{}, false
}

// edges removes what old and new have in common around their text: spaces
// and blank lines. It is false when new has others than old.
func edges(old, new *block) (o, n []byte, ok bool) {
	o = bytes.TrimRight(bytes.TrimLeft(old.text, " \t\r\n"), " \t\r\n")
	i := bytes.Index(old.text, o)
	before, after := old.text[:i], old.text[i+len(o):]
	if len(new.full) == 0 {
		return o, nil, len(new.text) == 0
	}
	n, ok = bytes.CutPrefix(new.text, before)
	if !ok {
		return nil, nil, false
	}
	if n, ok = bytes.CutSuffix(n, after); !ok {
		return nil, nil, false
	}
	return o, n, true
}

// blankEdges are the blanks that old has around its text. They were meant: what
// is indented begins a line, and what has a line end behind it ends one.
type blankEdges struct {
	before, after []byte
}

func edgesOf(text, inner []byte) blankEdges {
	i := bytes.Index(text, inner)
	return blankEdges{text[:i], text[i+len(inner):]}
}

// fit reports whether a place has such edges. A single blank may be any.
func (e blankEdges) fit(content []byte, from, to int) bool {
	start := bytes.LastIndexByte(content[:from], '\n') + 1
	if bytes.HasPrefix(content[start:], bom) && start == 0 {
		start = len(bom)
	}
	before, after := content[min(start, from):from], content[to:lineAt(content, to).end]
	switch {
	case len(e.before) == 0 || isBlank(before):
	case string(e.before) != " " || spaceAt(before, len(before)-1) == 0:
		return false
	}
	switch {
	case len(e.after) == 0 || isBlank(after):
		return true
	}
	return bytes.IndexByte(e.after, '\n') < 0 && spaceAt(after, 0) > 0
}

// tokensInside finds the tokens of old within lines.
func (s *search) tokensInside(old, new []byte, edge blankEdges) (Outcome, bool) {
	pattern := appendTokens(nil, old)
	if weight(pattern) < 3 || bytes.IndexByte(new, '\n') >= 0 {
		return Outcome{}, false
	}
	var spots []splice
	tier := CollapseSpaces
	var buf []byte
	for i := range s.x.lines {
		if i&0xffff == 0 && s.stopped() {
			return Outcome{}, true
		}
		line := s.x.line(i)
		buf = appendTokens(buf[:0], line)
		for at := 0; ; {
			j := bytes.Index(buf[at:], pattern)
			if j < 0 {
				break
			}
			from, to := at+j, at+j+len(pattern)
			at = from + 1
			if !boundary(buf, from) || !boundary(buf, to) {
				continue
			}
			if len(spots) > mostOccurrences {
				return s.ambiguous(spots), true
			}
			start, end := placesOf(line, from, to)
			t, ok := s.cmp.tolerance(line[start:end], old)
			if !ok || !edge.fit(line, start, end) {
				continue
			}
			if max(t, CollapseSpaces) < tier || len(spots) == 0 {
				tier, spots = max(t, CollapseSpaces), spots[:0]
			}
			if max(t, CollapseSpaces) == tier {
				text := replayInside(line[start:end], old, new)
				base := int(s.x.lines[i].start)
				spots = append(spots, splice{base + start, base + end, text})
			}
		}
	}
	if len(spots) == 0 {
		return Outcome{}, false
	}
	return s.decide(tier, spots, false), true
}

// boundary reports whether no word goes on at a place.
func boundary(text []byte, at int) bool {
	return at == 0 || at == len(text) || !isWord(text[at-1]) || !isWord(text[at])
}

// placesOf returns the bytes of a line that hold some of its tokens.
func placesOf(line []byte, from, to int) (int, int) {
	var buf []byte
	start, end := -1, -1
	for i := 0; i < len(line); {
		n := spaceAt(line, i)
		if n > 0 {
			i += n
			continue
		}
		_, n = fold(line, i)
		// The separator of two words comes with the second.
		space := i > 0 && len(buf) > 0 && trimmedBefore(line, i) && isWord(buf[len(buf)-1]) && isWord(line[i])
		if space {
			buf = append(buf, ' ')
		}
		if start < 0 && len(buf) >= from {
			start = i
		}
		buf = appendTokens(buf, line[i:i+n])
		i += n
		if len(buf) >= to {
			end = i
			break
		}
	}
	if start < 0 || end < 0 {
		return 0, len(line)
	}
	return start, end
}

// trimmedBefore reports whether there is a blank before a place.
func trimmedBefore(line []byte, i int) bool {
	return len(trimEnd(line[:i])) < i
}

// replayInside writes new with the bytes that the file has where old and new
// have the same words.
func replayInside(place, old, new []byte) []byte {
	head := commonHead(old, new)
	for head > 0 && !(boundary(old, head) && boundary(new, head)) {
		head--
	}
	tail := commonTail(old[head:], new[head:])
	for tail > 0 && !(boundary(old, len(old)-tail) && boundary(new, len(new)-tail)) {
		tail--
	}
	tokens := appendTokens(nil, old)
	first, last := len(appendTokens(nil, old[:head])), len(appendTokens(nil, old[:len(old)-tail]))
	was, now := old[head:len(old)-tail], new[head:len(new)-tail]
	begin, stop := 0, 0
	if first > 0 {
		_, begin = placesOf(place, 0, first)
	}
	if stop = begin; len(trim(was)) > 0 {
		// Blanks around what is replaced are the file's where both have them.
		if from := first; bytes.Equal(indentOf(was), indentOf(now)) {
			if from > 0 && tokens[from] == ' ' {
				from++
			}
			begin, _ = placesOf(place, from, last)
			now = now[len(indentOf(now)):]
		}
		_, stop = placesOf(place, first, last)
		if bytes.Equal(was[len(trimEnd(was)):], now[len(trimEnd(now)):]) {
			now = trimEnd(now)
		}
	}
	return slices.Concat(place[:begin], now, place[stop:])
}
