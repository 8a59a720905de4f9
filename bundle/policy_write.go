package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu/policy"
)

// ruleNode returns a rule as it is written in a file.
func ruleNode(r *policy.Rule) (*yaml.Node, error) {
	if r.Name == "" {
		return nil, errors.New("a rule that is added needs a name")
	}
	n := &yaml.Node{Kind: yaml.MappingNode}
	putField(n, "name", textNode(r.Name))
	match := &yaml.Node{Kind: yaml.MappingNode}
	m := &r.Match
	for _, f := range []struct {
		name  string
		globs []string
	}{{"tools", m.Tools}, {"domains", m.Domains}, {"sources", m.Sources}, {"agents", m.Agents}, {"principals", m.Principals}} {
		putField(match, f.name, listNode(f.globs))
	}
	hints := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, f := range []struct {
		name string
		hint *bool
	}{{"readOnly", m.Hints.ReadOnly}, {"destructive", m.Hints.Destructive}, {"idempotent", m.Hints.Idempotent}, {"openWorld", m.Hints.OpenWorld}} {
		if f.hint != nil {
			putField(hints, f.name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(*f.hint)})
		}
	}
	putField(match, "hints", hints)
	putField(n, "match", match)
	if r.When != "" {
		putField(n, "when", textNode(r.When))
	}
	putField(n, "effect", textNode(string(r.Effect)))
	if r.Message != "" {
		putField(n, "message", textNode(r.Message))
	}
	putField(n, "approvers", listNode(r.Approvers))
	putField(n, "limits", limitsNode(&r.Limits))
	return n, nil
}

func limitsNode(l *policy.Limits) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	number := func(i int) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(i)} }
	if l.Rate.Calls > 0 {
		putField(n, "rate", textNode(fmt.Sprintf("%d/%s", l.Rate.Calls, l.Rate.In)))
	}
	if l.Concurrent > 0 {
		putField(n, "concurrent", number(l.Concurrent))
	}
	if l.Timeout > 0 {
		putField(n, "timeout", textNode(l.Timeout.String()))
	}
	if l.Output > 0 {
		putField(n, "output", number(l.Output))
	}
	return n
}

// putField adds a field, unless it is an empty list or object.
func putField(n *yaml.Node, name string, value *yaml.Node) {
	if value.Kind != yaml.ScalarNode && len(value.Content) == 0 {
		return
	}
	n.Content = append(n.Content, textNode(name), value)
}

func textNode(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	return n
}

func listNode(texts []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, text := range texts {
		n.Content = append(n.Content, textNode(text))
	}
	return n
}

func encodeNode(n *yaml.Node) (string, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(n)
	return b.String(), errors.Join(err, enc.Close())
}
