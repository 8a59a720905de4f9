package main

import (
	"regexp"
	"strings"
)

// replaceSketch is the seed's editFile written down literally: each pass looks
// for normalised text in normalised text, and the offset it finds there cuts
// the original. It is here to be compared with, not to be used.
func replaceSketch(content, old, new string, _ bool) (string, bool) {
	for _, pass := range []func(content, target string) int{
		strings.Index,
		func(c, t string) int { return strings.Index(c, strings.TrimSpace(t)) },
		func(c, t string) int { return strings.Index(trimLines(c), trimLines(t)) },
		func(c, t string) int {
			return strings.Index(strings.ReplaceAll(c, "\t", "  "), strings.ReplaceAll(t, "\t", "  "))
		},
		func(c, t string) int {
			return strings.Index(strings.ReplaceAll(c, "\r\n", "\n"), strings.ReplaceAll(t, "\r\n", "\n"))
		},
		func(c, t string) int {
			return strings.Index(runsOfBlanks.ReplaceAllString(c, " "), runsOfBlanks.ReplaceAllString(t, " "))
		},
		func(c, t string) int {
			return strings.Index(anyComment.ReplaceAllString(c, ""), anyComment.ReplaceAllString(t, ""))
		},
		likeLines,
		likeTokens,
	} {
		if at := pass(content, old); at >= 0 && at <= len(content) {
			return content[:at] + new + content[min(len(content), at+len(old)):], true
		}
	}
	return "", false
}

var (
	runsOfBlanks = regexp.MustCompile(`\s+`)
	anyComment   = regexp.MustCompile(`//[^\n]*|/\*[\s\S]*?\*/|#[^\n]*`)
	coreTokens   = regexp.MustCompile(`\w+`)
)

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// likeLines is the seed's fuzzyLineMatch, which it does not print: the first
// lines each of which is at most a fifth away from the target's.
func likeLines(content, target string) int {
	lines, wanted := strings.SplitAfter(content, "\n"), strings.SplitAfter(target, "\n")
	at := 0
	for i := 0; i+len(wanted) <= len(lines); i++ {
		same := true
		for j, want := range wanted {
			if longest := max(len(want), len(lines[i+j])); same {
				same = 5*levenshtein(lines[i+j], want, longest/5) <= longest
			}
		}
		if same {
			return at
		}
		at += len(lines[i])
	}
	return -1
}

// levenshtein counts insertions, deletions and substitutions, and gives up
// beyond most.
func levenshtein(a, b string, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, best := row[0], i+1
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
			best = min(best, cost)
		}
		if best > most {
			return most + 1
		}
	}
	return row[len(b)]
}

// likeTokens is the seed's tokenMatch, which it does not print either: the
// words alone.
func likeTokens(content, target string) int {
	wanted := strings.Join(coreTokens.FindAllString(target, -1), " ")
	return strings.Index(strings.Join(coreTokens.FindAllString(content, -1), " "), wanted)
}
