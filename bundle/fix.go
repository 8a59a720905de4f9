package bundle

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// AddAPIVersion writes the apiVersion into the resources of a file that lack
// one, and changes nothing else. It reports whether it changed anything; a
// file that is not valid YAML is left alone.
func AddAPIVersion(src []byte) ([]byte, bool) {
	if len(src) > maxFileBytes {
		return src, false
	}
	r := &reporter{}
	docs, whole := parse(r, "", src, nil)
	if !whole {
		return src, false
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	changed := false
	// From the end, so that the lines before keep their numbers.
	for _, doc := range slices.Backward(docs) {
		n := doc.value()
		if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
			continue
		}
		first := n.Content[0]
		if field(n, "kind") == nil || hasKey(n, "apiVersion") || first.Line < 1 || first.Line > len(lines) {
			continue
		}
		line := strings.Repeat(" ", first.Column-1) + "apiVersion: " + APIVersion + "\n"
		lines = slices.Insert(lines, first.Line-1, []byte(line))
		changed = true
	}
	return bytes.Join(lines, nil), changed
}

// hasKey also finds a field without a value.
func hasKey(n *yaml.Node, name string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if deref(n.Content[i]).Value == name {
			return true
		}
	}
	return false
}
