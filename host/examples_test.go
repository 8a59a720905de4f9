package host_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
)

// example opens one of the examples with a state root of its own.
func example(t *testing.T, name string, opts host.Options) *host.Host {
	t.Helper()
	opts.StateRoot = t.TempDir()
	return open(t, filepath.Join("..", "examples", name), &opts)
}

func wantSum(t *testing.T, path, want string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "examples", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != want {
		t.Errorf("%s is not the seed's text", path)
	}
}

// mapped sends the requests for one host to another.
type mapped struct {
	host string
	to   *url.URL
	seen []string
}

func (m *mapped) RoundTrip(r *http.Request) (*http.Response, error) {
	m.seen = append(m.seen, r.URL.String())
	r = r.Clone(r.Context())
	if r.URL.Host == m.host {
		r.URL.Scheme, r.URL.Host = m.to.Scheme, m.to.Host
	}
	return http.DefaultTransport.RoundTrip(r)
}

// B7: the extension of seed 001 §12.2, byte for byte, through a transport that
// maps its host to a loopback server; a 500 is the seed's own error.
func TestB7_Weather(t *testing.T) {
	wantSum(t, "weather/extensions/weather/index.ts", "eaab4dee4a7a985c0bdd995d9eb4be3896867b4619acd5bcae42577f9523ea8e")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("city") == "Atlantis" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, `{"city":"`+r.URL.Query().Get("city")+`","temp":21.5}`)
	}))
	defer server.Close()
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &mapped{host: "api.weather.example", to: to}
	h := example(t, "weather", host.Options{System: host.SystemOptions{Transport: transport}})
	if got := call(t, h, "", "weather__get", `{"city":"서울"}`); string(got.Output) != `{"city":"서울","temp":21.5}` {
		t.Errorf("%+v", got)
	}
	if got := call(t, h, "", "weather__get", `{"city":"Atlantis"}`); got.Error == nil || got.Error.Message != "날씨 API 오류: 500" || got.Error.Code != gongu.CodeTool {
		t.Errorf("%+v", got.Error)
	}
	if got := call(t, h, "", "weather__get", `{}`); got.Error == nil || got.Error.Code != gongu.CodeInvalidArgs {
		t.Errorf("%+v", got.Error)
	}
	want := []string{"https://api.weather.example/v1/current?city=%EC%84%9C%EC%9A%B8", "https://api.weather.example/v1/current?city=Atlantis"}
	if diff := cmp.Diff(want, transport.seen); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// B7: the extension of seed 001 §8.4, byte for byte, logs each call.
func TestB7_ToolLog(t *testing.T) {
	wantSum(t, "seed/extensions/tool-log/index.ts", "b9518d291afe9c4bda2eb7f9cad7dcdbcef45e06c0ef8e5a7bba4da630423d93")
	heard, logger := listen()
	h := example(t, "seed", host.Options{Logger: logger})
	got := call(t, h, "", "file-system__write", `{"path":"a.txt","content":"hi"}`)
	if got.Failed() || !strings.Contains(string(got.Output), `"written":true`) {
		t.Errorf("%+v", got)
	}
	text := heard.String()
	begin, end := strings.Index(text, "Tool 호출: file-system__write {path: "), strings.Index(text, "Tool 완료: file-system__write (")
	if begin < 0 || end < begin || !strings.Contains(text, "level=DEBUG") || !strings.Contains(text, "extension=tool-log") {
		t.Errorf("log:\n%s", text)
	}
}

