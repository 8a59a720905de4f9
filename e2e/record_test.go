//go:build e2e

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// record is a table of what the clients did, for people. GONGU_E2E_RECORD
// names the file that it is written to.
type record struct{ rows, declared, asked []string }

const (
	declares = "## What they declare, and what they do with a form\n\nWithout a window, as above, no person can see a question. With `--ask gongu` gongu sends a form to a client that declares elicitation. A client that declines it at once has asked no one (P7), so the model gets the id of the approval and the command with which the user answers. Without `--ask` (the way `write`) gongu sent no form to any of them: the client asks.\n\n" +
		"| client | protocol | capabilities | answer to the form with `--ask gongu` |\n|---|---|---|---|"
	shows = "## With a window\n\n`codex app-server` and Claude Code with `stream-json` send the questions that they show to their user to another program, such as an editor. Here that is the test, and the answer is a person's. One party asks in each row.\n\n" +
		"| client | way | question that it shows | tool that the model called | answer in its next turn | time |\n|---|---|---|---|---|---|"
)

func newRecord(t *testing.T) *record {
	t.Helper()
	r := &record{}
	file := os.Getenv("GONGU_E2E_RECORD")
	if file == "" {
		return r
	}
	t.Cleanup(func() {
		if t.Failed() {
			return // half a record would look like a whole one
		}
		text := "# What the clients did\n\nWritten by `make e2e-clients`. The model is a script: it calls the tool, and says its last words when the answer of the tool is in the conversation.\n\n" +
			"| client | version | way | tool that the model called | answer in its next turn | time |\n|---|---|---|---|---|---|\n" + strings.Join(r.rows, "\n") + "\n\n" + strings.Join(append([]string{declares}, r.declared...), "\n") + "\n\n" + strings.Join(append([]string{shows}, r.asked...), "\n") + "\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *record) add(t *testing.T, c clientCase, way, called, answer string, took time.Duration) {
	t.Helper()
	raw, err := os.ReadFile(packages(t, modules, c.manifest, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(raw, &manifest); err != nil {
		t.Fatal(err)
	}
	row := fmt.Sprintf("| %s | %s | %s | `%s` | %s | %.1f s |", c.name, manifest.Version, way, called, answer, took.Seconds())
	t.Log(row)
	r.rows = append(r.rows, row)
}

// noteWire checks that gongu asks nothing by default, and notes what a client
// declares and what it answers with --ask gongu.
func (r *record) noteWire(t *testing.T, c clientCase, way string, said wire) {
	t.Helper()
	answers := said.questions(t)
	if way == "write" {
		if len(answers) > 0 {
			t.Errorf("gongu asked, too, and the client answered %q", answers)
		}
		return
	}
	answer := strings.Join(answers, ", ")
	if answer == "" {
		answer = "no form sent"
	}
	version, capabilities := said.declared(t)
	r.declared = append(r.declared, fmt.Sprintf("| %s | %s | `%s` | %s |", c.name, version, capabilities, answer))
}

// ask notes a question that a client showed.
func (r *record) ask(c askCase, q question, called string, took time.Duration) {
	first, _, _ := strings.Cut(q.message, "\n")
	r.asked = append(r.asked, fmt.Sprintf("| %s | %s | %s | `%s` | %s | %.1f s |", c.client, c.way, first, called, c.result, took.Seconds()))
}
