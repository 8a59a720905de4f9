package connect

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu/bundle"
)

// document is a resource as text.
func document(c *candidate) (string, error) {
	var spec any = c.spec
	if c.kind == kindCommand {
		spec = commandSpec{c.discover, c.call, c.live.Cwd}
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(struct {
		APIVersion string            `yaml:"apiVersion"`
		Kind       string            `yaml:"kind"`
		Metadata   map[string]string `yaml:"metadata"`
		Spec       any               `yaml:"spec"`
	}{bundle.APIVersion, c.kind, map[string]string{"name": c.name}, spec})
	return b.String(), errors.Join(err, enc.Close())
}

// appendDocument adds a document and touches nothing before it.
func appendDocument(text []byte, doc string) []byte {
	line := newlineOf(text)
	doc = strings.ReplaceAll(doc, "\n", line)
	if blank(text) {
		return append(bytes.Clone(text), doc...)
	}
	out := bytes.Clone(text)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, line...)
	}
	if last := lastLine(out); last != "---" {
		out = append(out, "---"+line...)
	}
	return append(out, doc...)
}

// lastLine is the last line with something on it.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// documentMark begins a document; inside of one it cannot be at the beginning
// of a line.
var documentMark = regexp.MustCompile(`(?m)^---(?:[ \t\r]|$)`)

// replaceDocument replaces a resource and keeps its comments, what the user
// added to it, and every other document.
func replaceDocument(text []byte, c *candidate) ([]byte, error) {
	starts := []int{0}
	for _, m := range documentMark.FindAllIndex(text, -1) {
		if end := bytes.IndexByte(text[m[0]:], '\n'); end >= 0 {
			starts = append(starts, m[0]+end+1)
		}
	}
	for i, start := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = start + lastMark(text[start:starts[i+1]])
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(text[start:end], &doc); err != nil || !isResource(&doc, c) {
			continue
		}
		fresh, err := rewrite(&doc, c)
		if err != nil {
			return nil, err
		}
		return slices.Concat(text[:start], []byte(strings.ReplaceAll(fresh, "\n", newlineOf(text))), text[end:]), nil
	}
	return nil, errors.New("its document was not found")
}

// lastMark is where the mark of the next document begins.
func lastMark(chunk []byte) int {
	marks := documentMark.FindAllIndex(chunk, -1)
	if len(marks) == 0 {
		return len(chunk)
	}
	return marks[len(marks)-1][0]
}

func isResource(doc *yaml.Node, c *candidate) bool {
	var head struct {
		Kind     string `yaml:"kind"`
		Metadata struct {
			Name string `yaml:"name"`
		} `yaml:"metadata"`
	}
	return doc.Decode(&head) == nil && head.Kind == c.kind && head.Metadata.Name == c.name
}

// rewrite sets the fields of the spec that say how to reach the server.
func rewrite(doc *yaml.Node, c *candidate) (string, error) {
	var fresh yaml.Node
	var spec any = c.spec
	launch := []string{"type", "command", "args", "env", "cwd", "url", "headers"}
	if c.kind == kindCommand {
		spec, launch = commandSpec{c.discover, c.call, c.live.Cwd}, []string{"discover", "call", "cwd"}
	}
	if err := fresh.Encode(spec); err != nil {
		return "", err
	}
	old := mappingValue(doc.Content[0], "spec")
	if old == nil || old.Kind != yaml.MappingNode {
		return "", errors.New("its spec is not written out")
	}
	kept := fresh.Content
	for i := 0; i+1 < len(old.Content); i += 2 {
		name := old.Content[i].Value
		if !slices.Contains(launch, name) && mappingValue(&fresh, name) == nil {
			kept = append(kept, old.Content[i], old.Content[i+1])
		}
	}
	old.Content, old.Style = kept, 0
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(doc)
	return b.String(), errors.Join(err, enc.Close())
}

func mappingValue(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}
