//go:build e2e

package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// question is one that a client shows to its user. An answer of nil leaves it open.
type question struct {
	message, schema string
}

// window is what a person sees of a client: the test is the window, and the client
// sends it the questions that it would show there.
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

// next reads the next message of the client.
func (w *window) next(t *testing.T, into any) bool {
	t.Helper()
	if !w.lines.Scan() {
		t.Errorf("the client ended before the turn did: %v", w.lines.Err())
		return false
	}
	w.said.Write(append(w.lines.Bytes(), '\n'))
	if err := json.Unmarshal(w.lines.Bytes(), into); err != nil {
		t.Fatalf("%v: %s", err, w.lines.Bytes())
	}
	return true
}

// codexTurn gives codex a prompt and passes its questions to a person until the turn
// is over.
func (w *window) codexTurn(t *testing.T, dir string, person func(question) any) {
	t.Helper()
	w.send(t, object{"id": 1, "method": "initialize", "params": object{"clientInfo": object{"name": "window", "title": "window", "version": "0"}}})
	for {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Message         string          `json:"message"`
				RequestedSchema json.RawMessage `json:"requestedSchema"`
			} `json:"params"`
			Result struct {
				Thread struct {
					ID string `json:"id"`
				} `json:"thread"`
			} `json:"result"`
		}
		if !w.next(t, &m) {
			return
		}
		switch {
		case m.Method == "" && string(m.ID) == "1":
			w.send(t, object{"method": "initialized"})
			w.send(t, object{"id": 2, "method": "thread/start", "params": object{"cwd": dir}})
		case m.Method == "" && string(m.ID) == "2":
			w.send(t, object{"id": 3, "method": "turn/start", "params": object{"threadId": m.Result.Thread.ID, "input": []any{object{"type": "text", "text": "go"}}}})
		case m.Method == "mcpServer/elicitation/request":
			if answer := person(question{m.Params.Message, string(m.Params.RequestedSchema)}); answer != nil {
				w.send(t, object{"id": m.ID, "result": answer})
			}
		case m.Method == "turn/completed":
			return
		}
	}
}

// claudeTurn does the same with Claude Code.
func (w *window) claudeTurn(t *testing.T, _ string, person func(question) any) {
	t.Helper()
	w.send(t, object{"type": "control_request", "request_id": "start", "request": object{"subtype": "initialize"}})
	w.send(t, object{"type": "user", "message": object{"role": "user", "content": "go"}})
	for {
		var m struct {
			Type      string `json:"type"`
			RequestID string `json:"request_id"`
			Request   struct {
				Subtype  string          `json:"subtype"`
				Message  string          `json:"message"`
				Schema   json.RawMessage `json:"requested_schema"`
				ToolName string          `json:"tool_name"`
			} `json:"request"`
		}
		if !w.next(t, &m) || m.Type == "result" {
			return
		}
		if m.Type != "control_request" {
			continue
		}
		q := question{m.Request.Message, string(m.Request.Schema)}
		if m.Request.Subtype == "can_use_tool" {
			q = question{message: "(its own) " + m.Request.ToolName}
		}
		if answer := person(q); answer != nil {
			w.send(t, object{"type": "control_response", "response": object{"subtype": "success", "request_id": m.RequestID, "response": answer}})
		}
	}
}

type object = map[string]any

// openWindow starts a client for a person.
func (p *person) openWindow(t *testing.T, c clientCase, args ...string) *window {
	t.Helper()
	cmd := exec.Command(c.command[0], append([]string{c.command[1]}, args...)...)
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
			t.Logf("the client said:\n%s\n%s", &w.said, &problems)
		}
	})
	return w
}
