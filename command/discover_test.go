package command_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/command"
)

// All forms of a list, and all spellings of a schema.
func TestB_Forms(t *testing.T) {
	for _, test := range []struct{ id, text, want string }{
		{"B01", `[{"functionDeclarations":[{"name":"a"},{"name":"b"}]}]`, "prog__a<a prog__b<b"},
		{"B02", `[{"function_declarations":[{"name":"a"}]}]`, "prog__a<a"},
		{"B03", `[{"name":"a"},{"functionDeclarations":[{"name":"b"}]},{"name":"c"}]`, "prog__a<a prog__b<b prog__c<c"},
		{"B11", `[]`, ""},
		{"B12, row 5: an object with tools", `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`, "prog__a<a"},
		{"row 5: an answer of an MCP server", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}`, "prog__a<a"},
		{"functions of OpenAI", `[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}]`, "prog__a<a"},
		{"B13, row 5: NDJSON", "{\"name\":\"a\"}\n{\"name\":\"b\"}\n", "prog__a<a prog__b<b"},
		{"B13, row 5: a banner", "My tools 1.0\n[info] ready\n[\n {\"name\":\"a\"}\n]\nbye\n", "prog__a<a"},
		{"B14", "\ufeff[{\"name\":\"a\"}]", "prog__a<a"},
		{"B26", `[{"name":"a","description":"1"},{"name":"b"},{"name":"a","description":"2"}]`, "prog__a<a prog__b<b"},
	} {
		listing, err := list(t, test.text)
		if err != nil {
			t.Errorf("%s: %v", test.id, err)
			continue
		}
		if got := toolNames(listing); got != test.want {
			t.Errorf("%s: %s, want %s", test.id, got, test.want)
		}
		if test.id == "B26" && (listing.Tools[0].Description != "2" || len(listing.Problems) != 1) {
			t.Errorf("B26: %+v", listing)
		}
	}
}

// Gemini B04, B05, B06, B25, rows 6 and 7: a bad entry is left out and reported with
// its place, the rest lives.
func TestB_BadEntries(t *testing.T) {
	listing, err := list(t, `[null, 3, "x", {"description":"no name"}, {"functionDeclarations":[null,{"name":7},{"name":"good"}]},
		{"name":"a b"}, {"name":"한글"}, {"name":"`+strings.Repeat("n", 100)+`"}, {"name":""}]`)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, p := range listing.Problems {
		if p.Left {
			left = append(left, p.Path)
		}
	}
	if got, want := strings.Join(left, " "), "[0] [1] [2] [3] [4].functionDeclarations[0] [4].functionDeclarations[1] [8]"; got != want {
		t.Errorf("left out: %s, want %s", got, want)
	}
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(listing.Tools...); err != nil {
		t.Error(err)
	}
	if len(listing.Tools) != 4 || listing.Tools[0].Name != "prog__good" {
		t.Errorf("%s", toolNames(listing))
	}
	for i, original := range []string{"good", "a b", "한글", strings.Repeat("n", 100)} {
		if tool := listing.Tools[i]; tool.Source.Original != original || len(tool.Name) > 64 {
			t.Errorf("%s stands for %s", tool.Name, tool.Source.Original)
		}
	}
}

// Gemini B07, B09, B10, rows 1 and 15.
func TestB_Schemas(t *testing.T) {
	const schema = `{"type":"object","properties":{"id":{"type":"string","format":"uuid"}}}`
	for _, key := range []string{"parametersJsonSchema", "parameters", "inputSchema", "input_schema"} {
		listing, err := list(t, `[{"name":"a","`+key+`":`+schema+`}]`)
		if err != nil || string(listing.Tools[0].Parameters) != schema {
			t.Errorf("B07, B09: %s: %v, %+v", key, err, listing)
		}
	}
	for id, text := range map[string]string{"an array": `[1]`, "a string": `"x"`} {
		listing, err := list(t, `[{"name":"a","parametersJsonSchema":`+text+`}]`)
		if err != nil || len(listing.Tools) != 1 || listing.Tools[0].Parameters != "" || len(listing.Problems) != 1 {
			t.Errorf("B10: %s: %v, %+v", id, err, listing)
		}
	}
	listing, err := list(t, `[{"name":"gemini","parameters":{"type":"OBJECT","properties":{"x":{"type":"STRING"}}}},{"name":"bare","parameters":{"properties":{"x":{"type":"string"}}}}]`)
	if err != nil || len(listing.Tools) != 2 || !strings.Contains(string(listing.Tools[0].Parameters), `"string"`) || !strings.HasPrefix(string(listing.Tools[1].Parameters), `{"type":"object",`) {
		t.Errorf("types of others: %v, %+v", err, listing)
	}
	for id, text := range map[string]string{
		"a type that is none":  `{"type":"object","properties":{"x":{"type":"nonsense"}}}`,
		"a dangling $ref":      `{"type":"object","properties":{"x":{"$ref":"#/$defs/none"}}}`,
		"an array at the root": `{"type":"array"}`,
		"a bomb":               `{"type":"object","allOf":[` + strings.Repeat(`{"allOf":[`, 200) + strings.Repeat(`]}`, 200) + `]}`,
	} {
		listing, err := list(t, `[{"name":"bad","parameters":`+text+`},{"name":"good"}]`)
		if err != nil || toolNames(listing) != "prog__good<good" || len(listing.Problems) != 1 || listing.Problems[0].Path != "[0]" {
			t.Errorf("C13, row 15: %s: %v, %+v", id, err, listing)
		}
	}
}

// Gemini B13, B15 to B19, B21, B23: what fails as a whole says why.
func TestB_Failures(t *testing.T) {
	for _, text := range []string{"", " \n", "nothing here", "[{\"name\":\"a\"},\n", `[{"name":"a"}` + "\n" + `{"name":"b"}]`} {
		if listing, err := list(t, text); err == nil {
			t.Errorf("B13: %q was read as %s", text, toolNames(listing))
		}
	}
	discover := func(timeout time.Duration, argv ...string) (*command.Listing, error) {
		source, err := command.New(command.Config{Name: "prog", Discover: argv, Call: []string{"true"}, DiscoverTimeout: timeout})
		if err != nil {
			return nil, err
		}
		return source.Discover(t.Context())
	}
	const patient = time.Minute // what is not about time must not fail by it
	for _, test := range []struct {
		id, want string
		timeout  time.Duration
		argv     []string
	}{
		{"B15", "exit code 3; it said: oops", patient, []string{"sh", "-c", "echo '[]'; echo oops >&2; exit 3"}},
		{"B18", "was not found", patient, []string{"no-such-program-at-all"}},
		{"B19", "discover is empty", patient, []string{"  "}},
		{"B23", "did not end within", time.Second, []string{"sleep", "60"}},
		{"B17", "more than", patient, []string{"sh", "-c", "head -c 70000000 /dev/zero"}},
	} {
		if _, err := discover(test.timeout, test.argv...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.id, err, test.want)
		}
	}
	if listing, err := discover(0, "sh", "-c", `echo noise >&2; echo '[{"name":"a"}]'`); err != nil || len(listing.Tools) != 1 {
		t.Errorf("B16: %v", err)
	}
	// Gemini B21, row 3: the input is empty, so a program that reads it ends.
	if _, err := discover(0, "cat"); err == nil || !strings.Contains(err.Error(), "printed nothing") {
		t.Errorf("B21: %v", err)
	}
	// Gemini B20, B22, rows 2 and 4: no shell reads the words.
	if listing, err := discover(0, "echo", `[{"name":"a","description":"$HOME | cat > x"}]`); err != nil || listing.Tools[0].Description != "$HOME | cat > x" {
		t.Errorf("B20, B22: %v", err)
	}
	if listing, err := discover(0, "sh", "-c", `VAR=a; echo "[{\"name\":\"$VAR\"}]" | cat`); err != nil || toolNames(listing) != "prog__a<a" {
		t.Errorf("B20, with a shell: %v", err)
	}
}

// Gemini B24, row 8, promise S3: a failed refresh is an error, and what was listed
// before still works.
func TestS3_FailedRefreshKeepsTheSet(t *testing.T) {
	dir := t.TempDir()
	source, err := command.New(command.Config{Name: "prog", Discover: []string{"sh", "-c", "test ! -e gone && echo '[{\"name\":\"a\"},{\"name\":\"b\"}]' && touch gone"}, Call: []string{"echo"}, Cwd: dir})
	if err != nil {
		t.Fatal(err)
	}
	registry := gongu.NewRegistry(nil)
	owner := gongu.Source{Type: "command", Name: "prog"}
	refresh := func() error {
		listing, err := source.Discover(t.Context())
		if err != nil {
			return err
		}
		return registry.Replace(owner, listing.Tools...)
	}
	if err := refresh(); err != nil || registry.Len() != 2 {
		t.Fatal(err, registry.Len())
	}
	if err := refresh(); err == nil || registry.Len() != 2 {
		t.Errorf("%v, %d tools", err, registry.Len())
	}
	result := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)}).Call(t.Context(), gongu.Call{Name: "prog__a"})
	if string(result.Output) != `"a\n"` {
		t.Errorf("%+v", result)
	}
}

// Definitions are what a pin covers: an MCP list of the same tools.
func TestDefinitions(t *testing.T) {
	listing, err := list(t, `[{"name":"a b","description":"<d>","parameters":{"type":"object"},"annotations":{"readOnlyHint":true}}]`)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"a b","description":"<d>","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	if got := string(listing.Definitions[0]); got != want {
		t.Errorf("%s", got)
	}
	// K5: the pin has the hint, but only a program that is trusted is believed.
	if listing.Tools[0].Annotations.IsReadOnly() {
		t.Error("a program without trust: true is believed to be read-only")
	}
	source, err := command.New(command.Config{Name: "prog", Discover: []string{"true"}, Call: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	again, err := source.Tool(listing.Definitions[0])
	if err != nil || again.Digest() != listing.Tools[0].Digest() {
		t.Errorf("%v: %+v", err, again)
	}
	if !source.Owns("prog__x") || source.Owns("other__x") {
		t.Error("whose tool is it?")
	}
}

func TestPrefix(t *testing.T) {
	none, own := "", "p"
	for prefix, want := range map[*string]string{&none: "a", &own: "p__a", nil: "prog__a"} {
		source, err := command.New(command.Config{Name: "prog", Discover: []string{"echo", `[{"name":"a"}]`}, Call: []string{"true"}, Prefix: prefix})
		if err != nil {
			t.Fatal(err)
		}
		listing, err := source.Discover(t.Context())
		if err != nil || listing.Tools[0].Name != want {
			t.Errorf("%v %+v, want %s", err, listing, want)
		}
	}
}

func FuzzList(f *testing.F) {
	for _, seed := range []string{`[{"name":"a"}]`, "{\"tools\":[]}\n", "[info]\n[]", `[{"functionDeclarations":[null]}]`, "\ufeff[", `{"name":1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		listing, err := command.Parse("prog", []byte(text))
		if err != nil {
			return
		}
		if err := gongu.NewRegistry(nil).Add(listing.Tools...); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// Many entries are read side by side, and the list is the same: the order, the
// place of each problem, the last of two that share a name, and the limit.
func TestManyToolsInOrder(t *testing.T) {
	var text strings.Builder
	text.WriteString("[")
	for i := range 100_050 {
		switch {
		case i == 700:
			text.WriteString("null,")
		case i == 90_000:
			text.WriteString(`{"name":"t5","description":"the last"},`)
		default:
			fmt.Fprintf(&text, `{"name":"t%d"},`, i)
		}
	}
	text.WriteString(`{"name":"end"}]`)
	listing, err := command.Parse("prog", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(listing.Tools) != 100_000 || listing.Tools[5].Description != "the last" || listing.Tools[700].Name != "prog__t701" || listing.Tools[99_999].Name != "prog__t100001" {
		t.Errorf("%d tools, %+v, %s", len(listing.Tools), listing.Tools[5], listing.Tools[700].Name)
	}
	var problems []string
	for _, p := range listing.Problems {
		problems = append(problems, fmt.Sprint(p.Path, p.Left))
	}
	if got := strings.Join(problems, " "); got != "[700]true [90000]false [100002]true" {
		t.Errorf("%s", got)
	}
}

// TestManyTools is about size alone; the time is in bench.
func TestManyTools(t *testing.T) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, `{"name":"tool_%d","description":"Number %d","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}`+"\n", i, i)
	}
	begin := time.Now()
	listing, err := command.Parse("prog", []byte(text.String()))
	if err != nil || len(listing.Tools) != 10_000 {
		t.Fatal(err)
	}
	t.Logf("10,000 tools in %s", time.Since(begin))
}
