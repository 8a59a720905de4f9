package bundle

import (
	"encoding/json"
	"math"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
)

// decoder fills the Go type of a kind from YAML and reports what does not fit.
type decoder struct {
	*reporter
	owner *Meta
	refs  []pendingRef
}

// fromNode is a type that reads itself.
type fromNode interface {
	fromNode(d *decoder, a at, r rules)
}

// checked is a type with rules about its fields together.
type checked interface {
	check(d *decoder, a at)
}

// value decodes one value into a field.
func (d *decoder) value(a at, out reflect.Value, r rules) {
	if custom, ok := out.Addr().Interface().(fromNode); ok {
		custom.fromNode(d, a, r)
		return
	}
	switch out.Type() {
	case reflect.TypeFor[json.RawMessage]():
		d.raw(a, out, r)
		return
	case reflect.TypeFor[gongu.Schema]():
		if d.expect(a, kindObject) {
			out.SetString(string(appendJSON(nil, a.node)))
		}
		return
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		d.value(a, out.Elem(), r)
	case reflect.Struct:
		d.structure(a, out)
	case reflect.Slice:
		d.list(a, out, r)
	case reflect.Map:
		d.table(a, out, r)
	default:
		d.scalar(a, out, r)
	}
}

// expect reports a value of the wrong type.
func (d *decoder) expect(a at, want string) bool {
	got := kindOf(a.node)
	if got == want || want == kindNumber && got == kindInteger {
		return true
	}
	d.error(a, CodeSchemaInvalid, lang.BundleType.With(want, got), typeHint(a.value(), want, got))
	return false
}

func typeHint(n *yaml.Node, want, got string) lang.Message {
	switch {
	case want == kindString && got != kindObject && got != kindArray && got != kindNull:
		return lang.BundleHintQuote.With(strconv.Quote(short(n.Value)))
	case want == kindBoolean:
		return lang.BundleHintBoolean.With()
	case want == kindArray && got != kindObject:
		return lang.BundleHintList.With()
	case want == kindObject:
		return lang.BundleHintObject.With()
	}
	return lang.BundleHintType.With(want)
}

func (d *decoder) structure(a at, out reflect.Value) { d.partial(a, out, "") }

// partial leaves it to the caller to miss one of the fields.
func (d *decoder) partial(a at, out reflect.Value, excused string) {
	if !d.expect(a, kindObject) {
		return
	}
	fields := fieldsOf(out.Type())
	n := a.value()
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := deref(n.Content[i]).Value
		if !slices.ContainsFunc(fields, func(f fieldInfo) bool { return f.name == name }) {
			d.unknownField(a.key(name, n.Content[i]), name, fields)
		}
	}
	for _, f := range fields {
		child := field(n, f.name)
		switch {
		case child != nil:
			d.value(a.key(f.name, child), out.Field(f.index), f.rules)
		case f.rules.required && f.name != excused:
			d.error(a.key(f.name, a.node), CodeSchemaInvalid, lang.BundleRequired.With(f.name), lang.BundleHintRequired.With(f.name))
		}
	}
	if c, ok := out.Addr().Interface().(checked); ok {
		c.check(d, a)
	}
}

// notBoth refuses an object that has both fields.
func (d *decoder) notBoth(a at, one, other string) bool {
	if field(a.node, one) == nil || field(a.node, other) == nil {
		return true
	}
	d.error(a, CodeSchemaInvalid, lang.BundleBoth.With(one, other), lang.BundleHintOneField.With(one, other))
	return false
}

// exactlyOne refuses an object that has both fields or none of them.
func (d *decoder) exactlyOne(a at, one, other string, hint lang.Text) bool {
	if field(a.node, one) == nil && field(a.node, other) == nil {
		d.error(a, CodeSchemaInvalid, lang.BundleNeither.With(one, other), hint.With())
		return false
	}
	return d.notBoth(a, one, other)
}

