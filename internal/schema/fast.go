package schema

import (
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// verdict is the answer of the fast path.
type verdict uint8

const (
	// fastUndecided leaves the answer to the full validator.
	fastUndecided verdict = iota
	fastInvalid
	fastValid
)

// typeSet is a set of JSON types; empty means any.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
)

// fastNode is a schema of the plain kind, ready to be walked beside the bytes.
type fastNode struct {
	types    typeSet
	never    bool // the schema false
	closed   bool // additionalProperties is false
	required int  // how many of props are required
	props    []fastProperty
	index    map[string]int // positions in props, for many props
	extra    *fastNode      // additionalProperties is a schema
	items    *fastNode
	limits   *fastLimits
}

// isPlain reports whether the node checks nothing but the type.
func (n *fastNode) isPlain() bool {
	return n.limits == nil && n.props == nil && n.items == nil && n.extra == nil && !n.closed && !n.never
}

// plainNodes holds one node for each set of types. Most nodes of most tools are
// plain, and a hundred thousand tools share these. They are never written to.
var plainNodes = func() (nodes [1 << 7]fastNode) {
	for types := range nodes {
		nodes[types].types = typeSet(types)
	}
	return nodes
}()

// plainNode returns the shared node for a set of types.
func plainNode(types typeSet) *fastNode { return &plainNodes[types] }

// fastProperty is a name that the schema mentions. A name that is only in
// the required list has no node and is not declared.
type fastProperty struct {
	name     string
	node     *fastNode
	declared bool
	required bool
}

// fastLimits are the rarer constraints. A negative count means no limit.
type fastLimits struct {
	minLength, maxLength int
	minItems, maxItems   int
	minProps, maxProps   int
	pattern              *pattern
	numbers              []fastBound
	enum                 *fastEnum
}

// fastBound is one limit on a number.
type fastBound struct {
	keyword string
	value   decimal
}

// fastEnum is a set of scalars.
type fastEnum struct {
	texts  []string
	lookup map[string]struct{} // for many texts
	nums   []decimal
	null   bool
	yes    bool // true is allowed
	no     bool // false is allowed
	// repeated is set when null, true or false stood there twice.
	repeated bool
}

// manyNames is the size from which a map is faster than looking at each.
const manyNames = 12

// maxFastWork bounds what regular expressions may cost on the fast path.
const maxFastWork = 20_000

// walk is the state of one verdict.
type walk struct {
	b         []byte
	undecided bool
	work      int
}

// verdict walks the arguments. It allocates only for escapes in names and
// strings.
func (n *fastNode) verdict(args []byte) verdict {
	w := walk{b: args}
	_, ok := n.check(&w, rawjson.Space(args, 0))
	switch {
	case w.undecided:
		return fastUndecided
	case ok:
		return fastValid
	}
	return fastInvalid
}

// check looks at the value that starts at i and returns its end. The end means
// nothing when ok is false.
func (n *fastNode) check(w *walk, i int) (end int, ok bool) {
	if n.never || i >= len(w.b) {
		return i, false
	}
	switch c := w.b[i]; c {
	case '{':
		return n.object(w, i)
	case '[':
		return n.array(w, i)
	case '"':
		return n.text(w, i)
	case 't', 'f':
		return rawjson.Skip(w.b, i), n.allows(typeBoolean) && (n.enum() == nil || n.limits.enum.hasBool(c == 't'))
	case 'n':
		return rawjson.Skip(w.b, i), n.allows(typeNull) && (n.enum() == nil || n.limits.enum.null)
	default:
		end := numberEnd(w.b, i)
		return end, n.number(w, w.b[i:end])
	}
}

func (n *fastNode) allows(t typeSet) bool { return n.types == 0 || n.types&t != 0 }

func (n *fastNode) enum() *fastEnum {
	if n.limits == nil {
		return nil
	}
	return n.limits.enum
}

