package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gongu-ai/gongu/bench/gateway/job"
)

// The sizes of texts and the numbers of clients and tools.
const (
	small = 100
	large = 100_000
	// many is the number of tools that the gate of lists is about.
	many = 10_000
)

var listSizes = []int{10, 1_000, many}

// cell is one thing that the targets are compared by.
type cell struct {
	era           string
	size, clients int
}

// paced is a cell and how much of it is measured.
type paced struct {
	cell
	rounds, warm, ms int
	// core leaves the targets out that are not, and lean the bridge, which
	// needs many seconds for a turn that is hard enough.
	core, lean bool
}

// gatewayCells are the cells in two parts: the first one loads the targets
// lightly, so that what they occupy after it is the figure that is promised.
func gatewayCells(p plan, bare bool) (light, heavy []paced) {
	often, seldom, short, long, most := 15, 5, 400, 500, 1200
	if p.quick {
		often, seldom, short, long, most = 3, 1, 150, 200, 400
	}
	for _, era := range bothEras {
		light = append(light,
			paced{cell{era, small, 1}, often, 100, short, false, false},
			paced{cell{era, small, 32}, often, 150, short, false, false})
		heavy = append(heavy, paced{cell{era, large, 1}, often, 40, short, false, false})
		if bare {
			continue
		}
		heavy = append(heavy,
			paced{cell{era, small, 256}, seldom, 100, long, true, false},
			paced{cell{era, large, 32}, seldom, 100, long, true, false},
			paced{cell{era, large, 256}, seldom, 100, most, true, true})
	}
	return light, heavy
}

// cost is what processor time is counted by.
type cost struct {
	target, era string
	size        int
}

// gatewayRun is what was measured.
type gatewayRun struct {
	rig *rig
	// calls holds the results of a cell, by target and round.
	calls map[cell]map[string][]job.Result
	// used is the processor time of the target, by size and era, and done the
	// calls it was for.
	used, done map[cost]float64
	// lists is the same for lists, by number of tools.
	lists map[int]map[string]map[string][]job.Result
	// light and heavy are what targets occupied after the two parts.
	light, heavy map[string]memory
	// sent counts the calls to gongu, passed those it counted as its own.
	sent, passed float64
	failures     map[string]int
	firstFailure map[string]string
}

// measureGateway puts gongu between clients and an MCP server, beside other
// programs in the same place.
func measureGateway(ctx context.Context, p plan) (section, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Minute)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	// What a call costs beside a server that costs something is what a person
	// sees; beside one that costs nothing it is what is left to be saved.
	var runs [2]*gatewayRun
	for i, bare := range []bool{false, true} {
		run, err := runGateway(ctx, p, bare)
		if err != nil {
			return section{}, fmt.Errorf("gateway: %w", err)
		}
		runs[i] = run
	}
	return gatewaySection(runs[0], runs[1]), nil
}

func runGateway(ctx context.Context, p plan, bare bool) (*gatewayRun, error) {
	r, err := newRig(ctx, bare)
	if err != nil {
		return nil, err
	}
	defer r.close()
	run := &gatewayRun{
		rig: r, calls: map[cell]map[string][]job.Result{}, lists: map[int]map[string]map[string][]job.Result{},
		used: map[cost]float64{}, done: map[cost]float64{}, failures: map[string]int{}, firstFailure: map[string]string{},
	}
	return run, run.measure(ctx, p)
}

func (g *gatewayRun) measure(ctx context.Context, p plan) error {
	// Only what every target has and answers is measured.
	for _, t := range g.rig.targets {
		for _, era := range t.eras {
			if err := g.rig.try(ctx, t, era); err != nil {
				return fmt.Errorf("%s, %s: %w", t.name, era, err)
			}
		}
	}
	before, err := g.ownPath(ctx)
	if err != nil {
		return err
	}
	light, heavy := gatewayCells(p, g.rig.bare)
	if err := g.rounds(ctx, light); err != nil {
		return err
	}
	g.light = g.memories()
	if err := g.rounds(ctx, heavy); err != nil {
		return err
	}
	g.heavy = g.memories()
	after, err := g.ownPath(ctx)
	if err != nil {
		return err
	}
	g.passed = after - before
	if !g.rig.bare {
		return nil // its own lists take seconds, whoever stands in between
	}
	return g.measureLists(ctx, p)
}

