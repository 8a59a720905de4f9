package gongu_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/toolname"
)

// The cases of the Gemini CLI's tool registry, by number, as far as they are
// about a registry. These are not tested because we chose otherwise:
//
//   - A03, a model id for every schema getter: a schema is text, the same for
//     every model; what a provider cannot read is lowered by dialect.
//   - A04, order by display name, and A05, order by class: our order is that
//     of registration, or of the names asked for (H9).
//   - A10, exclusion by class name: a tool is a value and has no class; rules
//     select by source, domain, label and annotation instead.
//   - A12 and A13, legacy aliases: there are none, a tool has one name.
//
// A17 to A20 are about modes and flags that come with later steps; A21, the
// cost of a look-up, is measured by the benchmarks (H13).

// serverTool is a tool that came from an MCP server under the given name.
func serverTool(t *testing.T, server, name string) gongu.Tool {
	t.Helper()
	var imported toolname.Map
	qualified, err := imported.Import(server, name)
	if err != nil {
		t.Fatal(err)
	}
	made := tool(qualified)
	made.Source = gongu.Source{Type: "mcp", Name: server, Original: name}
	return made
}

// Gemini A01: a tool is found by its name, and it is the one registered. Ours
// is a copy: equal in all that is told and with the same handler.
func TestGeminiA01_Get(t *testing.T) {
	given := handled("x", `{"type":"object"}`, func(context.Context, gongu.Call) gongu.Result { return gongu.OK("mine") })
	given.Source = gongu.Source{Type: "go"}
	r := newRegistry(t, tool("w"), given, tool("y"))
	got, ok := r.Get("x")
	if !ok || got.Digest() != given.Digest() {
		t.Fatalf("Get(x) = %+v, %v", got, ok)
	}
	wantOK(t, got.Invoke(t.Context(), gongu.Call{}), `"mine"`)
	if got, ok := r.Get("nowhere"); ok || got.Name != "" {
		t.Errorf("Get(nowhere) = %+v", got)
	}
}

// Gemini A02: of two registrations of one name the later remains, once, and
// the log says so.
func TestGeminiA02_RegisteredTwice(t *testing.T) {
	var log strings.Builder
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	later := tool("x")
	later.Description = "Later."
	for _, one := range []gongu.Tool{tool("x"), tool("y"), later} {
		if strings.Contains(log.String(), "tool=x") {
			t.Error("a first registration was logged as a replacement")
		}
		if err := r.Add(one); err != nil {
			t.Fatal(err)
		}
	}
	wantNames(t, r.Tools(), "x", "y")
	if got := r.Tools()[0].Description; got != "Later." {
		t.Errorf("description = %q", got)
	}
	if !strings.Contains(log.String(), `level=WARN msg="tool replaced" tool=x`) {
		t.Errorf("log:\n%s", log.String())
	}
}

// Gemini A06: removing a server takes its own tools and nobody else's, not
// even those of a server whose name begins alike.
func TestGeminiA06_RemoveServer(t *testing.T) {
	r := newRegistry(t, tool("builtin"), serverTool(t, "s1", "a"), serverTool(t, "s2", "a"), serverTool(t, "s1", "b"), serverTool(t, "s1x", "a"))
	e := overRegistry(r, nil)
	if err := r.Replace(gongu.Source{Type: "mcp", Name: "s1"}); err != nil {
		t.Fatal(err)
	}
	wantNames(t, r.Tools(), "builtin", "s2__a", "s1x__a")
	wantCode(t, run(t, e, "s1__a", `{}`), gongu.CodeNotFound)
	wantOK(t, run(t, e, "s2__a", `{}`), `{}`)
}

// Gemini A06 for the program itself: Add reads a source without a type as go,
// so Replace has to find the same tools under it.
func TestGeminiA06_SourceWithoutType(t *testing.T) {
	r := newRegistry(t)
	for _, name := range []string{"old", "new"} {
		if err := r.Replace(gongu.Source{}, tool(name)); err != nil {
			t.Fatal(err)
		}
	}
	wantNames(t, r.Tools(), "new")
	named := tool("x")
	named.Source.Name = "n"
	if err := r.Replace(gongu.Source{Type: "go", Name: "n"}, named); err != nil {
		t.Error(err)
	}
}

// Gemini A07: the tools of one server are listed by name, whatever order they
// came in.
func TestGeminiA07_ServerToolsSorted(t *testing.T) {
	r := newRegistry(t, serverTool(t, "s", "zebra"), serverTool(t, "other", "aaa"), serverTool(t, "s", "apple"), serverTool(t, "s", "banana"))
	wantNames(t, r.FromSource("McpServer/s"), "s__apple", "s__banana", "s__zebra")
}

// Gemini A08: a server without tools has an empty list. One that differs only
// in kind is another owner.
func TestGeminiA08_NoServerTools(t *testing.T) {
	r := newRegistry(t, serverTool(t, "s", "a"))
	for _, owner := range []string{"McpServer/none", "Tool/s", "s", ""} {
		if got := r.FromSource(owner); got == nil || len(got) != 0 {
			t.Errorf("FromSource(%q) = %v", owner, names(got))
		}
	}
}

// Gemini A09: an excluded tool is in no list, cannot be got and is not
// declared, but stays registered: the next catalog can have it back.
func TestGeminiA09_Excluded(t *testing.T) {
	r := newRegistry(t, tool("a"), tool("b"), tool("c"))
	revision := r.Revision()
	c := catalogOf(t, r, gongu.CatalogOptions{Deny: []gongu.Rule{{Name: "b"}}})
	wantNames(t, c.Callable(), "a", "c")
	wantNames(t, c.Visible(), "a", "c")
	if _, ok := c.Get("b"); ok || c.Has("b") {
		t.Error("b can be got")
	}
	e := overRegistry(r, &gongu.ExecutorOptions{Catalog: c})
	wantCode(t, run(t, e, "b", `{}`), gongu.CodeNotInCatalog)
	if !r.Has("b") || r.Revision() != revision {
		t.Error("excluding changed the registry")
	}
	wantOK(t, run(t, e.WithCatalog(gongu.Everything(r)), "b", `{}`), `{}`)
}

