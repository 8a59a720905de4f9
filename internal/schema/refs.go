package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// maxOddTargets bounds the references that point at places where no schema is
// expected. Each makes the compiler read its notes about the document again.
const maxOddTargets = 50

// resolver finds out what the references of one document point to.
type resolver struct {
	legacy   bool // draft-07: neighbours of $ref are ignored
	opts     *Options
	root     *docNode
	schemas  []*docNode // in the order they were met
	base     map[*docNode]string
	pointer  map[*docNode]string
	ids      map[string]*docNode // schema resources by URL
	anchors  map[string]*docNode // by URL#name
	targets  map[*docNode][]*docNode
	oddCount int
}

// checkReferences refuses references to the outside, cycles, and combinations
// without end, before anything is compiled.
func checkReferences(source string, d dialect, opts *Options) error {
	b := []byte(source)
	root, _ := parseDocument(b, rawjson.Space(b, 0))
	r := &resolver{
		legacy: d == dialect07, opts: opts, root: root,
		base: map[*docNode]string{}, pointer: map[*docNode]string{},
		ids: map[string]*docNode{rootURL: root}, anchors: map[string]*docNode{},
		targets: map[*docNode][]*docNode{},
	}
	if err := r.collect(root, rootURL, ""); err != nil {
		return err
	}
	for i := 0; i < len(r.schemas); i++ { // grows while odd targets turn up
		if err := r.resolveAll(r.schemas[i]); err != nil {
			return err.below(splitRaw(r.pointer[r.schemas[i]])...)
		}
	}
	counter := pathCounter[*docNode]{next: r.sameValue, count: map[*docNode]int{}}
	for _, n := range r.schemas {
		if _, err := counter.paths(n); err != nil {
			return err.below(splitRaw(r.pointer[n])...)
		}
	}
	return nil
}

// collect registers a schema and those in it.
func (r *resolver) collect(n *docNode, base, pointer string) *Problem {
	if _, seen := r.base[n]; seen || !n.isSchema() {
		return nil
	}
	if n.kind == '{' && !(r.legacy && n.member("$ref") != nil) {
		var err *Problem
		if base, err = r.identify(n, base); err != nil {
			return err.below(splitRaw(pointer)...)
		}
	}
	r.base[n], r.pointer[n] = base, pointer
	r.schemas = append(r.schemas, n)
	for i, name := range n.names {
		for _, sub := range subschemas(keywordForm(name), n.values[i]) {
			if err := r.collect(sub.node, base, pointer+"/"+escapePointer(name)+sub.pointer); err != nil {
				return err
			}
		}
	}
	return nil
}

// identify reads $id and the anchors of a schema and returns its base URL.
func (r *resolver) identify(n *docNode, base string) (string, *Problem) {
	if id := n.memberText("$id"); id != "" {
		location, fragment, err := join(base, id)
		if err != nil {
			return base, problem("is not a URL: " + err.Error()).below("$id")
		}
		if !strings.HasPrefix(id, "#") {
			base = location
			if other := r.ids[base]; other != nil && other != n {
				return base, problem("is the $id of another part of the schema already").below("$id")
			}
			r.ids[base] = n
		}
		if r.legacy && fragment != "" {
			r.anchors[base+"#"+fragment] = n
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name := n.memberText(keyword); name != "" {
			r.anchors[base+"#"+name] = n
		}
	}
	return base, nil
}

// resolveAll resolves the references of one schema.
func (r *resolver) resolveAll(n *docNode) *Problem {
	for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		m := n.member(keyword)
		if m == nil || m.kind != '"' {
			continue
		}
		target, err := r.resolve(n, m.text)
		if err != nil {
			return err.below(keyword)
		}
		if target != nil {
			r.targets[n] = append(r.targets[n], target)
		}
		if r.legacy && keyword == "$ref" {
			break
		}
	}
	return nil
}

