package main

import (
	"context"
	"fmt"
)

// How many times the floor a call may cost: on the caller's goroutine, and on a
// separate goroutine.
const (
	inlineGate   = 2.0
	dispatchGate = 4.0
)

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
			"A tool that does not vouch for its handler pays for more: a goroutine and two hand-overs, so that a handler which hangs cannot hold its caller. " +
			"They are most expensive here, where nothing else runs and each of them wakes a sleeping processor; so the two have a gate each.",
	}
	for _, l := range work {
		results, err := p.calls.measure(dispatchSubjects(ctx, all, l))
		if err != nil {
			return section{}, err
		}
		s.tables = append(s.tables, table{title: fmt.Sprintf("%s of arguments (%d bytes)", l.name, len(l.args)), short: l.name, relation: "the floor", rows: results})
		for _, gate := range []struct {
			row  string
			most float64
		}{{gonguInlineName, inlineGate}, {gonguName, dispatchGate}} {
			if m, ok := find(results, gate.row); ok {
				s.gates = append(s.gates, atMost(fmt.Sprintf("%s, a call with %s of arguments, to the floor", gate.row, l.name), m.ratio.median, gate.most, times))
			}
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
