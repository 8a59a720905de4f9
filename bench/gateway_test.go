package main

import (
	"context"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/bench/gateway/job"
	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

// A process and what it started end with stop, and with the context.
func TestProcessGroupsEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	for _, how := range []string{"stop", "cancel"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p, found, err := launch(ctx, program{
			path: "/bin/sh", args: []string{"-c", `trap "" TERM; sleep 300 & echo "child $!"; wait; wait`}, ready: regexp.MustCompile(`child \d+\n`),
		})
		if err != nil {
			t.Fatal(err)
		}
		child, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(found, "child ")))
		if err != nil {
			t.Fatal(err)
		}
		if how == "cancel" {
			cancel()
			<-p.exited
		} else {
			p.stop()
		}
		for until := time.Now().Add(10 * time.Second); !gone(child); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%s: the child lives on", how)
			}
		}
	}
}

// gone reports whether a process has ended; one that nobody waits for yet has.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || p.Signal(syscall.Signal(0)) != nil {
		return true
	}
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(raw), ") Z ")
}

// A program that ends before it is ready is an error that has its last words.
func TestProgramThatIsNotReady(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	_, _, err := launch(t.Context(), program{path: "/bin/sh", args: []string{"-c", "echo no such flag >&2"}, ready: address})
	if err == nil || !strings.Contains(err.Error(), "no such flag") {
		t.Errorf("got %v", err)
	}
}