func (d *decoder) unknownField(a at, name string, fields []fieldInfo) {
	if d.full() {
		d.more++ // not worth looking for near names
		return
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	d.error(a, CodeSchemaInvalid, lang.BundleUnknownField.With(short(name)), choose(name, names))
}

// choose suggests the near names, or lists all when none is near.
func choose(name string, names []string) lang.Message {
	if found := near.Names(name, slices.Values(names), 3); len(found) > 0 {
		return lang.BundleHintNear.With(strings.Join(found, ", "))
	}
	if len(names) > maxListed {
		names = append(slices.Clone(names[:maxListed]), "…")
	}
	return lang.BundleHintOneOf.With(strings.Join(names, ", "))
}

// maxListed is how many names a suggestion lists when none is near.
const maxListed = 20

func (d *decoder) list(a at, out reflect.Value, r rules) {
	if !d.expect(a, kindArray) {
		return
	}
	n := a.value()
	if r.min != nil && len(n.Content) < *r.min {
		d.error(a, CodeSchemaInvalid, lang.BundleMinItems.With(*r.min), lang.BundleHintMinItems.With())
	}
	item := r
	item.min = nil
	out.Set(reflect.MakeSlice(out.Type(), len(n.Content), len(n.Content)))
	for i, child := range n.Content {
		d.value(a.index(i, child), out.Index(i), item)
	}
	if r.unique != "" {
		d.unique(a, r.unique)
	}
}

// unique reports items of a list that have the same value in a field.
func (d *decoder) unique(a at, name string) {
	seen := map[string]bool{}
	for i, child := range a.value().Content {
		n := deref(field(child, name))
		if n == nil || n.Kind != yaml.ScalarNode {
			continue
		}
		if seen[n.Value] {
			d.error(a.index(i, child).find(name), CodeSchemaInvalid, lang.BundleNotUnique.With(name, short(n.Value)), lang.BundleHintUnique.With(name))
		}
		seen[n.Value] = true
	}
}

func (d *decoder) table(a at, out reflect.Value, r rules) {
	if !d.expect(a, kindObject) {
		return
	}
	n := a.value()
	item := r
	item.min, item.required = nil, false
	out.Set(reflect.MakeMapWithSize(out.Type(), len(n.Content)/2))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := deref(n.Content[i]).Value
		v := reflect.New(out.Type().Elem()).Elem()
		d.value(a.key(key, n.Content[i+1]), v, item)
		out.SetMapIndex(reflect.ValueOf(key), v)
	}
}

func (d *decoder) raw(a at, out reflect.Value, r rules) {
	if r.object && !d.expect(a, kindObject) {
		return
	}
	out.SetBytes(appendJSON(nil, a.node))
	if r.refs {
		d.innerRefs(a)
	}
}

func (d *decoder) scalar(a at, out reflect.Value, r rules) {
	switch out.Kind() {
	case reflect.String:
		if d.expect(a, kindString) {
			out.SetString(a.value().Value)
			d.checkText(a, a.value().Value, r)
		}
	case reflect.Bool:
		if d.expect(a, kindBoolean) {
			out.SetBool(strings.EqualFold(a.value().Value, "true"))
		}
	case reflect.Int:
		if d.expect(a, kindInteger) {
			out.SetInt(d.integer(a, r))
		}
	}
}

// integer reads a whole number that every system can hold.
func (d *decoder) integer(a at, r rules) int64 {
	n, err := strconv.ParseInt(jsonNumber(a.value().Value), 10, 64)
	switch {
	case err != nil || n > math.MaxInt32 || n < math.MinInt32:
		d.error(a, CodeSchemaInvalid, lang.BundleRange.With(short(a.value().Value)), lang.BundleHintSmaller.With(math.MaxInt32))
		return 0
	case r.min != nil && n < int64(*r.min):
		d.error(a, CodeSchemaInvalid, lang.BundleMinimum.With(n, *r.min), lang.BundleHintAtLeast.With(*r.min))
	}
	return n
}

func (d *decoder) checkText(a at, text string, r rules) {
	switch {
	case r.required && strings.TrimSpace(text) == "":
		d.error(a, CodeSchemaInvalid, lang.BundleEmpty.With(), lang.BundleHintGive.With())
	case r.nonempty && strings.TrimSpace(text) == "":
		d.error(a, CodeSchemaInvalid, lang.BundleEmpty.With(), lang.BundleHintEmpty.With())
	case len(r.enum) > 0 && !slices.Contains(r.enum, text):
		d.error(a, CodeSchemaInvalid, lang.BundleEnum.With(short(text)), lang.BundleHintOneOf.With(strings.Join(r.enum, ", ")))
	case r.url && !isURL(text):
		d.error(a, CodeSchemaInvalid, lang.BundleURL.With(short(text)), lang.BundleHintURL.With())
	case r.glob:
		if _, err := path.Match(text, ""); err != nil {
			d.error(a, CodeSchemaInvalid, lang.BundleGlob.With(short(text)), lang.BundleHintGlob.With())
		}
	}
}

// isURL accepts web addresses; what comes from a secret is known only later.
func isURL(text string) bool {
	if strings.Contains(text, "${") {
		return true
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
