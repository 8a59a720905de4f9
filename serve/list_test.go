package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
)

// A list is encoded once for each state of a catalog, and what changes in the
// registry is in the next one.
func TestListFollowsTheRegistry(t *testing.T) {
	h := openHost(t, readOnly(echo("one")))
	s := newServer(t, serve.Options{Backend: h, Mode: serve.ModeDirect})
	c := as(t, s, gongu.Principal{Name: "p", Allow: []gongu.Rule{{Domain: "general"}}})
	expect := func(when string, builds, hits uint64, want ...string) {
		t.Helper()
		if got := c.names(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
		if n := s.Counters(); n.ListBuilds != builds || n.ListHits != hits {
			t.Errorf("%s: %d built, %d from memory; want %d and %d", when, n.ListBuilds, n.ListHits, builds, hits)
		}
	}
	expect("first", 1, 0, "one")
	expect("again", 1, 1, "one")
	if err := h.Registry().Add(readOnly(echo("two"))); err != nil {
		t.Fatal(err)
	}
	expect("added", 2, 1, "one", "two")
	changed := readOnly(echo("two"))
	changed.Description = "Another one."
	if err := h.Registry().Add(changed); err != nil {
		t.Fatal(err)
	}
	if _, body := c.modern("tools/list", "", "{}"); !strings.Contains(body, "Another one.") {
		t.Errorf("the changed definition is not in %s", body)
	}
	h.Registry().Remove("one")
	expect("removed", 4, 1, "two")
	expect("and again", 4, 2, "two")
}

// Two catalogs with the same callable tools may show different ones.
func TestListOfWhatIsVisible(t *testing.T) {
	b := newBackend(t, nil, readOnly(echo("one")), readOnly(echo("two")))
	hide := ""
	b.agent = func(string) (*gongu.Catalog, error) {
		return gongu.Everything(b.registry).Select(&gongu.CatalogOptions{Hide: []gongu.Rule{{Name: hide}}})
	}
	s := newServer(t, serve.Options{Backend: b})
	c := as(t, s, gongu.Principal{Name: "p"})
	c.url += "/a"
	for range 2 {
		for hidden, want := range map[string]string{"one": "two", "two": "one"} {
			hide = hidden
			if got := c.names(); !slices.Equal(got, []string{want}) {
				t.Errorf("without %s: %q", hidden, got)
			}
		}
	}
	// Each step makes a catalog of its own, and each list is encoded once.
	if n := s.Counters(); n.ListBuilds != 2 || n.ListHits != 2 {
		t.Errorf("%d built, %d from memory", n.ListBuilds, n.ListHits)
	}
}

// Promise V5 and V6: what is remembered for one token is not given to another
// with other rules, on the same catalog.
func TestV6RulesAreToldApart(t *testing.T) {
	h := openHostOffering(t, []string{"writes"}, readOnly(echo("one")), readOnly(echo("two")), echo("writes"))
	s := newServer(t, serve.Options{Backend: h, Mode: serve.ModeDirect})
	for range 2 {
		for _, tc := range []struct {
			allow []gongu.Rule
			want  []string
		}{
			{[]gongu.Rule{{Name: "one"}}, []string{"one"}},
			{[]gongu.Rule{{Name: "two"}}, []string{"two"}},
			{[]gongu.Rule{{Name: "one"}, {Name: "two"}}, []string{"one", "two"}},
			{[]gongu.Rule{{Domain: "general", ReadOnly: new(true)}}, []string{"one", "two"}},
			{[]gongu.Rule{{Domain: "general", ReadOnly: new(false)}}, []string{"writes"}},
			{[]gongu.Rule{{Domain: "general"}}, []string{"one", "two", "writes"}},
			{[]gongu.Rule{}, nil},
		} {
			if got := as(t, s, gongu.Principal{Name: "p", Allow: tc.allow}).names(); !slices.Equal(got, tc.want) {
				t.Errorf("%+v: %q, want %q", tc.allow, got, tc.want)
			}
		}
		if got := as(t, s, gongu.Principal{Name: "all"}).names(); !slices.Contains(got, "writes") || slices.Contains(got, "bash__exec") {
			t.Errorf("without rules: %q", got)
		}
	}
}

// A large answer is the same as a small one: whole, with its length and the
// client's id, in both eras.
func TestLargeAnswers(t *testing.T) {
	text := strings.Repeat("long ", 50_000)
	big := tool("big", func(context.Context, json.RawMessage) gongu.Result { return says(text) })
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, append(manyTools(1000), big)...), Mode: serve.ModeDirect})
	read := func(c *client, id, method, params string) json.RawMessage {
		t.Helper()
		resp := c.send(t.Context(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params))
		defer resp.Body.Close()
		var out struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		raw := make([]byte, resp.ContentLength)
		if n, err := readFull(resp.Body, raw); err != nil || n != len(raw) {
			t.Fatalf("%d of %d bytes: %v", n, len(raw), err)
		}
		if err := json.Unmarshal(raw, &out); err != nil || string(out.ID) != id || resp.Header.Get("Content-Length") != strconv.Itoa(len(raw)) {
			t.Errorf("%s: %v, id %s", method, err, out.ID)
		}
		return out.Result
	}
	legacy, modern := as(t, s, gongu.Principal{Name: "p"}).begin("{}"), as(t, s, gongu.Principal{Name: "p"})
	for _, tc := range []struct {
		client *client
		meta   string
	}{{legacy, ""}, {modern, transcriptMeta + "{}}"}} {
		var list struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(read(tc.client, `"é1"`, "tools/list", tc.meta), &list); err != nil || len(list.Tools) != 1001 {
			t.Errorf("%d tools, %v", len(list.Tools), err)
		}
		meta := tc.meta
		if meta != "" {
			meta = "," + meta
		}
		var called struct{ Content []struct{ Text string } }
		if err := json.Unmarshal(read(tc.client, "7", "tools/call", `"name":"big"`+meta), &called); err != nil || called.Content[0].Text != text {
			t.Errorf("%v", err)
		}
	}
}

