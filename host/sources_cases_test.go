package host_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/footprint"
)

// Gemini D01 to D06: names that a provider would refuse become legal ones that
// stay apart, and calls reach the server under its own names.
func TestGeminiD_Names(t *testing.T) {
	long := strings.Repeat("n", 60)
	originals := []string{
		"list_repos",                 // D01
		"a b", "a/b", "!!!", "x.y:z", // D02
		long + "-one-" + long,           // D03
		long + "-two-" + long,           // D05: they differ in the middle alone
		"server_tool", "tool__with_two", // D06
	}
	p := newPlant(t)
	var tools []json.RawMessage
	for _, name := range originals {
		tools = append(tools, tool(name, "Does it."))
	}
	p.behave("7up", upstream{Tools: tools}) // D04: begins with a digit
	p.write("", "7up")
	h := p.open(nil)
	h.Sources().Load(t.Context())
	found := h.Registry().FromSource("McpServer/7up")
	if len(found) != len(originals) {
		t.Fatalf("%d of %d: %s", len(found), len(originals), stands(h))
	}
	left := slices.Clone(originals)
	for _, tool := range found {
		at := slices.Index(left, tool.Source.Original)
		if at < 0 || len(tool.Name) > 64 || !strings.HasPrefix(tool.Name, "7up__") {
			t.Fatalf("%q is %q of %q", tool.Name, tool.Source.Original, left)
		}
		if r := call(t, h, "", tool.Name, `{}`); string(r.Output) != fmt.Sprintf("%q", "did "+left[at]) {
			t.Errorf("%s: %s %+v", tool.Name, r.Output, r.Error)
		}
		left = slices.Delete(left, at, at+1)
	}
	// D07: all tools of a server, or of all servers.
	for _, glob := range []gongu.Rule{{Name: "7up__*"}, {Source: "McpServer/7up"}, {Source: "McpServer/*"}} {
		catalog, err := gongu.NewCatalog(h.Registry(), &gongu.CatalogOptions{Allow: []gongu.Rule{glob}})
		if err != nil || len(catalog.Callable()) != len(originals) {
			t.Errorf("D07: %+v: %v", glob, err)
		}
	}
}

// Gemini E02, E25: a server without tools, and a bundle without servers, are
// no failure.
func TestGeminiE_Nothing(t *testing.T) {
	p := newPlant(t)
	p.behave("empty", upstream{})
	p.write("", "empty")
	h := p.open(nil)
	h.Sources().Load(t.Context())
	if got := stands(h); got != "empty=ready/0/0" {
		t.Errorf("E02: %s", got)
	}
	bare := open(t, folder(t, base), nil)
	if statuses := bare.Sources().Load(t.Context()); len(statuses) != 0 || bare.Sources().Refresh(t.Context()) != nil {
		t.Errorf("E25: %+v", statuses)
	}
	if err := bare.Sources().Refresh(t.Context(), "github"); err == nil || !strings.Contains(err.Error(), "no McpServer and no ToolCommand") {
		t.Errorf("E29: %v", err)
	}
}

// Gemini E14, E29: a server that is taken out of the bundle takes its tools and
// its process along; one whose settings changed is started with the new ones.
func TestGeminiE_ReloadServers(t *testing.T) {
	p := newPlant(t)
	p.behave("one", upstream{Tools: []json.RawMessage{tool("pid", "Who?")}})
	p.behave("two", upstream{Tools: []json.RawMessage{tool("pid", "Who?")}})
	p.write("", "one", "two")
	h := p.open(nil)
	one, two := call(t, h, "", "one__pid", `{}`), call(t, h, "", "two__pid", `{}`)
	write(t, p.dir, "gongu.yaml", p.server("two", "  maxConcurrent: 2\n"))
	if r := h.Reload(t.Context()); r.Err != nil {
		t.Fatal(r.Err)
	}
	if h.Registry().Has("one__pid") || stands(h) != "two=idle/1/0" {
		t.Errorf("E14: %s", stands(h))
	}
	pid := strings.Trim(string(one.Output), `"`)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat("/proc/" + pid); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("E14: process %s is left", pid)
		}
	}
	again := call(t, h, "", "two__pid", `{}`)
	if again.Failed() || string(again.Output) == string(two.Output) {
		t.Errorf("E29: %s after %s: %+v", again.Output, two.Output, again.Error)
	}
	if err := h.Sources().Refresh(t.Context(), "twoo"); err == nil || !strings.Contains(err.Error(), "did you mean two?") {
		t.Errorf("E29: %v", err)
	}
}

// Calls and restarts leave no child, descriptor or goroutine behind: ten
// thousand and five hundred of them in make chaos.
func TestSourcesLeaveNothing(t *testing.T) {
	calls, restarts := 3000, 100
	switch {
	case raceDetector || testing.Short():
		calls, restarts = 300, 20
	case os.Getenv("GONGU_CHAOS") != "":
		calls, restarts = 10_000, 500
	}
	p := newPlant(t)
	p.behave("srv", upstream{Tools: []json.RawMessage{tool("echo", "Says it."), tool("crash", "Ends.")}})
	p.write("", "srv")
	use := func(calls, restarts int) {
		h := open(t, p.dir, nil)
		for range calls {
			if r := call(t, h, "", "srv__echo", `{}`); r.Failed() {
				t.Fatalf("%+v", r.Error)
			}
		}
		for range restarts {
			if r := call(t, h, "", "srv__crash", `{}`); code(r) != string(gongu.CodeOutcomeUnknown) {
				t.Fatalf("%+v", r.Error)
			}
			if r := call(t, h, "", "srv__echo", `{}`); r.Failed() {
				t.Fatalf("%+v", r.Error)
			}
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	use(1, 1) // what is made once
	before, err := footprint.Take(footprint.Footprint{})
	if err != nil {
		t.Fatal(err)
	}
	use(calls, restarts)
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