// resolve returns the target, or nil when it is in a document of the caller or
// a meta-schema: the compiled graph is checked for those.
func (r *resolver) resolve(n *docNode, ref string) (*docNode, *Problem) {
	location, fragment, err := join(r.base[n], ref)
	if err != nil {
		return nil, problem("is not a URL: " + err.Error())
	}
	resource := r.ids[location]
	if resource == nil {
		if _, ok := r.opts.Resources[location]; ok || isMetaSchema(location) {
			return nil, nil
		}
		return nil, problem(fmt.Sprintf("refers to %.200q outside of the schema, and nothing is fetched: put the definition into $defs and refer to it with \"#/$defs/name\"", ref))
	}
	target := resource
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		target = r.anchors[location+"#"+fragment]
	} else {
		for _, token := range splitRaw(fragment) {
			if target = target.child(token); target == nil {
				break
			}
		}
	}
	if target == nil || !target.isSchema() {
		return nil, problem(fmt.Sprintf("refers to %.200q, where the schema has no subschema", ref))
	}
	return target, r.visitOdd(target, location, r.pointer[resource]+fragment)
}

// visitOdd registers a target that no keyword of ours leads to.
func (r *resolver) visitOdd(target *docNode, base, pointer string) *Problem {
	if _, seen := r.base[target]; seen {
		return nil
	}
	if r.oddCount++; r.oddCount > maxOddTargets {
		return problem("has too many references to places outside of $defs: move the definitions there")
	}
	return r.collect(target, base, pointer)
}

// sameValue lists the subschemas that are applied to the same value.
func (r *resolver) sameValue(n *docNode) []*docNode {
	list := slices.Clone(r.targets[n])
	if r.legacy && n.member("$ref") != nil {
		return list
	}
	for i, name := range n.names {
		switch name {
		case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
			for _, sub := range subschemas(keywordForm(name), n.values[i]) {
				list = append(list, sub.node)
			}
		}
	}
	return list
}

// located is a subschema and its pointer below the keyword.
type located struct {
	node    *docNode
	pointer string
}

// subschemas lists the schemas that the value of a keyword holds.
func subschemas(f form, value *docNode) []located {
	switch f {
	case formSchema, formAdditional, formItems:
		if value.kind != '[' {
			return []located{{node: value}}
		}
	case formSchemaList, formSchemaMap, formPatternMap, formProperties, formDependencies:
	default:
		return nil
	}
	list := make([]located, 0, len(value.values))
	for i, sub := range value.values {
		token := strconv.Itoa(i)
		if value.kind == '{' {
			token = escapePointer(value.names[i])
		}
		if sub.isSchema() {
			list = append(list, located{sub, "/" + token})
		}
	}
	return list
}

// join resolves a reference against a base URL and splits the fragment off.
func join(base, ref string) (location, fragment string, err error) {
	ref, fragment, _ = strings.Cut(ref, "#")
	if fragment, err = url.PathUnescape(fragment); err != nil {
		return "", "", err
	}
	if ref == "" {
		return base, fragment, nil
	}
	from, err := url.Parse(base)
	if err != nil {
		return "", "", err
	}
	to, err := url.Parse(ref)
	if err != nil {
		return "", "", err
	}
	resolved := from.ResolveReference(to)
	if !to.IsAbs() && from.Opaque != "" {
		resolved.Opaque = from.Opaque
	}
	return resolved.String(), fragment, nil
}

// isMetaSchema reports whether the compiler has the document built in.
func isMetaSchema(location string) bool {
	bare := strings.TrimPrefix(strings.TrimPrefix(location, "http://"), "https://")
	return bare == "json-schema.org/draft-07/schema" ||
		strings.HasPrefix(bare, "json-schema.org/draft/2019-09/") ||
		strings.HasPrefix(bare, "json-schema.org/draft/2020-12/")
}

// splitRaw returns the tokens of a plain JSON pointer.
func splitRaw(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range tokens {
		tokens[i] = unescapePointer(token)
	}
	return tokens
}
