package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/bench/gateway/job"
)

// figures are the medians over the rounds of one target in one cell.
type figures struct {
	p50, p99, rate, firstByte float64
	// toDirect and toProxy are medians of the ratios within each round: of the
	// times for one client, of the rates for several.
	toDirect, toProxy float64
	pages             int
	known             bool
}

// of reads the figures of a target; better compares by the rate.
func of(results map[string][]job.Result, name string, better bool) figures {
	own := slices.DeleteFunc(slices.Clone(results[name]), func(r job.Result) bool { return r.Done == 0 })
	if len(own) != len(results[name]) || len(own) == 0 {
		return figures{} // what failed has no figures
	}
	value := func(r job.Result) float64 {
		if better {
			return r.Rate
		}
		return r.P50
	}
	ratio := func(base []job.Result) float64 {
		var ratios []float64
		for i := range min(len(own), len(base)) {
			if value(base[i]) > 0 {
				ratios = append(ratios, value(own[i])/value(base[i]))
			}
		}
		return spreadOf(ratios).median
	}
	return figures{
		p50: median(own, func(r job.Result) float64 { return r.P50 }), p99: median(own, func(r job.Result) float64 { return r.P99 }),
		rate: median(own, func(r job.Result) float64 { return r.Rate }), firstByte: median(own, func(r job.Result) float64 { return r.FirstByte }),
		toDirect: ratio(results[directName]), toProxy: ratio(results[proxyName]),
		pages: own[0].Pages, known: true,
	}
}

func median(results []job.Result, value func(job.Result) float64) float64 {
	values := make([]float64, len(results))
	for i, r := range results {
		values[i] = value(r)
	}
	return spreadOf(values).median
}

func (g *gatewayRun) figures(name, era string, size, clients int) figures {
	return of(g.calls[cell{era, size, clients}], name, clients > 1)
}

const gatewayText = `Clients call a tool that echoes a text, through one program or another in front of the same MCP server, which is written with the Go SDK, each in a process of its own, all over keep-alive connections on the loopback address. Every echo is compared with what was sent. *direct* has nothing in between. The *byte proxy* is Go's own reverse proxy and reads nothing of what it passes on: what standing in between costs at the least. The *SDK bridge* is what one writes first, the client of the Go SDK behind its server. gongu runs with the flags a person would use (%s), so with catalog, argument check, pins, rules, output cap, metrics and records on; %s calls of %s that it was sent took its own path, by its own count on ` + "`/metrics`" + `.

The targets take turns in an order that rotates; ratios are medians of the ratios within each round. With one client the ratios are of times, lower is better; with several they are of calls a second, higher is better. Clients, target and server share the processors of this machine.%s

![What a call through a gateway costs](gateway.svg)

`

const bareText = `### In front of a server that costs nothing

The same in front of a server that copies bytes and decodes nothing, which no real one does. What stands in between is nearly all that is measured here, and no gate is set on it.

`

// gatewaySection writes what was measured.
func gatewaySection(g, bare *gatewayRun) section {
	var b strings.Builder
	missing := ""
	if len(g.rig.absent) > 0 {
		missing = " Not installed here, and so not measured: " + strings.Join(g.rig.absent, ", ") + " (`" + installPeers() + "`)."
	}
	fmt.Fprintf(&b, gatewayText, "`gongu serve --no-auth`, `prefix: \"\"`, and a policy file with 100 rules, four conditions of which are evaluated before the fifth allows the call", whole(g.passed+bare.passed), whole(g.sent+bare.sent), missing)
	for _, era := range bothEras {
		for _, size := range []struct {
			bytes int
			name  string
		}{{small, "100 B"}, {large, "100 KB"}} {
			g.callTable(&b, era, size.bytes, size.name)
		}
	}
	g.costTable(&b)
	g.memoryTable(&b)
	b.WriteString("\n" + bareText)
	for _, era := range bothEras {
		bare.bareTable(&b, era)
	}
	bare.costTable(&b)
	for _, era := range bothEras {
		bare.listTable(&b, era)
	}
	return section{
		title: "Between clients and an MCP server", text: strings.TrimRight(b.String(), "\n"),
		gates: gatewayGates(g, bare), files: map[string]string{"gateway.svg": chart([]section{{panel: g.timePanel()}, {panel: g.ratePanel()}})},
	}
}

