package main

import (
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
	"github.com/gongu-ai/gongu/internal/schema"
)

// measureOther is what happens beside the calls.
func measureOther(p plan) (section, error) {
	near, err := nearSubjects(p.largest())
	if err != nil {
		return section{}, err
	}
	found, err := p.slow.measure(near)
	if err != nil {
		return section{}, err
	}
	compiled, err := p.calls.measure(schemaSubjects())
	if err != nil {
		return section{}, err
	}
	declared, err := p.calls.measure(declareSubjects())
	if err != nil {
		return section{}, err
	}
	return section{
		title: "Beside the calls",
		text:  "Near names are looked for only when a call names a tool that is not there. A schema is compiled once for all tools that share it. A declaration is what a model is shown of a tool, in the form its provider takes.",
		tables: []table{
			{title: "Near names: `Catalog.Near`", rows: found},
			{title: fmt.Sprintf("A schema of %d bytes", len(noteSchema)), relation: "the first row", rows: compiled},
			{title: "Declaring a tool with a schema of 500 bytes: `dialect.Declare`", relation: "`mcp`", rows: declared},
		},
	}, nil
}

func nearSubjects(size int) ([]subject, error) {
	registry, err := makeRegistry(size)
	if err != nil {
		return nil, err
	}
	catalog := gongu.Everything(registry)
	var subjects []subject
	for _, q := range []struct {
		what, name string
		some       bool
	}{
		{"a slip of the finger", "service0__craete_invoice_12", true},
		{"the resource left out", "update_customer_23", true},
		{"nothing like it", "qqqqqqqqqqqqqqqq", false},
	} {
		subjects = append(subjects, subject{name: at(q.what, size), run: func(n int) error {
			for range n {
				if got := catalog.Near(q.name); (len(got) > 0) != q.some {
					return fmt.Errorf("near names of %s: %q", q.name, got)
				}
			}
			return nil
		}})
	}
	return subjects, nil
}

func schemaSubjects() []subject {
	raw := []byte(noteSchema)
	compile := func(with func([]byte, *schema.Options) (*schema.Checker, error)) func(int) error {
		return func(n int) error {
			for range n {
				if _, err := with(raw, nil); err != nil {
					return err
				}
			}
			return nil
		}
	}
	const lazy = "bounded and checked, as in a batch"
	return []subject{
		{name: lazy, against: lazy, run: compile(schema.Lazy)},
		{name: "compiled in full", against: lazy, run: compile(schema.Compile)},
	}
}

// declareSubjects declares one tool in each dialect.
func declareSubjects() []subject {
	tool := makeTool(0)
	var subjects []subject
	for _, d := range dialect.All() {
		subjects = append(subjects, subject{name: string(d), against: string(dialect.MCP), run: func(n int) error {
			for range n {
				if _, err := dialect.Declare(d, tool, nil); err != nil {
					return err
				}
			}
			return nil
		}})
	}
	return subjects
}
