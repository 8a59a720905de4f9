//go:build e2e

package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/modelserver"
)

// question is one that codex shows to its user.
type question struct {
	ServerName      string          `json:"serverName"`
	Mode            string          `json:"mode"`
	Message         string          `json:"message"`
	RequestedSchema json.RawMessage `json:"requestedSchema"`
	Meta            json.RawMessage `json:"_meta"`
}

// window is the part of codex that a person sees: its app server with the messages
// of a window, such as an editor's.
type window struct {
	stdin io.Writer
	lines *bufio.Scanner
	said  bytes.Buffer
}

func (w *window) send(t *testing.T, message any) {
	t.Helper()
	if _, err := fmt.Fprintln(w.stdin, encoded(t, message)); err != nil {
		t.Fatal(err)
	}
}

// run gives codex a prompt and passes its questions to a person until the turn is
// over. An answer of nil leaves the question open.
func (w *window) run(t *testing.T, dir string, person func(question) any) (asked []question) {
	t.Helper()
	type object = map[string]any
	w.send(t, object{"id": 1, "method": "initialize", "params": object{"clientInfo": object{"name": "window", "title": "window", "version": "0"}}})
	for w.lines.Scan() {
		w.said.Write(append(w.lines.Bytes(), '\n'))
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params question        `json:"params"`
			Result struct {
				Thread struct {
					ID string `json:"id"`
				} `json:"thread"`
			} `json:"result"`
		}
		if err := json.Unmarshal(w.lines.Bytes(), &m); err != nil {
			t.Fatalf("%v: %s", err, w.lines.Bytes())
		}
		switch {
		case m.Method == "" && string(m.ID) == "1":
			w.send(t, object{"method": "initialized"})
			w.send(t, object{"id": 2, "method": "thread/start", "params": object{"cwd": dir}})
		case m.Method == "" && string(m.ID) == "2":
			w.send(t, object{"id": 3, "method": "turn/start", "params": object{"threadId": m.Result.Thread.ID, "input": []any{object{"type": "text", "text": "go"}}}})
		case m.Method == "mcpServer/elicitation/request":
			asked = append(asked, m.Params)
			if answer := person(m.Params); answer != nil {
				w.send(t, object{"id": m.ID, "result": answer})
			}
		case m.Method == "turn/completed":
			return asked
		}
	}
	t.Errorf("codex ended before the turn did: %v", w.lines.Err())
	return asked
}

