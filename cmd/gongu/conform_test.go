//go:build unix

package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/conform"
)

// The numbers of scenarios that each revision requires, so that a suite which
// requires less is noticed.
const (
	required2025 = 30
	required2026 = 37
)

// run runs the suite against the program.
func (g *gatewayProgram) run(revision string) *conform.Report {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), conformLimit)
	defer cancel()
	report, err := conform.Run(ctx, conform.Target{URL: strings.Replace(g.url, "127.0.0.1", "localhost", 1) + "/mcp"}, revision)
	if err != nil {
		g.t.Fatal(err)
	}
	return report
}

// conformsTo runs the suite against the program, and wants so many required
// scenarios to have passed, by way of the gateway.
func (g *gatewayProgram) conformsTo(revision string, scenarios int, exceptions ...string) {
	t := g.t
	t.Helper()
	before := g.metric("gongu_mcp_passed_total")
	report := g.run(revision)
	for _, problem := range report.Problems(exceptions...) {
		t.Error(problem)
	}
	if len(report.Required) != scenarios {
		t.Errorf("the suite requires %d scenarios, want %d", len(report.Required), scenarios)
	}
	passed := g.metric("gongu_mcp_passed_total") - before
	if passed < 10 {
		t.Errorf("%d results passed the gateway as they were", passed)
	}
	t.Logf("%s: %s; %d results passed as they were", revision, report, passed)
}

// extension are the scenarios for which the everything-server has no tools:
// those of the tasks extension.
func extension() []string {
	return []string{
		"tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal", "tasks-mrtr-input",
		"tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-required-task-error", "tasks-mrtr-composition",
	}
}

// at is a server that keeps its own names.
func at(url string) string { return `url: "` + url + `", prefix: ""` }

// TestV8InFrontOfEverything runs the official suite against the real program
// in front of the everything-server. Promise V8.
//
// Over HTTP that server speaks one era or the other, and each set of scenarios
// is run against the one that can pass it at all: its tools ask back in the way
// of one era, which the other does not have. On pipes it speaks both, and one
// gongu in front of one server passes both sets.
//
// It does not have the tasks extension. Beside the one without sessions stands
// a server that has, and no scenario of the modern set is left out.
func TestV8InFrontOfEverything(t *testing.T) {
	t.Parallel()
	t.Run("with sessions", func(t *testing.T) {
		t.Parallel()
		g := inFront(t, at(everythingAt(t, false)))
		g.conformsTo(conform.Legacy, required2025)
	})
	t.Run("without sessions", func(t *testing.T) {
		t.Parallel()
		g := inFront(t, at(everythingAt(t, true)), at(taskServer(t)))
		g.conformsTo(conform.Modern, required2026)
	})
	t.Run("on pipes", func(t *testing.T) {
		t.Parallel()
		g := inFront(t, `command: "`+everythingServer(t)+`", prefix: ""`)
		g.conformsTo(conform.Legacy, required2025)
		g.conformsTo(conform.Modern, required2026, extension()...)
	})
}

// TestV8AcrossEras runs each set against a server of the other era. What fails
// is what the server itself cannot do there, as it cannot without a gateway;
// all else is carried over from one era to the other.
func TestV8AcrossEras(t *testing.T) {
	t.Parallel()
	t.Run("old clients", func(t *testing.T) {
		t.Parallel()
		g := inFront(t, at(everythingAt(t, true)))
		// These tools ask back by a request, which a server without sessions
		// has no way to send.
		g.conformsTo(conform.Legacy, required2025,
			"tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums")
	})
	t.Run("new clients", func(t *testing.T) {
		t.Parallel()
		g := inFront(t, at(everythingAt(t, false)))
		// In a session the server asks by requests that have no keys, one at a
		// time, in its first round only, and not for prompts.
		g.conformsTo(conform.Modern, required2026, append(extension(),
			"input-required-result-basic-elicitation", "input-required-result-basic-sampling", "input-required-result-multiple-input-requests",
			"input-required-result-multi-round", "input-required-result-non-tool-request", "input-required-result-capability-check")...)
	})
}

// TestV8Prefixed puts the usual prefix before the names: what the suite asks of
// the transport and of lists holds all the same, and the tools can be called.
func TestV8Prefixed(t *testing.T) {
	t.Parallel()
	g := inFront(t, `command: "`+everythingServer(t)+`"`)
	report := g.run(conform.Legacy)
	for _, name := range []string{
		"server-initialize", "logging-set-level", "ping", "tools-list", "resources-list", "resources-read-text", "resources-read-binary",
		"resources-templates-read", "resources-subscribe", "resources-unsubscribe", "prompts-list", "dns-rebinding-protection",
		"server-session-lifecycle",
	} {
		if !slices.ContainsFunc(report.Scenarios, func(s conform.Scenario) bool { return s.Name == name && s.OK && s.Passed > 0 }) {
			t.Errorf("%s did not pass", name)
		}
	}
	listed := g.ask("tools/list", "", ``)
	for _, found := range regexp.MustCompile(`"name":"([^"]+)","(?:title|description)"`).FindAllStringSubmatch(listed, -1) {
		if !strings.HasPrefix(found[1], "server0__") {
			t.Errorf("a tool is called %s", found[1])
		}
	}
	if !strings.Contains(listed, `"server0__test_simple_text"`) {
		t.Errorf("the list is %.500s", listed)
	}
	for method, name := range map[string]string{"tools/call": "server0__test_simple_text", "prompts/get": "server0__test_simple_prompt"} {
		if said := g.ask(method, name, `"name":"`+name+`",`); !strings.Contains(said, "simple") || strings.Contains(said, `"error"`) {
			t.Errorf("%s: %s", method, said)
		}
	}
}

// ask sends one request of the modern era.
func (g *gatewayProgram) ask(method, name, params string) string {
	g.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.url+"/mcp", strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	for header, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
	} {
		request.Header.Set(header, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		g.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return string(raw)
}
