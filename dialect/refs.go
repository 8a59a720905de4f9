package dialect

import (
	"net/url"
	"strconv"
	"strings"
)

// document finds the targets of references inside one schema. Nothing outside
// of it is ever looked up.
type document struct {
	root    *node
	anchors map[string]*node
}

// referenceKeywords are the keywords that refer to another schema.
var referenceKeywords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// reference returns the target that a schema names. named tells whether it
// names one at all; the target is nil when it is not in the document.
func (d *document) reference(schema *node) (target *node, named bool) {
	for _, keyword := range referenceKeywords {
		if ref := schema.get(keyword); ref.isString() {
			return d.resolve(ref.text), true
		}
	}
	return nil, false
}

func (d *document) resolve(ref string) *node {
	base, fragment, _ := strings.Cut(ref, "#")
	if base != "" {
		id := d.root.get("$id")
		if !id.isString() || strings.TrimSuffix(id.text, "#") != base {
			return nil
		}
	}
	fragment, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		return nil
	case fragment == "":
		return d.root
	case fragment[0] != '/':
		return d.anchor(fragment)
	}
	return d.follow(fragment)
}

// follow walks a JSON pointer.
func (d *document) follow(pointer string) *node {
	n := d.root
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = pointerUnescape.Replace(token)
		switch n.kind {
		case '{':
			n = n.get(token)
		case '[':
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
		default:
			return nil
		}
		if n == nil {
			return nil
		}
	}
	return n
}

func (d *document) anchor(name string) *node {
	if d.anchors == nil {
		d.anchors = map[string]*node{}
		d.findAnchors(d.root)
	}
	return d.anchors[name]
}

func (d *document) findAnchors(n *node) {
	for _, keyword := range []string{"$anchor", "$dynamicAnchor", "$id"} {
		name := n.get(keyword)
		if !name.isString() {
			continue
		}
		text, isFragment := strings.CutPrefix(name.text, "#")
		if _, taken := d.anchors[text]; !taken && (keyword != "$id" || isFragment) {
			d.anchors[text] = n
		}
	}
	for _, m := range n.members {
		d.findAnchors(m.value)
	}
	for _, item := range n.items {
		d.findAnchors(item)
	}
}

// trail is the list of references that were followed to reach a place.
type trail struct {
	target *node
	up     *trail
}

// count says how often a target was entered on the way.
func (t *trail) count(target *node) int {
	n := 0
	for ; t != nil; t = t.up {
		if t.target == target {
			n++
		}
	}
	return n
}