// openWindow starts codex for a person.
func (p *person) openWindow(t *testing.T, c clientCase, settings ...string) *window {
	t.Helper()
	args := []string{c.command[1], "app-server"}
	for _, setting := range append(settings, `approval_policy="on-request"`) {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command(c.command[0], args...)
	cmd.Dir, cmd.Env = p.project, slices.Concat(p.env, c.env)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var problems bytes.Buffer
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &window{stdin: stdin, lines: bufio.NewScanner(stdout)}
	w.lines.Buffer(nil, 16<<20)
	stuck := time.AfterFunc(deadline, func() { _ = cmd.Process.Kill() }) // it may have ended
	t.Cleanup(func() {
		stuck.Stop()
		_ = stdin.Close() // it may have ended
		_ = cmd.Wait()    // how it ends says nothing
		if t.Failed() {
			t.Logf("codex said:\n%s\n%s", &w.said, &problems)
		}
	})
	return w
}

var approvalID = regexp.MustCompile(`ap-[a-z0-9]+`)

// approve answers a question of gongu at a terminal, while its client waits.
func (p *person) approve(t *testing.T) {
	t.Helper()
	bundle := filepath.Join(p.home, ".config", "gongu", "bundle")
	id := approvalID.FindString(gongu(t, p.env, "approvals", "list", "-b", bundle))
	if id == "" {
		t.Fatal("no question is open")
	}
	cmd := exec.Command(program, "approvals", "approve", id, "-b", bundle)
	cmd.Env = p.env
	terminal, err := atTerminal(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	stuck := time.AfterFunc(deadline, func() { _ = cmd.Process.Kill() }) // it may have ended
	defer stuck.Stop()
	shown, buf, typed := "", make([]byte, 4096), false
	for {
		n, err := terminal.Read(buf)
		shown += string(buf[:n])
		if err != nil {
			break // the program has ended
		}
		if !typed && strings.Contains(shown, "[y/") {
			typed = true
			if _, err := io.WriteString(terminal, "y\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("gongu approvals approve: %v\n%s", err, shown)
	}
}

// askCase is what a person does with the question that their client shows.
type askCase struct {
	way string
	// ask is who asks, and settings are codex's.
	ask, settings string
	answer        any
	// terminal means that the person answers at a terminal.
	terminal bool
	// result is what the model reads.
	result string
}

// questions: codex with a window shows the question, whoever asks it; and one party
// asks. P2: its own question by default, and gongu's form with --ask gongu. P6, P7:
// the person can answer the form, or answer at a terminal while codex shows it; a
// form that no one answers ends with a denial that says how to answer later.
func questions(t *testing.T, record *record) {
	type object = map[string]any
	const trusts = `mcp_servers.gongu.default_tools_approval_mode="approve"`
	for _, c := range []askCase{
		{way: "the client asks, yes", ask: "client", answer: object{"action": "accept", "content": object{}}, result: "Successfully wrote"},
		{way: "the client asks, no", ask: "client", answer: object{"action": "decline"}, result: "rejected"},
		{way: "gongu asks, yes", ask: "gongu", settings: trusts, answer: object{"action": "accept", "content": object{"answer": "yes"}}, result: "Successfully wrote"},
		{way: "gongu asks, no", ask: "gongu", settings: trusts, answer: object{"action": "accept", "content": object{"answer": "no"}}, result: "rejected"},
		{way: "gongu asks, yes at a terminal", ask: "gongu", settings: trusts, terminal: true, result: "Successfully wrote"},
		{way: "gongu asks, no answer", ask: "gongu", settings: trusts, result: "gongu approvals approve ap-"},
	} {
		t.Run("codex window/"+c.way, func(t *testing.T) { c.test(t, record) })
	}
}

func (c askCase) test(t *testing.T, record *record) {
	folder := t.TempDir()
	note := filepath.Join(folder, "note.txt")
	p := newPerson(t, modelserver.Turn{Tool: `filesystem__write_file$`, Args: json.RawMessage(`{"path":"` + note + `","content":"from the model"}`)})
	has := reference(t, folder)["filesystem"]
	has.Name = "filesystem"
	client := p.codex(t, has)
	p.write(t, client.file, client.settings)
	gongu(t, p.env, "connect", "codex", "--ask", c.ask)
	wire, stop := p.listen(t, client)
	settings := []string{}
	if c.settings != "" {
		settings = append(settings, c.settings)
	}
	began := time.Now()
	asked := p.openWindow(t, client, settings...).run(t, p.project, func(question) any {
		time.Sleep(time.Second) // a person reads; an answer at once would not be one's
		if c.terminal {
			p.approve(t)
		}
		return c.answer
	})
	called := p.check(t, regexp.MustCompile(`gongu.*filesystem__write_file$`), c.result)
	stop()
	if len(asked) != 1 {
		t.Fatalf("codex showed %d questions: %+v", len(asked), asked)
	}
	sent := wire.questions(t)
	if fromGongu := strings.Contains(string(asked[0].RequestedSchema), `"answer"`); fromGongu != (c.ask == "gongu") || len(sent) == 1 != fromGongu {
		t.Errorf("codex showed %+v; gongu asked and got %q", asked[0], sent)
	}
	if _, err := os.Stat(note); (err == nil) != strings.HasPrefix(c.result, "Success") {
		t.Errorf("the file: %v", err)
	}
	if c.ask == "gongu" && !strings.Contains(asked[0].Message, note) {
		t.Errorf("the question does not say what would happen: %s", asked[0].Message)
	}
	t.Logf("codex showed %+v; the client answered %q", asked[0], sent)
	record.ask(c.way, asked[0], called, c.result, time.Since(began))
	p.undo(t, client, false)
}
