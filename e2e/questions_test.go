//go:build e2e

package e2e_test

import (
	"encoding/json"
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
	client, way string
	// ask is who asks.
	ask    string
	answer any
	// terminal means that the person first answers at a terminal.
	terminal bool
	// result is what the model reads.
	result string
}

// start starts the client so that it asks, too, if it is the one that asks.
func (c askCase) start(t *testing.T, p *person, client clientCase) (turn func(*testing.T, string, func(question) any)) {
	t.Helper()
	if c.client == "claude" {
		args := []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-prompt-tool", "stdio"}
		if c.ask == "gongu" {
			args = append(args, "--allowedTools", "mcp__gongu")
		}
		return p.openWindow(t, client, args...).claudeTurn
	}
	args := []string{"app-server", "-c", `approval_policy="on-request"`}
	if c.ask == "gongu" {
		args = append(args, "-c", `mcp_servers.gongu.default_tools_approval_mode="approve"`)
	}
	return p.openWindow(t, client, args...).codexTurn
}

// questions: clients with a window show the question, and one party asks. P2: the
// client by default, and gongu with --ask gongu. P6, P7: the person can answer the
// form, or answer at a terminal while the client shows it; a form that no one answers
// ends with a denial that says how to answer later.
func questions(t *testing.T, record *record) {
	const wrote, refused, command = "Successfully wrote", "rejected", "gongu approvals approve ap-"
	form := func(answer string) any {
		return object{"action": "accept", "content": object{"answer": answer}}
	}
	for _, c := range []askCase{
		{client: "claude", way: "the client asks, yes", ask: "client", answer: object{"behavior": "allow", "updatedInput": nil}, result: wrote},
		{client: "claude", way: "the client asks, no", ask: "client", answer: object{"behavior": "deny", "message": "rejected"}, result: refused},
		{client: "claude", way: "gongu asks, yes", ask: "gongu", answer: form("yes"), result: wrote},
		{client: "claude", way: "gongu asks, no", ask: "gongu", answer: form("no"), result: refused},
		{client: "claude", way: "gongu asks, yes at a terminal, and the form is closed", ask: "gongu", terminal: true, answer: object{"action": "cancel"}, result: wrote},
		{client: "codex", way: "the client asks, yes", ask: "client", answer: object{"action": "accept", "content": object{}}, result: wrote},
		{client: "codex", way: "the client asks, no", ask: "client", answer: object{"action": "decline"}, result: refused},
		{client: "codex", way: "gongu asks, yes", ask: "gongu", answer: form("yes"), result: wrote},
		{client: "codex", way: "gongu asks, no", ask: "gongu", answer: form("no"), result: refused},
		{client: "codex", way: "gongu asks, yes at a terminal", ask: "gongu", terminal: true, result: wrote},
		{client: "codex", way: "gongu asks, no answer", ask: "gongu", result: command},
	} {
		t.Run(c.client+" window/"+c.way, func(t *testing.T) { c.test(t, record) })
	}
}

func (c askCase) test(t *testing.T, record *record) {
	folder := t.TempDir()
	note := filepath.Join(folder, "note.txt")
	arguments := object{"path": note, "content": "from the model"}
	p := newPerson(t, modelserver.Turn{Tool: `filesystem__write_file$`, Args: json.RawMessage(encoded(t, arguments))})
	clients := p.clients(t, "filesystem", folder)
	client := clients[slices.IndexFunc(clients, func(one clientCase) bool { return one.name == c.client })]
	p.write(t, client.file, client.settings)
	gongu(t, p.env, "connect", c.client, "--ask", c.ask)
	wire, stop := p.listen(t, client)
	began := time.Now()
	var asked []question
	c.start(t, p, client)(t, p.project, func(q question) any {
		asked = append(asked, q)
		time.Sleep(time.Second) // a person reads; an answer at once would not be one's
		if c.terminal {
			p.approve(t)
		}
		if own, ok := c.answer.(object); ok && own["behavior"] == "allow" {
			own["updatedInput"] = arguments
		}
		return c.answer
	})
	called := p.check(t, regexp.MustCompile(`gongu.*filesystem__write_file$`), c.result)
	stop()
	if len(asked) != 1 {
		t.Fatalf("the client showed %d questions: %q", len(asked), asked)
	}
	sent := wire.questions(t)
	if fromGongu := strings.Contains(asked[0].schema, `"answer"`); fromGongu != (c.ask == "gongu") || (len(sent) == 1) != fromGongu {
		t.Errorf("the client showed %q; gongu asked and got %q", asked[0], sent)
	}
	if _, err := os.Stat(note); (err == nil) != strings.HasPrefix(c.result, "Success") {
		t.Errorf("the file: %v", err)
	}
	if c.ask == "gongu" && !strings.Contains(asked[0].message, note) {
		t.Errorf("the question does not say what would happen: %s", asked[0].message)
	}
	t.Logf("the client showed %q; gongu was answered %q", asked[0], sent)
	record.ask(c, asked[0], called, time.Since(began))
	p.undo(t, client, false)
}
