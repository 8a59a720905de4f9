package dialect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// tuple lowers a list whose items have a schema each, by place, to a list of
// any of them. Their order can only be described in words.
func (s *shaping) tuple(keyword string, places []*node, rest *node) {
	var branches []*node
	var order []string
	for i, element := range places {
		lowered := s.schema(element, s.at.in(keyword, strconv.Itoa(i)))
		branches = append(branches, lowered)
		order = append(order, kindWord(lowered))
	}
	switch {
	case rest.isFalse():
		if !s.in.has("maxItems") {
			s.out.set("maxItems", newNumber(len(places)))
		}
	case rest.isObject():
		branches = append(branches, s.schema(rest, s.at.in("items")))
	}
	s.out.set("items", s.anyOf(newObject(), branches))
	s.lose(s.at.path, keyword, lang.LossInWords)
	s.say(lang.WordsTuple.In(s.lang, strings.Join(order, ", ")))
}

// kindWord names the type of a lowered schema.
func kindWord(n *node) string {
	if kinds := typeList(n.get("type")); len(kinds) > 0 {
		return strings.Join(kinds, "|")
	}
	return "any"
}

// refuse records that the tool cannot be declared because of a name.
func (l *lowering) refuse(name string) {
	if l.refused == nil {
		l.refused = fmt.Errorf("the provider refuses the name of the required parameter %q", name)
	}
}
