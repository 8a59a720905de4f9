package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu/internal/lang"
)

const (
	maxFileBytes = 1 << 20
	maxDocuments = 100
	// maxDepth is how deep values may nest, aliases followed. Everything
	// behind the parser may recurse.
	maxDepth = 100
	// maxWeight bounds a document with its aliases written out, in bytes. It
	// is far above what a file of 1 MiB weighs without aliases.
	maxWeight = 16 << 20
	// nodeWeight is what a value costs besides its text.
	nodeWeight = 8
)

// yamlLine finds the line in an error of the library, its only position.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(?s:(.*))$`)

// parse reads the documents of a file, as far as the syntax allows. The flag
// is false when something could not be read, so that a missing resource is no
// proof of anything.
func parse(r *reporter, file string, src []byte, owner *pkg) (docs []at, whole bool) {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	for index := 0; ; index++ {
		var root yaml.Node
		err := decodeNode(dec, &root)
		if errors.Is(err, io.EOF) {
			return docs, true
		}
		if err != nil {
			line, text := splitYAMLError(err)
			r.error(atLine(file, line), CodeParseError, lang.BundleSyntax.With(short(text)), syntaxHint(src, text))
			return docs, false
		}
		if index == maxDocuments {
			r.error(atLine(file, root.Line), CodeTooManyDocuments,
				lang.BundleTooManyDocuments.With(maxDocuments), lang.BundleSplitFile.With())
			return docs, false
		}
		if root.Kind != yaml.DocumentNode || len(root.Content) == 0 {
			continue
		}
		doc := &document{file: file, index: index, pkg: owner}
		docs = append(docs, doc.at(root.Content[0]))
	}
}

// decodeNode keeps a fault of the library inside: a bundle may come from
// anywhere.
func decodeNode(dec *yaml.Decoder, out *yaml.Node) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("yaml: %v", thrown)
		}
	}()
	return dec.Decode(out)
}

func splitYAMLError(err error) (line int, text string) {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return 1, err.Error()
	}
	line, convErr := strconv.Atoi(m[1])
	if convErr != nil || line < 1 {
		line = 1
	}
	return line, m[2]
}

// syntaxHint returns a suggestion for the three commonest syntax errors.
func syntaxHint(src []byte, text string) lang.Message {
	switch {
	case strings.Contains(text, "tab") || strings.Contains(text, "cannot start any token") && bytes.ContainsRune(src, '\t'):
		return lang.BundleHintTabs.With()
	case strings.Contains(text, "mapping values are not allowed"):
		return lang.BundleHintColon.With()
	case strings.Contains(text, "unknown anchor"):
		return lang.BundleHintAnchor.With()
	}
	return lang.BundleHintSyntax.With()
}

// tree checks what the parser leaves open: duplicate and odd keys, tags, and
// how much a document weighs once its aliases are followed.
type tree struct {
	*reporter
	anchors map[*yaml.Node]cost
	ok      bool
}

// cost is what writing out a value would take.
type cost struct{ weight, height int }

// sound reports whether a document may be walked with its aliases followed.
func sound(r *reporter, doc at) bool {
	t := &tree{reporter: r, anchors: map[*yaml.Node]cost{}, ok: true}
	total := t.visit(doc, 1)
	if t.ok && total.weight > maxWeight {
		t.refuse(doc, lang.BundleTooHeavy.With(maxWeight), lang.BundleHintAliases.With())
	}
	return t.ok
}

func (t *tree) refuse(a at, message, suggestion lang.Message) {
	t.ok = false
	t.error(a, CodeParseError, message, suggestion)
}

func (t *tree) visit(a at, depth int) cost {
	n := a.node
	if n.Kind == yaml.AliasNode {
		return t.alias(a, depth)
	}
	if depth > maxDepth {
		if t.ok {
			t.refuse(a, lang.BundleTooDeep.With(maxDepth), lang.BundleHintFlatten.With())
		}
		return cost{}
	}
	c := cost{weight: nodeWeight + len(n.Value), height: 1}
	add := func(child cost) {
		c.weight = min(c.weight+child.weight, maxWeight+1)
		c.height = max(c.height, child.height+1)
	}
	t.checkTag(a)
	switch n.Kind {
	case yaml.MappingNode:
		t.checkKeys(a)
		for i := 0; i+1 < len(n.Content); i += 2 {
			add(cost{weight: nodeWeight + len(deref(n.Content[i]).Value)})
			add(t.visit(a.key(deref(n.Content[i]).Value, n.Content[i+1]), depth+1))
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			add(t.visit(a.index(i, item), depth+1))
		}
	}
	if n.Anchor != "" {
		t.anchors[n] = c
	}
	return c
}

func (t *tree) alias(a at, depth int) cost {
	c, done := t.anchors[a.node.Alias]
	switch {
	case !done:
		// Only an anchor that is still open has no cost yet.
		t.refuse(a, lang.BundleAliasCycle.With(short(a.node.Value)), lang.BundleHintAliases.With())
	case depth+c.height > maxDepth && t.ok:
		t.refuse(a, lang.BundleTooDeep.With(maxDepth), lang.BundleHintFlatten.With())
	}
	return c
}

func (t *tree) checkKeys(a at) {
	n := a.node
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := deref(n.Content[i])
		here := a
		here.node = n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			t.refuse(here, lang.BundleKeyKind.With(kindOf(key)), lang.BundleHintKey.With())
		case key.Value == "<<" && !quoted(key):
			t.refuse(here, lang.BundleMergeKey.With(), lang.BundleHintMerge.With())
		case seen[key.Value]:
			t.refuse(a.key(key.Value, n.Content[i]), lang.BundleDuplicateKey.With(short(key.Value)), lang.BundleHintDuplicate.With())
		}
		seen[key.Value] = true
	}
}

// checkTag lets only the types of JSON through.
func (t *tree) checkTag(a at) {
	n := a.node
	if n.Kind == yaml.ScalarNode && !quoted(n) && n.Style&yaml.TaggedStyle == 0 {
		if coreSpecial.MatchString(n.Value) {
			t.refuse(a, lang.BundleNotJSON.With(n.Value), lang.BundleHintQuote.With(strconv.Quote(n.Value)))
		}
		return
	}
	if n.Style&yaml.TaggedStyle == 0 {
		return
	}
	kind := kindOf(n)
	good := false
	switch n.ShortTag() {
	case "!!str":
		good = kind == kindString
	case "!!int":
		good = kind == kindInteger
	case "!!float":
		good = (kind == kindNumber || kind == kindInteger) && !coreSpecial.MatchString(n.Value)
	case "!!bool":
		good = kind == kindBoolean
	case "!!null":
		good = kind == kindNull
	case "!!map":
		good = kind == kindObject
	case "!!seq":
		good = kind == kindArray
	}
	if !good {
		t.refuse(a, lang.BundleTag.With(short(n.Tag)), lang.BundleHintTag.With())
	}
}
