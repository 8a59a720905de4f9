//go:build unix

package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/footprint"
	"github.com/gongu-ai/gongu/mcpclient"
)

// TestNothingIsLeft: calls, crashes and restarts leave no child, descriptor,
// goroutine or memory behind.
func TestNothingIsLeft(t *testing.T) {
	calls, restarts := 10_000, 100
	switch {
	case raceDetector || testing.Short():
		calls, restarts = 500, 10
	case os.Getenv("GONGU_CHAOS") != "":
		restarts = 500
	}
	warm := start(t, fixture{})
	invoke(t, t.Context(), warm, "text", `{}`)
	warm.Close()
	before, err := footprint.Take(footprint.Footprint{})
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, fixture{})
	tools := map[string]gongu.Invoke{}
	for _, d := range list(t, c).Tools {
		tools[d.Tool.Source.Original] = d.Tool.Invoke
	}
	use := func(tool string) gongu.Result {
		return tools[tool](t.Context(), gongu.Call{ID: "1", Args: json.RawMessage(`{}`)})
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range calls / 10 {
				if r := use("text"); r.Failed() {
					t.Errorf("%+v", r.Error)
					return
				}
			}
		})
	}
	all.Wait()
	for range restarts {
		if r := use("crash"); r.Error == nil || r.Error.Code != gongu.CodeOutcomeUnknown {
			t.Fatalf("%+v", r.Error)
		}
		if r := use("text"); r.Failed() {
			t.Fatalf("%+v", r.Error)
		}
	}
	if n := c.Status().Connections; n != restarts+1 {
		t.Errorf("%d connections for %d restarts", n, restarts)
	}
	c.Close()
	after, err := footprint.Take(before)
	if err != nil {
		t.Fatal(err)
	}
	if raceDetector {
		after.Resident = before.Resident // the detector's, not ours
	}
	if grown := after.Grown(before); len(grown) > 0 {
		t.Errorf("left behind: %s", strings.Join(grown, ", "))
	}
}

// TestGrandchildrenEnd: what a server started ends with it.
func TestGrandchildrenEnd(t *testing.T) {
	c := start(t, fixture{})
	r := invoke(t, t.Context(), c, "spawn", `{}`)
	pid, err := strconv.Atoi(strings.Trim(string(r.Output), `"`))
	if err != nil || syscall.Kill(pid, 0) != nil {
		t.Fatalf("no grandchild: %s %v", r.Output, err)
	}
	c.Close()
	await(t, func() bool {
		// Nobody may wait for an orphan here, so one that was killed counts as
		// gone.
		return syscall.Kill(pid, 0) != nil || strings.Contains(read(t, fmt.Sprintf("/proc/%d/stat", pid)), ") Z ")
	})
}

// TestFiftySlowServers: servers that need their time are loaded side by side.
// The figure is in the benchmark; this says that they do not queue up.
func TestFiftySlowServers(t *testing.T) {
	if took, slowest := loadFifty(t); took > 5*slowest+10*time.Second {
		t.Errorf("50 servers took %s, the slowest alone %s", took, slowest)
	} else {
		t.Logf("50 servers took %s, the slowest sleeps %s", took, slowest)
	}
}

// BenchmarkFiftySlowServers reports the time beyond the slowest server.
func BenchmarkFiftySlowServers(b *testing.B) {
	for range b.N {
		took, slowest := loadFifty(b)
		b.ReportMetric(float64(took)/float64(slowest), "x-slowest")
	}
}

func loadFifty(t testing.TB) (took, slowest time.Duration) {
	g, err := mcpclient.NewGroup(quietly(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for i := range 50 {
		delay := 300 + i*1700/49
		slowest = max(slowest, time.Duration(delay)*time.Millisecond)
		if err := g.Add(config(t, fmt.Sprintf("s%d", i), fixture{StartDelay: delay})); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	for _, load := range g.Tools(t.Context()) {
		if load.Err != nil {
			t.Error(load.Err)
		}
	}
	return time.Since(began), slowest
}

// BenchmarkCall is one small call over a pipe.
func BenchmarkCall(b *testing.B) {
	c := start(b, fixture{})
	var tool gongu.Invoke
	for _, d := range list(b, c).Tools {
		if d.Tool.Source.Original == "text" {
			tool = d.Tool.Invoke
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := tool(b.Context(), gongu.Call{ID: "1", Args: json.RawMessage(`{"x":"y"}`)}); r.Failed() {
			b.Fatal(r.Error)
		}
	}
}
