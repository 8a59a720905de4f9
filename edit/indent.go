package edit

import (
	"bytes"
)

// indentation turns the indentation that a model wrote into the file's. It is
// learned from lines that both have.
type indentation struct {
	// table has the pairs seen; a nil value was seen in two ways.
	table map[string]*string
	rule  func(string) (string, bool)
}

type indentPair struct{ old, file string }

// learnIndentation is false when no single rule explains the pairs; then only
// what the table has is known.
func learnIndentation(pairs []indentPair) *indentation {
	n := &indentation{table: map[string]*string{}}
	for _, p := range pairs {
		known, ok := n.table[p.old]
		switch {
		case !ok:
			n.table[p.old] = &p.file
		case known != nil && *known != p.file:
			n.table[p.old] = nil
		}
	}
	for _, rule := range indentRules(pairs) {
		if explains(rule, pairs) {
			n.rule = rule
			break
		}
	}
	return n
}

// of maps one indentation.
func (n *indentation) of(old string) (string, bool) {
	if known, ok := n.table[old]; ok {
		if known == nil {
			return "", false
		}
		return *known, true
	}
	if n.rule == nil {
		return "", false
	}
	return n.rule(old)
}

func explains(rule func(string) (string, bool), pairs []indentPair) bool {
	for _, p := range pairs {
		if got, ok := rule(p.old); !ok || got != p.file {
			return false
		}
	}
	return true
}

// indentRules are the explanations to try, the simplest first: nothing changed,
// a level more or less, tabs for blanks or blanks for tabs, wider or narrower
// steps, and a level more or less of these.
func indentRules(pairs []indentPair) []func(string) (string, bool) {
	same := func(s string) (string, bool) { return s, true }
	rules := []func(string) (string, bool){same}
	if len(pairs) == 0 {
		return rules
	}
	forms := []func(string) (string, bool){same}
	for _, unit := range []int{4, 2, 8, 3, 1, 6} {
		forms = append(forms,
			func(s string) (string, bool) { return expandTabs(s, unit), true },
			func(s string) (string, bool) { return compressBlanks(s, unit), true })
	}
	for _, ratio := range [][2]int{{2, 4}, {4, 2}, {4, 8}, {8, 4}, {2, 8}, {8, 2}, {3, 4}, {4, 3}, {2, 3}, {3, 2}} {
		forms = append(forms, func(s string) (string, bool) { return rescale(s, ratio[0], ratio[1]) })
	}
	// A level more or less comes before a change of characters.
	rules = append(rules, shifted(same, pairs[0])...)
	rules = append(rules, forms[1:]...)
	for _, form := range forms[1:] {
		rules = append(rules, shifted(form, pairs[0])...)
	}
	return rules
}

// shifted adds or removes what the first pair has more or less.
func shifted(form func(string) (string, bool), first indentPair) []func(string) (string, bool) {
	got, ok := form(first.old)
	if !ok {
		return nil
	}
	if len(got) <= len(first.file) {
		if first.file[len(first.file)-len(got):] != got {
			return nil
		}
		prefix := first.file[:len(first.file)-len(got)]
		return []func(string) (string, bool){func(s string) (string, bool) {
			s, ok := form(s)
			return prefix + s, ok
		}}
	}
	if got[len(got)-len(first.file):] != first.file {
		return nil
	}
	prefix := got[:len(got)-len(first.file)]
	return []func(string) (string, bool){func(s string) (string, bool) {
		s, ok := form(s)
		if !ok || len(s) < len(prefix) || s[:len(prefix)] != prefix {
			return "", false
		}
		return s[len(prefix):], true
	}}
}

func expandTabs(s string, unit int) string {
	var b bytes.Buffer
	for i := range len(s) {
		if s[i] == '\t' {
			b.WriteString("        "[:unit])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// compressBlanks makes a tab of each unit blanks at the beginning.
func compressBlanks(s string, unit int) string {
	width := 0
	for i := range len(s) {
		switch s[i] {
		case '\t':
			width += unit
		case ' ':
			width++
		default:
			return s
		}
	}
	return string(bytes.Repeat([]byte{'\t'}, width/unit)) + "        "[:width%unit]
}

// rescale changes the width of a level of blanks; a rest smaller than a level
// stays as it is.
func rescale(s string, from, to int) (string, bool) {
	for i := range len(s) {
		if s[i] != ' ' {
			return "", false
		}
	}
	return string(bytes.Repeat([]byte{' '}, len(s)/from*to+len(s)%from)), true
}