// rounds measures cells. In each round every target has its turn in each cell,
// in an order that rotates.
func (g *gatewayRun) rounds(ctx context.Context, cells []paced) error {
	most := 0
	for _, c := range cells {
		most = max(most, c.rounds)
	}
	for round := range most {
		for _, c := range cells {
			if round >= c.rounds {
				continue
			}
			for _, i := range order(round, len(g.rig.targets)) {
				t := g.rig.targets[i]
				if !t.speaks(c.era) || c.core && !t.core || c.lean && t.name == bridgeName {
					continue
				}
				if err := g.turn(ctx, c, t); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (g *gatewayRun) turn(ctx context.Context, c paced, t *target) error {
	before := processorTime(t.counted)
	result, err := g.rig.load.run(ctx, job.Job{
		URL: t.url, Transport: t.transport, Era: c.era, Kind: job.Calls, Tool: t.tool,
		Size: c.size, Clients: c.clients, WarmMS: c.warm, MS: c.ms,
	})
	if err != nil {
		return err
	}
	g.note(t.name, result)
	at := cost{t.name, c.era, c.size}
	g.used[at] += processorTime(t.counted) - before
	g.done[at] += float64(result.All)
	if t.name == gonguName {
		g.sent += float64(result.All)
	}
	if g.calls[c.cell] == nil {
		g.calls[c.cell] = map[string][]job.Result{}
	}
	g.calls[c.cell][t.name] = append(g.calls[c.cell][t.name], result)
	return nil
}

// note keeps errors. They do not end the run: a target that fails now and then
// is worth knowing about.
func (g *gatewayRun) note(name string, r job.Result) {
	g.failures[name] += r.Errors
	if r.Errors > 0 && g.firstFailure[name] == "" {
		g.firstFailure[name] = r.Error
		fmt.Fprintf(os.Stderr, "        %s fails: %s\n", name, r.Error)
	}
}

func (g *gatewayRun) memories() map[string]memory {
	found := map[string]memory{}
	for _, t := range g.rig.targets {
		if m, ok := memoryOf(t.counted); ok {
			found[t.name] = m
		}
	}
	return found
}

// ownPathMetric counts the calls whose result gongu passed on byte for byte,
// in the code that serving has of its own.
const ownPathMetric = "gongu_mcp_passed_total"

// ownPath reads it.
func (g *gatewayRun) ownPath(ctx context.Context) (float64, error) {
	t := g.rig.find(gonguName)
	if t == nil {
		return 0, errors.New("gongu does not run")
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(t.url, "/mcp")+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return 0, err
	}
	value, ok := metric(page, ownPathMetric)
	if !ok {
		return 0, fmt.Errorf("/metrics of gongu has no %s", ownPathMetric)
	}
	return value, nil
}

// measureLists compares tools/list. Each number of tools has a gongu of its
// own, in the mode that shows all of them.
func (g *gatewayRun) measureLists(ctx context.Context, p plan) error {
	rounds, ms := 5, 300
	if p.quick {
		rounds, ms = 1, 150
	}
	for _, size := range listSizes {
		targets, err := g.listTargets(ctx, size)
		if err != nil {
			return err
		}
		g.lists[size] = map[string]map[string][]job.Result{}
		for _, era := range bothEras {
			g.lists[size][era] = map[string][]job.Result{}
		}
		for _, t := range targets {
			if err := g.firstList(ctx, t, size); err != nil {
				return err
			}
		}
		for round := range rounds {
			for _, era := range bothEras {
				for _, i := range order(round, len(targets)) {
					t := targets[i]
					result, err := g.rig.load.run(ctx, job.Job{
						URL: t.url, Transport: t.transport, Era: era, Kind: job.Lists, Clients: 1, Tools: size, WarmMS: ms / 2, MS: ms,
					})
					if err != nil {
						return err
					}
					g.note(t.name, result)
					g.lists[size][era][t.name] = append(g.lists[size][era][t.name], result)
				}
			}
		}
	}
	return nil
}

// firstList reads lists until one is whole. Any that is not counts as an error.
func (g *gatewayRun) firstList(ctx context.Context, t *target, size int) error {
	for until := time.Now().Add(startPatience); ; time.Sleep(100 * time.Millisecond) {
		result, err := g.rig.load.run(ctx, job.Job{
			URL: t.url, Transport: t.transport, Era: bothEras[0], Kind: job.Lists, Clients: 1, Tools: size, MS: 1,
		})
		if err != nil {
			return err
		}
		if g.note(t.name, result); result.Errors == 0 || time.Now().After(until) {
			return nil
		}
	}
}

func (g *gatewayRun) listTargets(ctx context.Context, size int) ([]*target, error) {
	at := "/" + strconv.Itoa(size)
	var targets []*target
	for _, name := range []string{directName, proxyName, bridgeName} {
		t := *g.rig.find(name)
		t.url += at
		targets = append(targets, &t)
	}
	t, err := g.rig.gongu(ctx, gonguName, "url: "+strconv.Quote(g.rig.upstream+at), "--mode", "direct")
	if err != nil {
		return nil, err
	}
	return append(targets, t), nil
}