// B9: the three items of seed 001 §13.2, one of a Tool resource and two that a
// running extension registers.
func TestB9_ItemsOfExtensions(t *testing.T) {
	dir := folder(t, `apiVersion: goondan.ai/v1
kind: Tool
metadata: { name: bash }
spec:
  entry: builtin:bash
  exports: [{ name: exec, description: "셸 명령 실행", parameters: { type: object, properties: { command: { type: string } }, required: [command] } }]
---
apiVersion: goondan.ai/v1
kind: Extension
metadata: { name: weather-ext }
spec: { entry: ./weather.ts }
---
apiVersion: goondan.ai/v1
kind: Extension
metadata: { name: mcp-github }
spec: { entry: ./github.ts }
`)
	write(t, dir, "weather.ts", register(`api.tools.register({ name: 'weather__get', description: '특정 도시의 현재 날씨 정보를 조회합니다', parameters: { type: 'object', properties: {} } }, () => 1);`))
	write(t, dir, "github.ts", register(`api.tools.register({ name: 'github__create_issue', description: 'GitHub 이슈를 생성합니다',
		parameters: { type: 'object', properties: { repo: { type: 'string' }, title: { type: 'string' } }, required: ['repo', 'title'] },
		source: { type: 'mcp', name: 'mcp-github', mcp: { extensionName: 'mcp-github' } } }, () => 1);
		api.pipeline.register('step', async (ctx) => { api.state.set({ items: ctx.toolCatalog.filter((item) => item.source.type !== 'go') }); return ctx.next(); });
		api.tools.register({ name: 'state__get' }, () => api.state.get());`))
	h := open(t, dir, nil)
	want := `[{"name":"bash__exec","description":"셸 명령 실행","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]},"source":{"type":"config","name":"bash"}},` +
		`{"name":"weather__get","description":"특정 도시의 현재 날씨 정보를 조회합니다","parameters":{"type":"object","properties":{}},"source":{"type":"extension","name":"weather-ext"}},` +
		`{"name":"github__create_issue","description":"GitHub 이슈를 생성합니다","parameters":{"type":"object","properties":{"repo":{"type":"string"},"title":{"type":"string"}},"required":["repo","title"]},"source":{"type":"mcp","name":"mcp-github","mcp":{"extensionName":"mcp-github"}}},`
	// The script itself reads them as the seed prints them.
	if got := call(t, h, "", "state__get", `{}`); !strings.HasPrefix(string(got.Output), `{"items":`+want) {
		t.Errorf("%s\nwant %s", got.Output, want)
	}
}

// The coding agent's tools do what they say, on a project made here.
func TestExampleCodingAgent(t *testing.T) {
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%v: the example runs git and go; install what is missing", err)
		}
	}
	project, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, project, "go.mod", "module example.com/p\n\ngo 1.21\n")
	write(t, project, "p.go", "package p\n\n// TODO: more\ntype T struct{}\n\nfunc (t T) M() int { return 1 }\n\nfunc F() int { return 2 }\n")
	write(t, project, "p_test.go", "package p\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) {}\n\nfunc TestBad(t *testing.T) { t.Error(\"no\") }\n")
	write(t, project, "web/a.test.ts", "export const run = async () => 1; // todo\n")
	write(t, project, ".gitignore", "ignored/\n")
	write(t, project, "ignored/x.go", "// TODO: never seen\n")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = project
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "first words")
	write(t, project, "p.go", "package p\n\n// TODO: more\ntype T struct{}\n\nfunc (t T) M() int { return 1 }\n\nfunc F() int { return 3 }\n")
	write(t, project, "new file.txt", "x")

	h := example(t, "coding-agent", host.Options{Workdir: project, System: host.SystemOptions{Env: []string{"GOCACHE", "GOPATH", "GOMODCACHE", "GOFLAGS", "GOPROXY"}}})
	for _, c := range []struct{ name, args, want string }{
		{"code__grep", `{"pattern":"TODO"}`, `{"matches":[{"path":"p.go","line":3,"text":"// TODO: more"}],"searched":6,"truncated":false}`},
		{"code__grep", `{"pattern":"todo","ignoreCase":true,"glob":"*.{ts,js}"}`, `{"matches":[{"path":"web/a.test.ts","line":1,"text":"export const run = async () => 1; // todo"}],"searched":1,"truncated":false}`},
		{"code__grep", `{"pattern":"return","maxResults":1,"context":1,"path":"p.go"}`, `{"matches":[{"path":"p.go","line":6,"text":"func (t T) M() int { return 1 }","before":[""],"after":[""]}],"searched":1,"truncated":true}`},
		{"code__find", `{"glob":"web/**/*.ts"}`, `{"files":["web/a.test.ts"],"total":1,"truncated":false}`},
		{"code__outline", `{"path":"p.go"}`, `{"path":"p.go","language":"go","lines":9,"symbols":[{"line":4,"kind":"type","name":"T","indent":0},{"line":6,"kind":"method","name":"M","indent":0},{"line":8,"kind":"function","name":"F","indent":0}]}`},
		{"git__status", `{}`, `{"branch":"main","upstream":null,"ahead":0,"behind":0,"staged":[],"unstaged":[{"path":"p.go","state":"modified"}],"untracked":["new file.txt"],"conflicts":[],"clean":false}`},
	} {
		got := call(t, h, "coder", c.name, c.args)
		if string(got.Output) != c.want {
			t.Errorf("%s %s: %s %+v\nwant %s", c.name, c.args, got.Output, got.Error, c.want)
		}
	}
	var diff struct {
		Files []struct{ Added, Removed int }
		Patch string
	}
	if err := json.Unmarshal(call(t, h, "reviewer", "git__diff", `{"path":"p.go"}`).Output, &diff); err != nil {
		t.Fatal(err)
	}
	if len(diff.Files) != 1 || diff.Files[0].Added != 1 || !strings.Contains(diff.Patch, "+func F() int { return 3 }") {
		t.Errorf("%+v", diff)
	}
	var ran struct {
		Passed   bool
		Command  string
		Failures []string
		Output   string
	}
	result := call(t, h, "coder", "tests__run", `{"filter":"Bad|Good"}`)
	if err := json.Unmarshal(result.Output, &ran); err != nil {
		t.Fatal(err, result.Error)
	}
	if ran.Passed || strings.Join(ran.Failures, " ") != "TestBad" || ran.Command != "go test -run Bad|Good ./..." {
		t.Errorf("%+v", ran)
	}
	if got := call(t, h, "coder", "code__grep", `{"pattern":"("}`); got.Error == nil || got.Error.Suggestion == "" {
		t.Errorf("%+v", got)
	}
	if got := call(t, h, "coder", "git__diff", `{"against":"--output=x"}`); got.Error == nil {
		t.Errorf("an option was taken for a revision: %s", got.Output)
	}
	call(t, h, "coder", "notes__add", `{"text":"Run make test."}`)
	if got := call(t, h, "coder", "notes__list", `{}`); !strings.Contains(string(got.Output), `"text":"Run make test."`) {
		t.Errorf("%+v", got)
	}
	if got := call(t, h, "reviewer", "notes__list", `{}`); got.Error == nil || got.Error.Code != gongu.CodeNotInCatalog {
		t.Errorf("%+v", got)
	}
}

