package edit

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

func exactCase(s *sample) perturbed {
	return perturbed{before: s.file(), old: joinLines(s.old()), new: joinLines(s.new()), after: s.after()}
}

var blanks = regexp.MustCompile(`[ \t]{2,}`)

// collapsedBlanks loses the blanks that align what the model remembers; what it
// writes is as it writes it.
func collapsedBlanks(_ *rand.Rand, s *sample) (perturbed, bool) {
	collapse := func(lines []string) []string {
		for i, l := range lines {
			in := indentText(l)
			lines[i] = in + blanks.ReplaceAllString(l[len(in):], " ")
		}
		return lines
	}
	p := exactCase(s)
	old := collapse(s.old())
	changed := joinLines(old) != p.old
	p.old, p.new = joinLines(old), joinLines(slices.Concat(old[:s.at], s.with, old[s.until:]))
	return p, changed
}

// inContextTypo slips in some lines of the context.
func inContextTypo(lines int) func(*rand.Rand, *sample) (perturbed, bool) {
	return func(r *rand.Rand, s *sample) (perturbed, bool) {
		if !s.lone(0.6) {
			return perturbed{}, false
		}
		old, new := s.old(), s.new()
		seen := map[int]bool{}
		for range 10 * lines {
			i, ok := s.contextLine(r)
			if !ok || seen[i] {
				continue
			}
			line, ok := slip(r, old[i], s.file())
			if !ok {
				continue
			}
			seen[i] = true
			old[i] = line
			if i >= s.until {
				i += len(s.with) - (s.until - s.at)
			}
			new[i] = line
			if len(seen) == lines {
				return perturbed{before: s.file(), old: joinLines(old), new: joinLines(new), after: s.after()}, len(old) > lines+1
			}
		}
		return perturbed{}, false
	}
}

// comment finds the words of a comment behind //, or between /* and */ on one
// line.
func comment(line string) (from, to int, ok bool) {
	if i := strings.Index(line, "/* "); i >= 0 && strings.HasSuffix(line, " */") && !strings.Contains(line[:i], `"`) {
		return i + 3, len(line) - 3, len(line) > i+15
	}
	i := strings.Index(line, "// ")
	if i < 0 || strings.Contains(line[:i], `"`) {
		return 0, 0, false
	}
	return i + 3, len(line), len(line) > i+12
}

func rewordComment(_ *rand.Rand, line string) (string, bool) {
	from, to, ok := comment(line)
	if !ok {
		return "", false
	}
	words := strings.Fields(line[from:to])
	if len(words) < 4 {
		return "", false
	}
	return line[:from] + strings.Join(words[:len(words)-2], " ") + line[to:], true
}

func dropComment(_ *rand.Rand, line string) (string, bool) {
	from, _, ok := comment(line)
	if !ok || !identifier.MatchString(line[:from-3]) {
		return "", false
	}
	return strings.TrimRight(line[:from-3], " \t"), true
}

// missingLine leaves out a line of the context that has context on both sides.
func missingLine(r *rand.Rand, s *sample) (perturbed, bool) {
	i, ok := s.contextLine(r)
	if !ok || i == 0 || i == s.to-s.from-1 || i == s.at-1 || i == s.until || !s.lone(0.6) {
		return perturbed{}, false
	}
	p := exactCase(s)
	j := i
	if i >= s.until {
		j += len(s.with) - (s.until - s.at)
	}
	p.old, p.new = joinLines(slices.Delete(s.old(), i, i+1)), joinLines(slices.Delete(s.new(), j, j+1))
	return p, true
}

// elidedLines puts a mark in place of lines of the context.
func elidedLines(r *rand.Rand, s *sample) (perturbed, bool) {
	if s.at < 4 || !s.lone(0.6) {
		return perturbed{}, false
	}
	mark := []string{"...", "// ... existing code ...", "\t// ..."}[r.IntN(3)]
	p := exactCase(s)
	p.old = joinLines(slices.Replace(s.old(), 1, s.at-1, mark))
	p.new = joinLines(slices.Replace(s.new(), 1, s.at-1, mark))
	return p, strings.TrimSpace(s.lines[s.from]) != "" && strings.TrimSpace(s.lines[s.from+s.at-1]) != ""
}

// decoyAbsent has in the file, in the place of what is meant, something that
// means something else.
func decoyAbsent(r *rand.Rand, s *sample) (perturbed, bool) {
	p := exactCase(s)
	lines := slices.Clone(s.lines)
	i := s.from + r.IntN(s.to-s.from)
	line, ok := meaning(r, lines[i])
	if !ok || line == lines[i] || isCommentLine(lines[i]) {
		return perturbed{}, false
	}
	lines[i] = line
	p.before, p.refuse = joinLines(lines)+"\n", true
	return p, !strings.Contains(p.before, p.old) // a fragment may cut words
}

func isCommentLine(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "*") || strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "#")
}

// decoyPresent has something like it elsewhere, and drift in old.
func decoyPresent(r *rand.Rand, s *sample) (perturbed, bool) {
	decoy := s.old()
	changed := false
	for range 2 {
		i := r.IntN(len(decoy))
		if line, ok := meaning(r, decoy[i]); ok && line != decoy[i] && !isCommentLine(decoy[i]) {
			decoy[i], changed = line, true
		}
	}
	if !changed {
		return perturbed{}, false
	}
	p := exactCase(s)
	insert := slices.Concat([]string{""}, decoy, []string{"", "apart(from, it)"})
	p.before, p.after = p.before+joinLines(insert)+"\n", p.after+joinLines(insert)+"\n"
	if r.IntN(2) == 0 {
		retab := eachLine(func(_ int, l string) string {
			in := indentText(l)
			return strings.ReplaceAll(in, "\t", "  ") + l[len(in):]
		})
		p.old, p.new = retab(p.old), retab(p.new)
	}
	return p, true
}
