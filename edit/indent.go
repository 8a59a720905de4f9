package edit

import "strings"

// indentation turns the indentation that a model wrote into the file's. It is
// learned from lines that both have.
type indentation struct {
	// table has the pairs seen; a nil value was seen in two ways.
	table map[string]*string
	rule  indentRule
}

type indentPair struct{ old, file string }

// indentRule maps an indentation, and is false when it does not apply to one.
type indentRule func(string) (string, bool)

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

func explains(rule indentRule, pairs []indentPair) bool {
	for _, p := range pairs {
		if got, ok := rule(p.old); !ok || got != p.file {
			return false
		}
	}
	return true
}

// indentRules returns the explanations to try, the simplest first: nothing changed,
// a level more or less, tabs for blanks or blanks for tabs, wider or narrower
// steps, and a level more or less of these.
func indentRules(pairs []indentPair) []indentRule {
	same := func(s string) (string, bool) { return s, true }
	rules := []indentRule{same}
	if len(pairs) == 0 {
		return rules
	}
	forms := []indentRule{same}
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
func shifted(form indentRule, first indentPair) []indentRule {
	got, ok := form(first.old)
	if !ok {
		return nil
	}
	if prefix, ok := strings.CutSuffix(first.file, got); ok {
		return []indentRule{func(s string) (string, bool) {
			s, ok := form(s)
			return prefix + s, ok
		}}
	}
	prefix, ok := strings.CutSuffix(got, first.file)
	if !ok {
		return nil
	}
	return []indentRule{func(s string) (string, bool) {
		s, ok := form(s)
		if !ok {
			return "", false
		}
		return strings.CutPrefix(s, prefix)
	}}
}

func expandTabs(s string, unit int) string {
	return strings.ReplaceAll(s, "\t", strings.Repeat(" ", unit))
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
	return strings.Repeat("\t", width/unit) + strings.Repeat(" ", width%unit)
}

// rescale changes the width of a level of blanks; a rest smaller than a level
// stays as it is.
func rescale(s string, from, to int) (string, bool) {
	if strings.Trim(s, " ") != "" {
		return "", false
	}
	return strings.Repeat(" ", len(s)/from*to+len(s)%from), true
}