// Gemini A11: excluding the name a server itself uses excludes the qualified
// tool, of every server that has it; a tool of that name that is ours stays
// only if nobody named it.
func TestGeminiA11_ExcludedByUpstreamName(t *testing.T) {
	r := newRegistry(t, serverTool(t, "s1", "write-mcp-tool"), serverTool(t, "s1", "read"), serverTool(t, "s2", "write-mcp-tool"), tool("write"))
	for glob, want := range map[string][]string{
		"write-mcp-tool":     {"s1__read", "write"},
		"s1__write-mcp-tool": {"s1__read", "s2__write-mcp-tool", "write"},
		"write*":             {"s1__read"},
	} {
		c := catalogOf(t, r, gongu.CatalogOptions{Deny: []gongu.Rule{{Name: glob}}})
		if diff := cmp.Diff(want, names(c.Visible())); diff != "" {
			t.Errorf("deny %s (-want +got):\n%s", glob, diff)
		}
	}
	one := catalogOf(t, r, gongu.CatalogOptions{Deny: []gongu.Rule{{Name: "write-mcp-tool", Source: "McpServer/s2"}}})
	wantNames(t, one.Visible(), "s1__write-mcp-tool", "s1__read", "write")
}

// Gemini A14: asking for declarations by name skips excluded and unknown names
// without a word; the rest keeps the order asked for.
func TestGeminiA14_FilteredDeclarations(t *testing.T) {
	r := newRegistry(t, tool("a"), tool("b"), tool("c"))
	asked := []string{"c", "b", "nowhere", "a"}
	c := catalogOf(t, r, gongu.CatalogOptions{Names: asked, Deny: []gongu.Rule{{Name: "b"}}})
	wantNames(t, c.Visible(), "c", "a")
	excluded := catalogOf(t, r, gongu.CatalogOptions{Deny: []gongu.Rule{{Name: "b"}}})
	wantNames(t, excluded.Restrict(asked...).Visible(), "c", "a")
	wantNames(t, r.Restrict("a", "c").ToolsByName(asked...), "c", "a")
}

// Gemini A15: a server's tool that is registered twice is listed and declared
// once; twice in one listing is an error of that listing, not a second tool.
func TestGeminiA15_ServerToolTwice(t *testing.T) {
	same := serverTool(t, "s", "a")
	r := newRegistry(t, same)
	if err := r.Add(same); err != nil {
		t.Fatal(err)
	}
	if err := r.Replace(same.Source, same, same); err == nil || !strings.Contains(err.Error(), "s__a") {
		t.Errorf("twice in one listing: %v", err)
	}
	wantNames(t, r.Tools(), "s__a")
	wantNames(t, r.FromSource("McpServer/s"), "s__a")
	wantNames(t, gongu.Everything(r).Visible(), "s__a")
	wantNames(t, catalogOf(t, r, gongu.CatalogOptions{Names: []string{"s__a", "s__*", "s__a"}}).Visible(), "s__a")
	if r.Len() != 1 {
		t.Errorf("%d tools", r.Len())
	}
}

// Gemini A16: a server's tool is declared by its qualified name, and the
// server's own name is kept beside it, not parsed from it.
func TestGeminiA16_QualifiedName(t *testing.T) {
	r := newRegistry(t, serverTool(t, "github", "create_issue"), serverTool(t, "github", "issues.list"))
	shown := gongu.Everything(r).Visible()
	if shown[0].Name != "github__create_issue" || shown[0].Source.Original != "create_issue" {
		t.Errorf("declared %s for %s", shown[0].Name, shown[0].Source.Original)
	}
	if !strings.HasPrefix(shown[1].Name, "github__issues_list") || shown[1].Source.Original != "issues.list" {
		t.Errorf("declared %s for %s", shown[1].Name, shown[1].Source.Original)
	}
	wantCode(t, run(t, overRegistry(r, nil), "create_issue", `{}`), gongu.CodeNotInCatalog)
}

// Gemini A22: an unknown name in a batch is an error with at most three near
// names, best first; the other calls of the batch run.
func TestGeminiA22_UnknownInBatch(t *testing.T) {
	e := newExecutor(t, nil, tool("read_file"), tool("read_files"), tool("read_file2"), tool("read_file3"), tool("read_file4"), tool("unlike"))
	results := e.Batch(t.Context(), []gongu.Call{
		{ID: "1", Name: "read_file", Args: json.RawMessage(`{"n":1}`)}, {ID: "2", Name: "read_fil"}, {ID: "3", Name: "unlike", Args: json.RawMessage(`{"n":3}`)},
	})
	wantOK(t, results[0], `{"n":1}`)
	wantOK(t, results[2], `{"n":3}`)
	refused := wantCode(t, results[1], gongu.CodeNotInCatalog)
	_, said, ok := strings.Cut(refused.Suggestion, "Did you mean: ")
	near := strings.Split(strings.TrimSuffix(said, "?"), ", ")
	if !ok || len(near) != 3 || near[0] != "read_file" {
		t.Errorf("suggestion = %s", refused.Suggestion)
	}
	if results[1].ToolCallID != "2" || results[1].ToolName != "read_fil" {
		t.Errorf("the error answers %s of %s", results[1].ToolCallID, results[1].ToolName)
	}
}