// readFull reads as many bytes as were announced, and expects no more.
func readFull(r io.Reader, into []byte) (int, error) {
	n, err := io.ReadFull(r, into)
	if err == nil {
		if more, _ := r.Read(make([]byte, 1)); more > 0 {
			return n + more, nil
		}
	}
	return n, err
}

// A definition of an upstream keeps its form in lists: only the name is ours,
// and an output that older clients cannot read is left out for them.
func TestListKeepsTheForm(t *testing.T) {
	long := "server__" + strings.Repeat("long_", 9)
	odd := readOnly(echo(long))
	odd.Description, odd.Parameters, odd.Output = "D", `{"type":"object","properties":{}}`, `{"type":"string"}`
	odd.Template = `{"_meta":{"b":1,"a":2},"outputSchema":null,"icons":[{"src":"i"}],"name":null,"inputSchema":null,"annotations":{"title":"A","readOnlyHint":null},"description":null,"vendor":true}`
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, odd)})
	c := as(t, s, gongu.Principal{Name: "p"})
	name := c.names()[0]
	if len(name) != 48 {
		t.Fatal(name)
	}
	want := `[{"_meta":{"b":1,"a":2},"outputSchema":{"type":"string"},"icons":[{"src":"i"}],"name":"` + name + `","inputSchema":{"type":"object","properties":{}},"annotations":{"title":"A","readOnlyHint":true},"description":"D","vendor":true}]`
	if _, body := c.modern("tools/list", "", "{}"); !strings.Contains(body, want) {
		t.Errorf("modern: %s\nwant %s", body, want)
	}
	want = strings.Replace(want, `"outputSchema":{"type":"string"},`, ``, 1)
	if _, body := as(t, s, gongu.Principal{Name: "p"}).begin("{}").post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(body, want) {
		t.Errorf("legacy: %s\nwant %s", body, want)
	}
	// What changes in a form changes the list.
	b := newBackend(t, nil, odd)
	s = newServer(t, serve.Options{Backend: b})
	c = as(t, s, gongu.Principal{Name: "p"})
	c.names()
	odd.Template = strings.Replace(odd.Template, `"src":"i"`, `"src":"j"`, 1)
	if err := b.registry.Add(odd); err != nil {
		t.Fatal(err)
	}
	if _, body := c.modern("tools/list", "", "{}"); !strings.Contains(body, `"src":"j"`) {
		t.Errorf("%s", body)
	}
	odd.Template = "[]"
	if err := b.registry.Add(odd); err == nil || !strings.Contains(err.Error(), "template") {
		t.Errorf("%v", err)
	}
}