func (g *gatewayRun) callTable(b *strings.Builder, era string, size int, name string) {
	fmt.Fprintf(b, "### Calls of %s, MCP %s\n\n", name, era)
	b.WriteString("| | p50 | to direct | to the proxy | p99 | 32 clients: calls/s | to direct | to the proxy | p99 | 256 clients: calls/s | to the proxy | p99 | errors |\n")
	b.WriteString("|---|" + strings.Repeat("---:|", 12) + "\n")
	for _, t := range g.rig.targets {
		one := g.figures(t.name, era, size, 1)
		if !one.known {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |", t.name, duration(one.p50), times(one.toDirect), times(one.toProxy), duration(one.p99))
		if some := g.figures(t.name, era, size, 32); some.known {
			fmt.Fprintf(b, " %s | %s | %s | %s |", whole(some.rate), times(some.toDirect), times(some.toProxy), duration(some.p99))
		} else {
			b.WriteString(" | | | |")
		}
		if lots := g.figures(t.name, era, size, 256); lots.known {
			fmt.Fprintf(b, " %s | %s | %s |", whole(lots.rate), times(lots.toProxy), duration(lots.p99))
		} else {
			b.WriteString(" | | |")
		}
		fmt.Fprintf(b, " %s |\n", count(g.errorsIn(t.name, era, size)))
	}
	b.WriteString("\n")
}

func (g *gatewayRun) bareTable(b *strings.Builder, era string) {
	fmt.Fprintf(b, "| MCP %s | 100 B: p50 | to direct | to the proxy | 32 clients: calls/s | to the proxy | 100 KB: p50 | to direct | to the proxy |\n|---|%s\n", era, strings.Repeat("---:|", 8))
	for _, t := range g.rig.targets {
		one, some, big := g.figures(t.name, era, small, 1), g.figures(t.name, era, small, 32), g.figures(t.name, era, large, 1)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", t.name, duration(one.p50), times(one.toDirect), times(one.toProxy),
			whole(some.rate), times(some.toProxy), duration(big.p50), times(big.toDirect), times(big.toProxy))
	}
	b.WriteString("\n")
}

func (g *gatewayRun) errorsIn(name, era string, size int) int {
	sum := 0
	for c, results := range g.calls {
		if c.era == era && c.size == size {
			for _, r := range results[name] {
				sum += r.Errors
			}
		}
	}
	return sum
}

func (g *gatewayRun) listTable(b *strings.Builder, era string) {
	fmt.Fprintf(b, "### `tools/list`, MCP %s\n\n", era)
	b.WriteString("Time to the first byte, and to all of it on all pages; everything is warm. gongu shows all tools (`--mode direct`).\n\n|")
	for _, size := range listSizes {
		fmt.Fprintf(b, " | %s tools: first byte | whole", count(size))
	}
	b.WriteString(" | pages |\n|---|" + strings.Repeat("---:|", 2*len(listSizes)+1) + "\n")
	for _, name := range []string{directName, proxyName, bridgeName, gonguName} {
		fmt.Fprintf(b, "| %s |", name)
		pages := 0
		for _, size := range listSizes {
			f := of(g.lists[size][era], name, false)
			if pages = f.pages; !f.known {
				b.WriteString(" | |")
				continue
			}
			fmt.Fprintf(b, " %s | %s |", duration(f.firstByte), duration(f.p50))
		}
		fmt.Fprintf(b, " %d |\n", pages)
	}
	b.WriteString("\n")
}

