package mcpclient_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
)

// pid asks a fixture for the number of its process.
func pid(t *testing.T, c *mcpclient.Client) string {
	t.Helper()
	return string(invoke(t, t.Context(), c, "pid", `{}`).Output)
}

// TestS8SharedChildren: equal launches of one principal share a process, two
// principals do not, unless the server is shared. Promise S8.
func TestS8SharedChildren(t *testing.T) {
	g, err := mcpclient.NewGroup(quietly(&mcpclient.Options{Principal: "kim"}))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	other := config(t, "c", fixture{StartDelay: 1})
	shared := config(t, "d", fixture{StartDelay: 2})
	shared.Shared = true
	if err := g.Add(config(t, "a", fixture{}), config(t, "b", fixture{}), other, shared); err != nil {
		t.Fatal(err)
	}
	if err := g.Add(config(t, "a", fixture{})); err == nil {
		t.Error("a name was taken twice")
	}
	a, b, c := pid(t, g.Client("a")), pid(t, g.Client("b")), pid(t, g.Client("c"))
	if a != b || a == c {
		t.Errorf("processes %s %s %s", a, b, c)
	}
	lee, err := g.For("lee", "a")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := g.For("lee", "a"); err != nil || again != lee {
		t.Errorf("another client for the same principal: %v", err)
	}
	if pid(t, lee) == a {
		t.Error("two principals share a process")
	}
	d, err := g.For("lee", "d")
	if err != nil || d != g.Client("d") {
		t.Errorf("a shared server is not shared: %v", err)
	}
	if _, err := g.For("lee", "x"); err == nil || !strings.Contains(err.Error(), "a, b, c, d") {
		t.Errorf("%v", err)
	}
	// The process lives as long as one of its clients.
	if !g.Remove("a") || g.Remove("a") {
		t.Error("Remove")
	}
	if got := pid(t, g.Client("b")); got != b {
		t.Errorf("the process of b was %s and is %s", b, got)
	}
}

// TestGroupInRegistry: the tools of a group become the sources of a registry in
// one step, and a source is replaced alone.
func TestGroupInRegistry(t *testing.T) {
	g, err := mcpclient.NewGroup(quietly(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.Add(config(t, "a", fixture{}), config(t, "b", fixture{StartDelay: 1})); err != nil {
		t.Fatal(err)
	}
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: quiet})
	var sources []gongu.Source
	var tools []gongu.Tool
	for _, load := range g.Tools(t.Context()) {
		if load.Err != nil {
			t.Fatal(load.Err)
		}
		sources = append(sources, load.Source)
		for _, d := range load.Listing.Tools {
			tools = append(tools, d.Tool)
		}
	}
	if err := registry.ReplaceAll(sources, tools...); err != nil {
		t.Fatal(err)
	}
	exec := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry), Logger: quiet})
	wantOutput(t, exec.Call(t.Context(), gongu.Call{Name: "b__text", Args: []byte(`{}`)}), `"hello"`)
}

// TestClosed: a closed client says so.
func TestClosed(t *testing.T) {
	c := start(t, fixture{})
	tools := list(t, c).Tools
	c.Close()
	c.Close()
	wantCode(t, tools[0].Tool.Invoke(t.Context(), gongu.Call{Args: []byte(`{}`)}), gongu.CodeUnavailable)
	if _, err := c.Refresh(t.Context()); err == nil {
		t.Error("a closed client reads lists")
	}
}

// TestWarm connects without a use.
func TestWarm(t *testing.T) {
	cfg := config(t, "srv", fixture{})
	cfg.Warm = true
	c := client(t, cfg, nil)
	await(t, func() bool { return c.Status().State == mcpclient.StateReady })
	wantCode(t, invoke(t, t.Context(), c, "crash", `{}`), gongu.CodeOutcomeUnknown)
	await(t, func() bool { return c.Status().Connections == 2 })
}

// TestDeathBetweenCalls: a server that dies while nobody calls is seen, and
// started again at the next use.
func TestDeathBetweenCalls(t *testing.T) {
	c := start(t, fixture{})
	number, err := strconv.Atoi(strings.Trim(pid(t, c), `"`))
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(number)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return c.Status().State == mcpclient.StateDegraded })
	wantOutput(t, invoke(t, t.Context(), c, "text", `{}`), `"hello"`)
	if s := c.Status(); s.State != mcpclient.StateReady || s.Connections != 2 {
		t.Errorf("%+v", s)
	}
}
