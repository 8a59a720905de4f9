//go:build e2e

package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/modelserver"
)

const modules = "clients/node_modules"

// person is somebody with a client, in a home of their own.
type person struct {
	home, project string
	env           []string
	model         *modelserver.Server
}

func newPerson(t *testing.T, script ...modelserver.Turn) *person {
	t.Helper()
	model, err := modelserver.Start(append(script, modelserver.Turn{Text: lastWords})...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	p := &person{project: filepath.Join(t.TempDir(), "project"), model: model, env: scratch(t)}
	if err := os.MkdirAll(p.project, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, entry := range p.env {
		if home, ok := strings.CutPrefix(entry, "HOME="); ok {
			p.home = home
		}
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			p.env[i] = "PATH=" + filepath.Dir(nodeFrom(t, modules)) + string(os.PathListSeparator) + path
		}
	}
	return p
}

// lastWords end the script of the model.
const lastWords = "the loop is complete"

func (p *person) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(p.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestClients: what gongu connect writes in one line works with the client
// itself, and the whole loop runs: model, client, gongu, tool, and back to the
// model. A person has a server already, which moves behind gongu, on pipes or
// over HTTP with a token; or has nothing but a new bundle. P2: a tool that changes
// something runs when the client has asked its user, without a second question by
// gongu; with --ask gongu, a client that cannot show the question tells the model how
// its user can answer.
func TestClients(t *testing.T) {
	record := newRecord(t)
	for _, name := range []string{"claude", "gemini", "codex", "opencode"} {
		for _, way := range []string{"stdio", "http", "init", "write", "ask gongu"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				turn := modelserver.Turn{Tool: `everything__echo$`, Args: json.RawMessage(`{"message":"from the model"}`)}
				answer, has, folder := "Echo: from the model", "everything", t.TempDir()
				switch way {
				case "write", "ask gongu":
					has = "filesystem"
					turn = modelserver.Turn{Tool: `filesystem__write_file$`, Args: json.RawMessage(`{"path":"` + folder + `/note.txt","content":"from the model"}`)}
					answer = "Successfully wrote"
					if way == "ask gongu" {
						answer = "gongu approvals approve ap-"
					}
				case "init":
					// Some clients write a dash in another way.
					turn = modelserver.Turn{Tool: `json.query__query$`, Args: json.RawMessage(`{"data":"{\"who\":[\"공구\"]}","path":"who[0]"}`)}
					answer, has = "공구", ""
				}
				p := newPerson(t, turn)
				clients := p.clients(t, has, folder)
				c := clients[slices.IndexFunc(clients, func(c clientCase) bool { return c.name == name })]
				p.connect(t, &c, way)
				var said wire
				stop := func() {}
				if has == "filesystem" {
					said, stop = p.listen(t, c)
				}
				began := time.Now()
				p.loop(t, c)
				stop()
				called := p.check(t, regexp.MustCompile(`gongu.*`+turn.Tool), answer)
				record.add(t, c, way, called, answer, time.Since(began))
				if _, err := os.Stat(filepath.Join(folder, "note.txt")); (err == nil) != (way == "write") {
					t.Errorf("the file: %v", err)
				}
				if has == "filesystem" {
					record.noteWire(t, c, way, said)
				}
				p.undo(t, c, c.rewrites && (way == "http" || way == "init"))
			})
		}
	}
	questions(t, record)
}

// connect runs gongu connect as a person would.
func (p *person) connect(t *testing.T, c *clientCase, way string) {
	t.Helper()
	p.write(t, c.file, c.settings)
	args := []string{"connect", c.name}
	switch way {
	case "init":
		gongu(t, p.env, "init", p.project)
		args = append(args, "-b", p.project)
	case "ask gongu":
		args = append(args, "--ask", "gongu")
	case "http":
		bundle := t.TempDir()
		gongu(t, p.env, "mcp", "import", filepath.Join(p.home, filepath.FromSlash(c.file)), "-b", bundle)
		url, token := serveWith(t, p.env, "-b", bundle)
		c.env = append(c.env, "GONGU_TOKEN="+token)
		args = append(args, "-b", bundle, "--http", "--url", url)
	}
	t.Log(gongu(t, p.env, args...))
}

// loop gives the client a prompt.
func (p *person) loop(t *testing.T, c clientCase) {
	t.Helper()
	out, problems, err := output(t, p.project, slices.Concat(p.env, c.env), c.command[0], c.command[1:]...)
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
	}
	if !strings.Contains(out, lastWords) {
		t.Errorf("the client did not print the model's last words")
	}
	if t.Failed() {
		t.Logf("%s printed:\n%s\n%s", c.name, out, problems)
	}
}

// undo: the way back is exact. A client that keeps its state in the same file
// has changed it by now; then the servers alone are taken back, or, by force,
// all of it.
func (p *person) undo(t *testing.T, c clientCase, force bool) {
	t.Helper()
	args := []string{"connect", c.name, "--undo"}
	if force {
		args = append(args, "--force")
	}
	file := filepath.Join(p.home, filepath.FromSlash(c.file))
	said := gongu(t, p.env, args...)
	now, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !c.rewrites || force {
		if string(now) != c.settings {
			t.Errorf("after undo the file is\n%s", now)
		}
		return
	}
	if !strings.Contains(said, "Other changes since then were kept.") || strings.Contains(string(now), "--stdio") || !strings.Contains(string(now), "modelcontextprotocol") {
		t.Errorf("undo said %s\nand the file is\n%s", said, now)
	}
}

// check: the model called the tool through gongu, and its next turn had the
// tool's answer.
func (p *person) check(t *testing.T, tool *regexp.Regexp, answer string) (called string) {
	t.Helper()
	answered := false
	for _, r := range p.model.Requests() {
		if r.Called != "" {
			called = r.Called
		}
		answered = answered || len(r.Results) == 1 && strings.Contains(r.Results[0], answer) && r.Text == lastWords
	}
	if !tool.MatchString(called) {
		t.Errorf("the model called %q", called)
	}
	if !answered {
		t.Error("the model never saw the tool's answer")
	}
	if t.Failed() {
		for i, r := range p.model.Requests() {
			t.Logf("request %d: %s, %d tools %.300q, results %.300q, called %q, said %q", i, r.API, len(r.Tools), r.Tools, r.Results, r.Called, r.Text)
		}
	}
	return called
}
