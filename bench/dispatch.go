package main

import (
	"context"
	"fmt"
)

// dispatchGate is how many times the floor a call may cost.
const dispatchGate = 2.0

// measureDispatch is one call of a Go tool, by each contestant.
func measureDispatch(ctx context.Context, p plan) (section, error) {
	all, err := contestants(ctx)
	if err != nil {
		return section{}, err
	}
	defer closeAll(all)
	work, err := loads()
	if err != nil {
		return section{}, err
	}
	s := section{
		title: "Calling a Go tool",
		text: "One call of a Go function with four properties and a schema, which gives its arguments back. " +
			"The ratio is to the floor: the work that cannot be left out, written in a straight line with the same strict decoder, the same validator and the same encoder as gongu. " +
			"All contestants are called one call after another from one goroutine. " +
			"The MCP libraries do more than the floor asks for, because they also write and read JSON-RPC; eino does less. " +
			"They show what a program pays today for calling a tool inside its own process. " +
			"The gate is about what the floor does as well, so it is held by the inline row. " +
			"A tool that does not vouch for its handler pays for more: two hand-overs between goroutines, so that a handler which hangs cannot hold its caller. " +
			"They are dearest here, where nothing else runs and each of them wakes a sleeping processor.",
	}
	for _, l := range work {
		results, err := p.calls.measure(dispatchSubjects(ctx, all, l))
		if err != nil {
			return section{}, err
		}
		s.tables = append(s.tables, table{title: fmt.Sprintf("%s of arguments (%d bytes)", l.name, len(l.args)), short: l.name, relation: "the floor", rows: results})
		if m, ok := find(results, gonguInlineName); ok {
			s.gates = append(s.gates, atMost(fmt.Sprintf("a call with %s of arguments, to the floor", l.name), m.ratio.median, dispatchGate, times))
		}
	}
	s.panel = barsOf("One call, as a multiple of the floor (logarithmic)", dispatchGate, s.tables)
	return s, nil
}

func dispatchSubjects(ctx context.Context, all []contestant, l load) []subject {
	subjects := make([]subject, len(all))
	for i, c := range all {
		call := c.prepare(l.args)
		subjects[i] = subject{name: c.name, note: c.note, against: floorName, run: func(n int) error {
			for range n {
				if _, err := call(ctx); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	return subjects
}
