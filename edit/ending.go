package edit

import (
	"bytes"
	"slices"
)

// lineEnding matches the text apart from CRLF and LF.
func (s *search) lineEnding() (Outcome, bool) {
	old := withoutCR([]byte(s.edit.Old))
	if bytes.IndexByte(old, '\n') < 0 {
		return Outcome{}, false
	}
	crlf := bytes.Contains(s.content, []byte("\r\n"))
	if !crlf && len(old) == len(s.edit.Old) {
		return Outcome{}, false
	}
	plain := s.content
	if crlf {
		plain = withoutCR(s.content)
	}
	found, more := all(plain, old)
	if s.edit.lines {
		found = slices.DeleteFunc(found, func(at int) bool {
			return !s.isBeginning(at) && plain[at-1] != '\n' || s.edit.atEnd && at+len(old) < len(plain)
		})
	}
	if len(found) == 0 {
		return Outcome{}, false
	}
	new := withoutCR([]byte(s.edit.New))
	applied := !more && inside(plain, found, len(old), string(old), string(new))
	if more || !s.edit.ReplaceAll && s.edit.NearLine <= 0 && len(found) > 1 && !applied {
		return s.ambiguous(s.endingPlaces(found[:min(len(found), mostOccurrences/100)], len(old))), true
	}
	spots := s.endingPlaces(found, len(old))
	if len(spots) < len(found) {
		return s.ambiguous(spots), true
	}
	if s.edit.ReplaceAll {
		spots = apart(spots)
	}
	for i, sp := range spots {
		spots[i].text = replayEnds(s.content[sp.start:sp.end], old, new, endOf(s.content, sp.start))
	}
	return s.decide(LineEnding, spots, applied), true
}

// endingPlaces returns the bytes of places in the copy without carriage returns.
// It stops when there are too many.
func (s *search) endingPlaces(found []int, length int) []splice {
	spots := make([]splice, 0, len(found))
	place := placer{content: s.content}
	for _, at := range found {
		if !s.spend(1 + length/16) {
			break
		}
		start := place.of(at)
		// Places may overlap: the end is looked for from the start.
		end := (&placer{content: s.content, at: start, plain: at}).of(at + length)
		if s.content[end-1] == '\r' && end < len(s.content) && s.content[end] == '\n' {
			end++ // the line end is one
		}
		spots = append(spots, splice{start: start, end: end})
	}
	return spots
}

// placer finds the byte of the content that became a byte of its copy without
// carriage returns. It is asked in order.
type placer struct {
	content   []byte
	at, plain int
}

func (p *placer) of(want int) int {
	for p.plain < want {
		i := bytes.Index(p.content[p.at:], []byte("\r\n"))
		if i < 0 || p.plain+i >= want {
			p.at += want - p.plain
			p.plain = want
			break
		}
		// The copy does not have the carriage return.
		p.at += i + 1
		p.plain += i
		if p.plain < want {
			p.at++
			p.plain++
		}
	}
	return p.at
}

func withoutCR(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// endOf returns the line end that the file has around a place.
func endOf(content []byte, at int) []byte {
	i := bytes.IndexByte(content[at:], '\n')
	if i < 0 {
		if i = bytes.LastIndexByte(content[:at], '\n'); i < 0 {
			return []byte("\n")
		}
		at = 0
	}
	if end := at + i; end > 0 && content[end-1] == '\r' {
		return []byte("\r\n")
	}
	return []byte("\n")
}

// replayEnds writes new with the line ends that the place has where old and
// new agree, and with the given one elsewhere.
func replayEnds(place, old, new, end []byte) []byte {
	head := commonHead(old, new)
	tail := commonTail(old[head:], new[head:])
	p := placer{content: place}
	from := p.of(head)
	to := p.of(len(old) - tail)
	if to > from && to < len(place) && place[to-1] == '\r' && place[to] == '\n' && old[len(old)-tail-1] == '\n' {
		to++
	}
	middle := new[head : len(new)-tail]
	return slices.Concat(place[:from], bytes.ReplaceAll(middle, []byte("\n"), end), place[to:])
}
