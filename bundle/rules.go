package bundle

import (
	"reflect"
	"strconv"
	"strings"
)

// The tags of the fields of a kind are its definition:
//
//	json   the name of the field
//	doc    what it means, for editors
//	rule   what must hold, separated by commas:
//	       required, nonempty, unique=FIELD, min=N, enum=a|b, kinds=A|B,
//	       url, glob, object, refs (check references inside)
type rules struct {
	required, nonempty, url, glob, object, refs bool

	min    *int
	enum   []string
	kinds  []string
	unique string
}

// fieldInfo is one field of a kind.
type fieldInfo struct {
	name  string
	index int
	doc   string
	rules rules
}

// fieldsOf lists the fields of a struct that a bundle can set.
func fieldsOf(t reflect.Type) []fieldInfo {
	var list []fieldInfo
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		list = append(list, fieldInfo{name: name, index: i, doc: f.Tag.Get("doc"), rules: parseRules(f.Tag.Get("rule"))})
	}
	return list
}

func parseRules(tag string) rules {
	var r rules
	for rule := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "required":
			r.required = true
		case "nonempty":
			r.nonempty = true
		case "url":
			r.url = true
		case "glob":
			r.glob = true
		case "object":
			r.object = true
		case "refs":
			r.refs = true
		case "min":
			if n, err := strconv.Atoi(value); err == nil {
				r.min = &n
			}
		case "enum":
			r.enum = strings.Split(value, "|")
		case "kinds":
			r.kinds = strings.Split(value, "|")
		case "unique":
			r.unique = value
		}
	}
	return r
}