// Seed 001 §3: the figure. The catalog of a step is what the agent declares and
// what its extensions have registered.
func TestSeed001_RegistryAndCatalog(t *testing.T) {
	tool := func(name, exports string) string {
		return "apiVersion: goondan.ai/v1\nkind: Tool\nmetadata: { name: " + name + " }\nspec: { entry: ./t.ts, exports: [" + exports + "] }\n---\n"
	}
	dir := folder(t, tool("a", "{ name: foo }, { name: bar }")+tool("b", "{ name: run }")+tool("z", "{ name: run }")+`apiVersion: goondan.ai/v1
kind: Extension
metadata: { name: c-ext }
spec: { entry: ./c.ts }
---
apiVersion: goondan.ai/v1
kind: Extension
metadata: { name: d-ext }
spec: { entry: ./d.ts }
---
apiVersion: goondan.ai/v1
kind: Model
metadata: { name: m }
spec: { provider: openai, model: x }
---
apiVersion: goondan.ai/v1
kind: Agent
metadata: { name: g }
spec:
  modelConfig: { modelRef: Model/m }
  tools: [Tool/a, Tool/b]
  extensions: [Extension/c-ext, Extension/d-ext]
`)
	write(t, dir, "t.ts", "export const handlers = { foo: () => 1, bar: () => 1, run: () => 1 };")
	write(t, dir, "c.ts", register(`api.tools.register({ name: 'c__dynamic' }, () => 1);`))
	write(t, dir, "d.ts", register(`for (const name of ['query', 'mutate']) api.tools.register({ name: 'd__' + name, source: { type: 'mcp', name: 'd', mcp: { extensionName: 'd-ext' } } }, () => 1);`))
	h := open(t, dir, nil)
	for name, want := range map[string]string{
		"":  "a__foo a__bar b__run z__run c__dynamic d__query d__mutate",
		"g": "a__foo a__bar b__run c__dynamic d__query d__mutate",
	} {
		inStep(t, h, name, func(_ context.Context, x *gongu.Executor) {
			if got := shown(x.Catalog()); got != want {
				t.Errorf("%q: %s, want %s", name, got, want)
			}
		})
	}
}