// What a process used is counted.
func TestProcessorTime(t *testing.T) {
	if runtime.GOOS != "linux" {
		return
	}
	p, _, err := launch(t.Context(), program{path: "/bin/sh", args: []string{"-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; cat"}, ready: regexp.MustCompile("done")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	if used := processorTime([]*process{p}); used <= 0 || used > 60e9 {
		t.Errorf("it used %v ns", used)
	}
	if m, ok := memoryOf([]*process{p}); !ok || m.peak < 100e3 || m.now > m.peak {
		t.Errorf("it occupies %+v, %v", m, ok)
	}
}

func TestMetric(t *testing.T) {
	page := []byte("# HELP a_total x\na_total 3\na_total_more 100\nb_total{x=\"y z\",q=\"}\"} 2\nb_total{x=\"1\"} 5e1 1700000000\n")
	for name, want := range map[string]float64{"a_total": 3, "b_total": 52} {
		if got, ok := metric(page, name); !ok || got != want {
			t.Errorf("%s: got %v, %v, want %v", name, got, ok, want)
		}
	}
	if _, ok := metric(page, "c_total"); ok {
		t.Error("there is no c_total")
	}
}

// fakeRun is a run in which gongu takes 1.1 times the proxy and sends 0.65
// times as much.
func fakeRun() *gatewayRun {
	g := &gatewayRun{
		rig: &rig{}, calls: map[cell]map[string][]job.Result{}, lists: map[int]map[string]map[string][]job.Result{},
		light: map[string]memory{gonguName: {peak: 30e6, now: 20e6}}, heavy: map[string]memory{},
		used: map[cost]float64{{gonguName, wire.Legacy, small}: 5e6}, done: map[cost]float64{{gonguName, wire.Legacy, small}: 100},
		sent: 200, passed: 199, failures: map[string]int{},
	}
	results := func(scale float64) []job.Result {
		var rounds []job.Result
		for _, load := range []float64{1, 5, 2} {
			rounds = append(rounds, job.Result{Done: 10, All: 12, P50: 100e3 * scale * load, P99: 1e6, Rate: 1000 / load, FirstByte: 1e6, Pages: 1})
		}
		return rounds
	}
	for name, scale := range map[string]float64{directName: 1, proxyName: 2, gonguName: 2.2, storelessName: 2.2} {
		g.rig.targets = append(g.rig.targets, &target{name: name, eras: bothEras, core: true})
		for _, era := range bothEras {
			for _, size := range []int{small, large} {
				for _, clients := range []int{1, 32, 256} {
					c := cell{era, size, clients}
					if g.calls[c] == nil {
						g.calls[c] = map[string][]job.Result{}
					}
					g.calls[c][name] = results(scale)
				}
			}
		}
	}
	for i := range g.calls[cell{wire.Legacy, small, 32}][gonguName] {
		g.calls[cell{wire.Legacy, small, 32}][gonguName][i].Rate *= 0.65
	}
	for _, size := range listSizes {
		g.lists[size] = map[string]map[string][]job.Result{}
		for _, era := range bothEras {
			g.lists[size][era] = map[string][]job.Result{}
			for _, name := range []string{directName, proxyName, bridgeName, gonguName} {
				g.lists[size][era][name] = results(1)
			}
		}
	}
	return g
}

// Ratios are taken within rounds, gates are about the right figures, and the
// page has all of it.
func TestGatewayPage(t *testing.T) {
	g := fakeRun()
	s := gatewaySection(g, g)
	verdicts := map[string]gate{}
	for _, one := range s.gates {
		verdicts[one.name] = one
	}
	for name, want := range map[string]struct {
		got string
		ok  bool
	}{
		"gateway, MCP 2025-11-25: a call of 100 B, p50 to the byte proxy":                                      {"1.10×", true},
		"gateway, MCP 2025-11-25: calls of 100 B a second from 32 clients, to the byte proxy":                  {"0.65×", false},
		"gateway, MCP 2026-07-28: calls of 100 B a second from 32 clients, to the byte proxy":                  {"1.00×", true},
		"gateway, MCP 2025-11-25: without a store, a call of 100 B, p50 to the byte proxy":                     {"1.10×", true},
		"gateway, MCP 2025-11-25: without a store, calls of 100 B a second from 32 clients, to the byte proxy": {"1.00×", true},
		"gateway, MCP 2026-07-28: a call of 100 KB, p50 to direct":                                             {"2.20×", false},
		"gateway, MCP 2026-07-28: first byte of a list of 10,000 tools":                                        {"1.00 ms", true},
		"gateway: errors": {"0", true},
		"gateway: calls that took gongu's own path":      {"99.50 %", false},
		"gateway: resident memory, 32 clients and 100 B": {"30.0 MB", true},
	} {
		if got, ok := verdicts[name]; !ok || got.got != want.got || got.ok != want.ok {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if len(s.gates) != 15 {
		t.Errorf("there are %d gates", len(s.gates))
	}
	var b strings.Builder
	writeSection(&b, s)
	for _, want := range []string{"| gongu | 440 µs | 2.20× | 1.10× |", "398 calls of 400", "10,000 tools", "gateway.svg", "| gongu | 50.0 µs | | | |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "%!") {
		t.Error("the page has a figure that is none")
	}
	wellFormed(t, s.files["gateway.svg"])
}

// What was not measured holds no gate.
func TestGatewayGatesNeedFigures(t *testing.T) {
	g := fakeRun()
	for _, era := range bothEras {
		g.lists[many][era][gonguName][1] = job.Result{Errors: 3}
		delete(g.calls, cell{era, small, 1})
	}
	for _, one := range gatewayGates(g, g) {
		if (strings.Contains(one.name, "list of") || strings.Contains(one.name, "a call of 100 B")) && (one.ok || one.got != "nothing") {
			t.Errorf("%+v", one)
		}
	}
	if page := gatewaySection(g, g).text; strings.Contains(page, "NaN") {
		t.Error("the page has a figure that is none")
	}
}

func TestGatewayFilesAreWritten(t *testing.T) {
	dir := t.TempDir()
	if err := writeFiles(dir, []section{{files: map[string]string{"a.svg": "<svg/>"}}, {}}); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(dir + "/a.svg"); err != nil || string(raw) != "<svg/>" {
		t.Errorf("got %q, %v", raw, err)
	}
	if err := writeFiles("", []section{{files: map[string]string{"a.svg": "<svg/>"}}}); err != nil {
		t.Errorf("printing writes files: %v", err)
	}
}