func (n *fastNode) object(w *walk, i int) (int, bool) {
	if !n.allows(typeObject) || n.enum() != nil {
		return i, false // a fast enum holds scalars only
	}
	count, required := 0, 0
	i, more := memberNext(w.b, i+1)
	for more {
		end, value, escaped := keyEnd(w.b, i)
		p := n.property(w.b[i:end], escaped)
		var ok bool
		if i, ok = n.member(w, p, value); !ok {
			return i, false
		}
		if p != nil && p.required {
			required++ // names are unique, so counting is enough
		}
		count++
		i, more = memberNext(w.b, i)
	}
	return i, required == n.required && (n.limits == nil || within(count, n.limits.minProps, n.limits.maxProps))
}

// member checks the value of a property.
func (n *fastNode) member(w *walk, p *fastProperty, i int) (int, bool) {
	switch {
	case p != nil && p.declared:
		return p.node.check(w, i)
	case n.closed:
		return i, false
	case n.extra != nil:
		return n.extra.check(w, i)
	}
	return rawjson.Skip(w.b, i), true
}

// property finds a property by the literal of its name.
func (n *fastNode) property(lit []byte, escaped bool) *fastProperty {
	name := lit[1 : len(lit)-1]
	if escaped {
		name = unquote(lit)
	}
	return find(n, name)
}

// find returns the property of a name, or nil.
func find[T string | []byte](n *fastNode, name T) *fastProperty {
	if n.index != nil {
		if k, ok := n.index[string(name)]; ok { // the compiler makes no string here
			return &n.props[k]
		}
		return nil
	}
	for k := range n.props {
		if n.props[k].name == string(name) {
			return &n.props[k]
		}
	}
	return nil
}

// add appends a property, and indexes the names once there are many.
func (n *fastNode) add(p fastProperty) {
	n.props = append(n.props, p)
	if n.index != nil {
		n.index[p.name] = len(n.props) - 1
	} else if len(n.props) > manyNames {
		n.index = make(map[string]int, 2*len(n.props))
		for k := range n.props {
			n.index[n.props[k].name] = k
		}
	}
}

func (n *fastNode) array(w *walk, i int) (int, bool) {
	if !n.allows(typeArray) || n.enum() != nil {
		return i, false
	}
	count := 0
	i, more := memberNext(w.b, i+1)
	for more {
		if n.items == nil {
			i = rawjson.Skip(w.b, i)
		} else {
			var ok bool
			if i, ok = n.items.check(w, i); !ok {
				return i, false
			}
		}
		count++
		i, more = memberNext(w.b, i)
	}
	return i, n.limits == nil || within(count, n.limits.minItems, n.limits.maxItems)
}

// within reports low <= n <= high, where a negative limit does not count.
func within(n, low, high int) bool {
	return n >= low && (high < 0 || n <= high)
}

func (n *fastNode) text(w *walk, i int) (int, bool) {
	end, escaped := rawjson.StringEnd(w.b, i)
	if !n.allows(typeString) {
		return end, false
	}
	l := n.limits
	if l == nil {
		return end, true
	}
	text := w.b[i+1 : end-1]
	if escaped {
		text = unquote(w.b[i:end])
	}
	if l.enum != nil && !l.enum.hasText(text) {
		return end, false
	}
	if (l.minLength > 0 || l.maxLength >= 0) && !within(utf8.RuneCount(text), l.minLength, l.maxLength) {
		return end, false
	}
	return end, l.pattern == nil || w.matches(l.pattern, text)
}

// matches runs a regular expression within the walk's budget.
func (w *walk) matches(p *pattern, text []byte) bool {
	if p.dropped() {
		return true
	}
	if w.work += p.cost(len(text)); w.work > maxFastWork {
		w.undecided = true
		return false
	}
	return p.re.Match(text)
}

func (e *fastEnum) hasBool(b bool) bool {
	if b {
		return e.yes
	}
	return e.no
}

func (e *fastEnum) hasText(text []byte) bool {
	if e.lookup != nil {
		_, ok := e.lookup[string(text)]
		return ok
	}
	for _, t := range e.texts {
		if t == string(text) {
			return true
		}
	}
	return false
}