// costTable shows processor time, which other work on the machine changes less
// than any clock.
func (g *gatewayRun) costTable(b *strings.Builder) {
	b.WriteString("### Processor time for a call\n\nUser and system time of the program in between alone, from all the calls above. *direct* is the MCP server's own.\n\n")
	b.WriteString("| | 100 B, " + bothEras[0] + " | 100 B, " + bothEras[1] + " | 100 KB, " + bothEras[0] + " | 100 KB, " + bothEras[1] + " |\n|---|---:|---:|---:|---:|\n")
	for _, t := range g.rig.targets {
		fmt.Fprintf(b, "| %s |", t.name)
		for _, size := range []int{small, large} {
			for _, era := range bothEras {
				at := cost{t.name, era, size}
				if g.used[at] <= 0 || g.done[at] <= 0 {
					b.WriteString(" |")
					continue
				}
				fmt.Fprintf(b, " %s |", duration(g.used[at]/g.done[at]))
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func (g *gatewayRun) memoryTable(b *strings.Builder) {
	b.WriteString("### Memory\n\nResident, at its highest since the start and at that moment. *direct* is the MCP server.\n\n")
	b.WriteString("| | 32 clients, 100 B: highest | then | 256 clients, 100 KB: highest | then | |\n|---|---:|---:|---:|---:|---|\n")
	for _, t := range g.rig.targets {
		light, ok := g.light[t.name]
		if !ok {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s |", t.name, megabytes(light.peak), megabytes(light.now))
		if heavy := g.heavy[t.name]; t.core && t.name != bridgeName {
			fmt.Fprintf(b, " %s | %s |", megabytes(heavy.peak), megabytes(heavy.now))
		} else {
			b.WriteString(" | |")
		}
		fmt.Fprintf(b, " %s |\n", t.note)
	}
}

func megabytes(n float64) string { return digits(n/1e6) + " MB" }

// The limits of the gates, with net/http on both sides, for a server that records
// its calls: serve has its store open.
const (
	smallGate    = 1.4  // p50 of a call of 100 B, to the byte proxy
	rateGate     = 0.7  // calls a second from 32 clients, to the byte proxy
	largeGate    = 1.3  // p50 of a call of 100 KB, to direct
	listGate     = 5e6  // nanoseconds to the first byte of a list
	residentGate = 80e6 // bytes of resident memory
	// The same for a program that uses gongu as a library, without a store.
	plainSmallGate = 1.25
	plainRateGate  = 0.8
)

// gatewayGates are the promises of the project about serving.
func gatewayGates(g, bare *gatewayRun) []gate {
	var all []gate
	for _, era := range bothEras {
		in := "gateway, MCP " + era + ": "
		one, some := g.figures(gonguName, era, small, 1), g.figures(gonguName, era, small, 32)
		plain, plains := g.figures(storelessName, era, small, 1), g.figures(storelessName, era, small, 32)
		big, list := g.figures(gonguName, era, large, 1), of(bare.lists[many][era], gonguName, false)
		all = append(all,
			one.gate(atMost(in+"a call of 100 B, p50 to the byte proxy", one.toProxy, smallGate, times)),
			some.gate(atLeast(in+"calls of 100 B a second from 32 clients, to the byte proxy", some.toProxy, rateGate, times)),
			plain.gate(atMost(in+"without a store, a call of 100 B, p50 to the byte proxy", plain.toProxy, plainSmallGate, times)),
			plains.gate(atLeast(in+"without a store, calls of 100 B a second from 32 clients, to the byte proxy", plains.toProxy, plainRateGate, times)),
			big.gate(atMost(in+"a call of 100 KB, p50 to direct", big.toDirect, largeGate, times)),
			list.gate(atMost(in+"first byte of a list of 10,000 tools", list.firstByte, listGate, duration)))
	}
	all = append(all,
		atMost("gateway: errors", float64(g.failures[gonguName]+bare.failures[gonguName]), 0, whole),
		atLeast("gateway: calls that took gongu's own path", 100*(g.passed+bare.passed)/(g.sent+bare.sent), 100, func(v float64) string { return fmt.Sprintf("%.2f %%", v) }))
	if m, ok := g.light[gonguName]; ok {
		all = append(all, atMost("gateway: resident memory, 32 clients and 100 B", m.peak, residentGate, megabytes))
	}
	return all
}

// gate fails what was not measured.
func (f figures) gate(g gate) gate {
	if !f.known {
		g.got, g.ok = "nothing", false
	}
	return g
}

// atLeast is a gate that holds while got reaches the limit.
func atLeast(name string, got, limit float64, format func(float64) string) gate {
	return gate{name: name, got: format(got), want: "at least " + format(limit), ok: got >= limit}
}

// timePanel and ratePanel are the picture of the section.
func (g *gatewayRun) timePanel() panel {
	return g.panel("One client, 100 B: p50, to the byte proxy (lower is better)", smallGate, 1)
}

func (g *gatewayRun) ratePanel() panel {
	return g.panel("32 clients, 100 B: calls a second, to the byte proxy (higher is better)", rateGate, 32)
}

func (g *gatewayRun) panel(title string, limit float64, clients int) panel {
	b := bars{title: title, gate: limit}
	for _, era := range bothEras {
		b.legend = append(b.legend, "MCP "+era)
	}
	for _, t := range g.rig.targets {
		row := barRow{name: t.name}
		for _, era := range t.eras {
			if f := g.figures(t.name, era, small, clients); f.known && f.toProxy > 0 {
				row.values = append(row.values, f.toProxy)
			}
		}
		if len(row.values) > 0 {
			b.rows = append(b.rows, row)
		}
	}
	return b
}

// writeFiles writes the pictures that sections have for themselves.
func writeFiles(dir string, sections []section) error {
	if dir == "" {
		return nil
	}
	for _, s := range sections {
		for name, text := range s.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
