package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const langDir = "internal/lang"

func TestTextsAreInBothLanguages(t *testing.T) {
	var problems []string
	count := 0
	for _, s := range code(t) {
		for _, lit := range textLiterals(s) {
			count++
			problems = append(problems, badText(s, lit)...)
		}
	}
	if count == 0 {
		t.Errorf("no Text literal found in %s; the rule checks nothing", langDir)
	}
	report(t, problems,
		"a text that exists in one language, or takes other arguments in the other, reaches a reader as an empty or broken sentence",
		"write EN and KO side by side as string literals, with the same verbs for the same arguments (%[2]s where the order differs)")
}

// textLiterals finds the Text{…} of package lang, and the lang.Text{…} of the
// others; in a slice or a map the type of the elements is left out.
func textLiterals(s *source) []*ast.CompositeLit {
	isText := func(e ast.Expr) bool {
		if sel, ok := e.(*ast.SelectorExpr); ok {
			x, ok := sel.X.(*ast.Ident)
			return ok && x.Name == "lang" && sel.Sel.Name == "Text"
		}
		id, ok := e.(*ast.Ident)
		return ok && id.Name == "Text" && s.dir == langDir
	}
	var found []*ast.CompositeLit
	ast.Inspect(s.ast, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		switch typ := lit.Type.(type) {
		case *ast.ArrayType:
			if isText(typ.Elt) {
				found = append(found, untyped(lit)...)
			}
		case *ast.MapType:
			if isText(typ.Value) {
				found = append(found, untyped(lit)...)
			}
		default:
			// Text{} is the zero value, which code compares with.
			if isText(typ) && len(lit.Elts) > 0 {
				found = append(found, lit)
			}
		}
		return true
	})
	return found
}

// untyped are the elements of a list that are literals without a type.
func untyped(list *ast.CompositeLit) []*ast.CompositeLit {
	var found []*ast.CompositeLit
	for _, e := range list.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
			found = append(found, lit)
		}
	}
	return found
}

func badText(s *source, lit *ast.CompositeLit) []string {
	texts := map[string]string{}
	for i, e := range lit.Elts {
		lang := []string{"EN", "KO"}[min(i, 1)]
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				lang = id.Name
			}
			e = kv.Value
		}
		text, ok := stringValue(e)
		if !ok {
			return []string{fmt.Sprintf("%s: %s is not a string literal, so nobody can check it", s.at(lit), lang)}
		}
		texts[lang] = text
	}
	for _, lang := range []string{"EN", "KO"} {
		if strings.TrimSpace(texts[lang]) == "" {
			return []string{fmt.Sprintf("%s: no %s text", s.at(lit), lang)}
		}
	}
	if en, ko := verbs(texts["EN"]), verbs(texts["KO"]); !slices.Equal(en, ko) {
		return []string{fmt.Sprintf("%s: EN takes %v but KO takes %v", s.at(lit), en, ko)}
	}
	return nil
}

// stringValue evaluates string literals and their sums.
func stringValue(e ast.Expr) (string, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		v, err := strconv.Unquote(e.Value)
		return v, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, okX := stringValue(e.X)
		y, okY := stringValue(e.Y)
		return x + y, e.Op == token.ADD && okX && okY
	}
	return "", false
}

// verb is a directive of fmt: flags, width, precision, argument index, verb.
var verb = regexp.MustCompile(`%[-+# 0]*(?:\d+)?(?:\.\d*)?(?:\[(\d+)\])?(.)`)

// verbs lists the directives of a format as argument number and verb, sorted,
// so that a sentence may take its arguments in another order.
func verbs(format string) []string {
	var out []string
	next := 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[2] == "%" {
			continue
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		out = append(out, fmt.Sprintf("%d:%%%s", next, m[2]))
		next++
	}
	slices.Sort(out)
	return out
}

func TestTextsAreInBothLanguagesCanFail(t *testing.T) {
	for literal, want := range map[string]string{
		`Text{"a %s", "가 %s"}`:                     "",
		`Text{EN: "a", KO: "가"}`:                   "",
		`Text{KO: "나 %[2]d %[1]s", EN: "a %s %d"}`: "",
		`Text{"a " + "%q", "가 %q"}`:                "",
		`Text{"100%% of %s", "%s의 100%%"}`:         "",
		`Text{}`:                                   "",
		`[]Text{{"a", "가"}, {"b", ""}}`:            "no KO",
		`map[string]Text{"k": {"a %s", "가"}}`:      "EN takes [1:%s] but KO takes []",
		`map[string]Text{"k": Text{"a %s", "가"}}`:  "EN takes [1:%s] but KO takes []",
		`Text{EN: "a"}`:                            "no KO",
		`Text{"", "가"}`:                            "no EN",
		`Text{"%s %d", "%d %s"}`:                   "EN takes [1:%s 2:%d] but KO takes [1:%d 2:%s]",
		`Text{"%s", "%q"}`:                         "EN takes",
		`Text{"%s", "%[1]s %[1]s"}`:                "EN takes",
		`Text{english, "가"}`:                       "EN is not a string literal",
	} {
		s := sample(t, langDir+"/a.go", "package lang\nvar v = "+literal+"\n")
		var got []string
		for _, lit := range textLiterals(s) {
			got = append(got, badText(s, lit)...)
		}
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.Contains(got[0], want)) {
			t.Errorf("%s: got %q, want %q", literal, got, want)
		}
	}
	s := sample(t, "edit/a.go", "package edit\nvar v = lang.Text{EN: \"a\"}\nvar w = Text{\"\", \"\"}\n")
	if n := len(textLiterals(s)); n != 1 {
		t.Errorf("outside of lang %d literals found, want the one of lang.Text", n)
	}
}
