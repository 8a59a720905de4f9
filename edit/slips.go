package edit

import (
	"bytes"
)

// shortestSlipped is how many letters a word with a slip has at least; the
// word that is meant has one more at least, or as many.
const (
	shortestSlipped = 4
	shortestMeant   = 5
	mostSlips       = 3
	// enough places are too many, whatever else there is.
	enough = 12
)

// slips matches lines whose tokens are the same except for a letter here and
// there: at most one slip a line, in a long word that the file does not have.
func (s *search) slips() (Outcome, bool) {
	if s.edit.ReplaceAll {
		return Outcome{}, false
	}
	var keys []uint64
	for _, r := range s.readings {
		if missing, _ := s.absent(r.old); missing == 0 || missing > mostSlips {
			continue // all lines but those with a slip are the file's
		}
		if keys == nil {
			if keys = s.fileKeys(func(i int) uint64 { return skeletonKey(s.x.line(i)) }); keys == nil {
				return Outcome{}, true
			}
		}
		pattern := make([]uint64, len(r.old.full))
		for k := range pattern {
			pattern[k] = skeletonKey(r.old.fullLine(k))
		}
		var found []match
		for _, at := range occurrences(&s.budget, pattern, keys) {
			slips, ok := s.slipped(r.old, at)
			if s.steps < 0 {
				return Outcome{}, false
			}
			if ok {
				found = append(found, match{tier: FuzzyLines, old: r.old, new: r.new, at: consecutive(at, len(pattern)), slips: slips})
			}
			if len(found) == enough && s.edit.NearLine <= 0 {
				break
			}
		}
		if len(found) > 0 {
			return s.settleLoose(found, 1), true
		}
	}
	return Outcome{}, false
}

// fileKeys returns the keys of the file's lines, nil when the context ended.
func (s *search) fileKeys(key func(i int) uint64) []uint64 {
	keys := make([]uint64, len(s.x.lines))
	for i := range keys {
		if i&0xffff == 0 && s.stopped() {
			return nil
		}
		keys[i] = key(i)
	}
	return keys
}

// slipped compares old with the lines from a place on and collects the slips.
func (s *search) slipped(old *block, start int) (map[string]string, bool) {
	lines := 0
	slips, again := map[string]string{}, map[string]bool{}
	for k, key := range old.keys {
		if !s.spend(1) {
			return nil, false
		}
		if key == s.x.tokens[start+k] {
			continue
		}
		s.cmp.a, s.cmp.b = appendTokens(s.cmp.a[:0], old.fullLine(k)), appendTokens(s.cmp.b[:0], s.x.line(start+k))
		wrong, right, ok := oneSlip(s.cmp.a, s.cmp.b)
		if lines++; !ok || lines > mostSlips {
			return nil, false
		}
		again[wrong] = slips[wrong] != ""
		slips[wrong] = right
	}
	for wrong, right := range slips {
		// A word that is written so each time is meant: another name.
		if s.hasWord(wrong) || again[wrong] && !hasWord(old.text, right) && !otherwise(slips, wrong, right) {
			return nil, false
		}
	}
	return slips, len(slips) > 0 && s.verified(old, start)
}

// verified makes sure that lines with the same hash have the same tokens.
func (s *search) verified(old *block, start int) bool {
	for k, key := range old.keys {
		if key == s.x.tokens[start+k] && (!s.spend(1) || !s.cmp.sameTokens(old.fullLine(k), s.x.line(start+k))) {
			return false
		}
	}
	return true
}

// oneSlip finds the one word in which two lines differ, by one letter that is
// more, less, another or swapped with its neighbour.
func oneSlip(old, file []byte) (string, string, bool) {
	wrong, right := "", ""
	for len(old) > 0 && len(file) > 0 {
		n, m := letters(old), letters(file)
		if n == 0 || m == 0 {
			if old[0] != file[0] || n != m {
				return "", "", false
			}
			old, file = old[1:], file[1:]
			continue
		}
		if !bytes.Equal(old[:n], file[:m]) {
			// Names that differ in their first letter are others: fchdir and
			// chdir, setValue and getValue.
			if right != "" || n < shortestSlipped || m < shortestMeant || old[0] != file[0] || !oneEdit(old[:n], file[:m]) {
				return "", "", false
			}
			wrong, right = string(old[:n]), string(file[:m])
		}
		old, file = old[n:], file[m:]
	}
	return wrong, right, right != "" && len(old) == 0 && len(file) == 0
}

// oneEdit is true for words one insertion, deletion, substitution or swap of
// neighbours apart.
func oneEdit(a, b []byte) bool {
	head := commonHead(a, b)
	a, b = a[head:], b[head:]
	tail := commonTail(a, b)
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	return len(a)+len(b) == 1 || len(a) == 1 && len(b) == 1 ||
		len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// otherwise reports whether another slip is for the same word.
func otherwise(slips map[string]string, wrong, right string) bool {
	for other, meant := range slips {
		if meant == right && other != wrong {
			return true
		}
	}
	return false
}

// hasWord reports whether the file has a run of letters as a word.
func (s *search) hasWord(word string) bool { return hasWord(s.content, word) }

func hasWord(content []byte, word string) bool {
	text := []byte(word)
	for at := 0; ; {
		i := bytes.Index(content[at:], text)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(text)
		if (start == 0 || !isLetter(content[start-1])) && (end == len(content) || !isLetter(content[end])) {
			return true
		}
		at = start + 1
	}
}

// unslipped writes the words of a line as the file has them.
func unslipped(line []byte, slips map[string]string) []byte {
	if len(slips) == 0 {
		return line
	}
	var out []byte
	for i := 0; i < len(line); {
		n := letters(line[i:])
		if right, ok := slips[string(line[i:i+n])]; n > 0 && ok {
			out = append(out, right...)
			i += n
			continue
		}
		n = max(n, 1)
		out = append(out, line[i:i+n]...)
		i += n
	}
	return out
}
