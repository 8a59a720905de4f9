package macro

import (
	"strings"

	"github.com/gongu-ai/gongu/internal/expr"
	"github.com/gongu-ai/gongu/internal/lang"
)

// template is a JSON value with expressions in it. A part without any stays
// the bytes it was, so what needs no filling in is not touched.
type template struct {
	literal raw  // when nothing below holds an expression
	changed bool // literal is not what was written: an escape is resolved
	value   *expression
	text    []piece
	members []templateMember
	items   []*template
	isArray bool
}

type templateMember struct {
	rawKey []byte
	node   *template
}

// piece is a part of a text: characters, or an expression to splice.
type piece struct {
	text string
	expr *expression
}

// scope is which variables an expression may use.
type scope struct {
	item  bool
	error bool
	// steps are the ids of the steps before.
	steps []string
}

// expressions receives the expressions of a template: a counter while the form
// is checked, the compiler afterwards.
type expressions interface {
	add(at location, message, hint lang.Message)
	expression(at location, src string, s scope) *expression
}

// parseTemplate reads a template. Its bytes are valid JSON.
func parseTemplate(x expressions, at location, data raw, s scope) *template {
	switch data.kind() {
	case '{':
		t := &template{members: []templateMember{}}
		plain := true
		for _, m := range data.members() {
			if strings.Contains(m.key, "${") {
				x.add(at, lang.MacroKey.With(clip(m.key)), lang.MacroHintKey.With())
			}
			node := parseTemplate(x, at.at(m.key), m.value, s)
			plain = plain && node.literal != nil && !node.changed
			t.members = append(t.members, templateMember{m.rawKey, node})
		}
		if plain {
			return &template{literal: data}
		}
		return t
	case '[':
		t := &template{isArray: true}
		plain := true
		for i, item := range data.items() {
			node := parseTemplate(x, at.at(i), item, s)
			plain = plain && node.literal != nil && !node.changed
			t.items = append(t.items, node)
		}
		if plain {
			return &template{literal: data}
		}
		return t
	case '"':
		return parseText(x, at, data, s)
	}
	return &template{literal: data}
}

func parseText(x expressions, at location, data raw, s scope) *template {
	text, _ := data.text()
	if !strings.Contains(text, "${") {
		return &template{literal: data}
	}
	sources, ok := split(text)
	if !ok {
		x.add(at, lang.MacroUnclosed.With(clip(text)), lang.MacroHintClose.With())
		return &template{literal: data}
	}
	if len(sources) == 1 && sources[0].isExpr {
		return &template{value: x.expression(at, sources[0].text, s)}
	}
	t := &template{text: []piece{}}
	for _, source := range sources {
		p := piece{text: source.text}
		if source.isExpr {
			p = piece{expr: x.expression(at, source.text, s)}
		}
		t.text = append(t.text, p)
	}
	if len(t.text) == 1 { // only $${ in it
		return &template{literal: expr.Quote(nil, t.text[0].text), changed: true}
	}
	return t
}

// bare compiles the text of when and forEach, which is an expression already.
// ${…} around it is allowed and means the same.
func bare(x expressions, at location, text string, s scope) *expression {
	if sources, ok := split(strings.TrimSpace(text)); ok && len(sources) == 1 && sources[0].isExpr {
		text = sources[0].text
	}
	return x.expression(at, text, s)
}

// source is a part of a text before it is compiled.
type source struct {
	text   string
	isExpr bool
}

// split takes a text apart into characters and expressions. It is false when
// an expression has no end.
func split(text string) ([]source, bool) {
	var list []source
	var plain strings.Builder
	for text != "" {
		i := strings.Index(text, "${")
		if i < 0 {
			plain.WriteString(text)
			break
		}
		if i > 0 && text[i-1] == '$' {
			plain.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		plain.WriteString(text[:i])
		end := exprEnd(text[i+2:])
		if end < 0 {
			return nil, false
		}
		if plain.Len() > 0 {
			list = append(list, source{text: plain.String()})
			plain.Reset()
		}
		list = append(list, source{text[i+2 : i+2+end], true})
		text = text[i+2+end+1:]
	}
	if plain.Len() > 0 {
		list = append(list, source{text: plain.String()})
	}
	return list, true
}

// exprEnd finds the brace that closes an expression: braces of maps and those
// inside of CEL's texts and comments do not count.
func exprEnd(src string) int {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		case '"', '\'':
			end := textEnd(src, i)
			if end < 0 {
				return -1
			}
			i = end
		case '/':
			if strings.HasPrefix(src[i:], "//") {
				line := strings.IndexByte(src[i:], '\n')
				if line < 0 {
					return -1
				}
				i += line
			}
		}
	}
	return -1
}

// textEnd returns the last byte of the CEL text that begins at i.
func textEnd(src string, i int) int {
	quoted, isRaw := src[i:i+1], i > 0 && (src[i-1] == 'r' || src[i-1] == 'R')
	if triple := strings.Repeat(quoted, 3); strings.HasPrefix(src[i:], triple) {
		quoted = triple
	}
	for j := i + len(quoted); j < len(src); j++ {
		switch {
		case src[j] == '\\' && !isRaw:
			j++
		case strings.HasPrefix(src[j:], quoted):
			return j + len(quoted) - 1
		}
	}
	return -1
}

// counter checks the form of expressions without compiling them.
type counter struct {
	*report
	n, bytes int
}

func (c *counter) expression(at location, src string, _ scope) *expression {
	if c.n++; c.n == maxExpressions+1 {
		c.add(at, lang.MacroManyExprs.With(maxExpressions), lang.MacroHintShorter.With())
	}
	before := c.bytes
	c.bytes += len(src)
	switch {
	case strings.TrimSpace(src) == "":
		c.add(at, lang.MacroNoExpr.With(), lang.MacroHintNoExpr.With())
	case len(src) > expr.MaxSource:
		c.add(at, lang.MacroLongExpr.With(len(src), expr.MaxSource), lang.MacroHintShorter.With())
	case before <= maxAllExprs && c.bytes > maxAllExprs:
		c.add(at, lang.MacroAllExprs.With(maxAllExprs), lang.MacroHintShorter.With())
	}
	return nil
}
