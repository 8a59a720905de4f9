package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
)

// hostileGate is how long a refusal may take.
const hostileGate = 100 * time.Millisecond

// hostileSchema is a schema that has to be refused.
type hostileSchema struct{ name, schema, says string }

// hostileSchemas have the root type that every tool must have, so that the
// schema itself is what gets them refused.
func hostileSchemas() []hostileSchema {
	return []hostileSchema{
		{"`$ref` to itself", `{"type":"object","$ref":"#"}`, "refers back to itself"},
		{"mutual `$ref`", `{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "refers back to itself"},
		{"2^25 `anyOf` through `$defs`", doublings(25), "ways"},
		{"`allOf` 3,000 deep", `{"type":"object","allOf":[` + strings.Repeat(`{"allOf":[`, 3_000) + `true` + strings.Repeat(`]}`, 3_000) + `]}`, "nests more than"},
		{"remote `$ref`", `{"type":"object","$ref":"http://example.com/schema.json"}`, "nothing is fetched"},
		{"10 MB schema", `{"type":"object","description":"` + strings.Repeat("x", 10<<20) + `"}`, "limit"},
		{"broken regular expression", `{"type":"object","properties":{"a":{"type":"string","pattern":"(("}}}`, "pattern"},
	}
}

// doublings is a chain of definitions that each refer to the next twice.
func doublings(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

// measureHostile is the time until hostile schemas and arguments are refused.
func measureHostile(ctx context.Context, p plan) (section, error) {
	var subjects []subject
	for _, h := range hostileSchemas() {
		subjects = append(subjects, h.subject())
	}
	for _, depth := range []int{20, 9_000} {
		s, err := deepArguments(ctx, depth)
		if err != nil {
			return section{}, err
		}
		subjects = append(subjects, s)
	}
	results, err := p.slow.measure(subjects)
	if err != nil {
		return section{}, err
	}
	s := section{
		title: "Refusing what is hostile",
		text: "Schemas are refused by `Registry.Add`; each has the root type `object`, so that it is the schema and not a missing type that gets it refused. " +
			"The last rows are arguments for a schema that is fine by itself, `{\"type\":\"object\",\"properties\":{\"b\":{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}}}`, refused by `Executor.Call`. " +
			"Other validators were seen to end the process, to fetch the address, or to run for more than 5 s on some of these.",
		tables: []table{{rows: results}},
	}
	for _, m := range results {
		s.gates = append(s.gates, atMost("refusing: "+m.name, m.time.median, float64(hostileGate), duration))
	}
	return s, nil
}

func (h hostileSchema) subject() subject {
	tool := makeTool(0)
	tool.Parameters = gongu.Schema(h.schema)
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	return subject{name: h.name, run: func(n int) error {
		for range n {
			err := registry.Add(tool)
			if err == nil || !strings.Contains(err.Error(), h.says) {
				return fmt.Errorf("want a refusal with %q, got: %.300v", h.says, err)
			}
		}
		return nil
	}}
}

// deepArguments are small arguments that make a validator branch without end.
func deepArguments(ctx context.Context, depth int) (subject, error) {
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	tool := gongu.Tool{
		Name:       "hostile",
		Parameters: `{"type":"object","properties":{"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`,
		Invoke:     func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) },
	}
	if err := registry.Add(tool); err != nil {
		return subject{}, err
	}
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	args := []byte(strings.Repeat(`{"b":`, depth) + "1" + strings.Repeat(`}`, depth))
	return subject{name: fmt.Sprintf("doubling arguments, %s deep", count(depth)), run: func(n int) error {
		for range n {
			result := executor.Call(ctx, gongu.Call{ID: "call_1", Name: tool.Name, Args: args})
			if result.Error == nil || result.Error.Code != gongu.CodeInvalidArgs {
				return errors.New("the arguments were not refused")
			}
		}
		return nil
	}}, nil
}
