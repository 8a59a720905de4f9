//go:build e2e

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wire is what a client and gongu said to each other on pipes.
type wire struct{ in, out string }

// message is one of them.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version      string          `json:"protocolVersion"`
		Capabilities json.RawMessage `json:"capabilities"`
		Responses    map[string]struct {
			Action string `json:"action"`
		} `json:"inputResponses"`
		Meta struct {
			Version      string          `json:"io.modelcontextprotocol/protocolVersion"`
			Capabilities json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	} `json:"params"`
	Result struct {
		Action   string                     `json:"action"`
		Requests map[string]json.RawMessage `json:"inputRequests"`
	} `json:"result"`
	Error json.RawMessage `json:"error"`
}

// listen puts a program that copies every line between the client and gongu. The
// returned function takes it away again.
func (p *person) listen(t *testing.T, c clientCase) (w wire, stop func()) {
	t.Helper()
	dir := t.TempDir()
	w = wire{in: filepath.Join(dir, "in"), out: filepath.Join(dir, "out")}
	copier := filepath.Join(dir, "gongu")
	text := fmt.Sprintf("#!/bin/sh\ntee -a '%s' | '%s' \"$@\" | tee -a '%s'\n", w.in, program, w.out)
	if err := os.WriteFile(copier, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(p.home, filepath.FromSlash(c.file))
	replace := func(from, to string) {
		t.Helper()
		settings, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(settings), `"`+from+`"`) {
			t.Fatalf("%s is not in the client's file:\n%s", from, settings)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(settings), `"`+from+`"`, `"`+to+`"`)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replace(program, copier)
	return w, func() { replace(copier, program) }
}

func messages(t *testing.T, file string) (out []message) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var m message
		if json.Unmarshal([]byte(line), &m) == nil { // the last one may be half
			out = append(out, m)
		}
	}
	return out
}

// declared is the protocol of the client and what it says of itself: once, or in the
// modern era with every request.
func (w wire) declared(t *testing.T) (version, capabilities string) {
	t.Helper()
	for _, m := range messages(t, w.in) {
		switch {
		case m.Method == "initialize":
			return m.Params.Version, string(m.Params.Capabilities)
		case m.Method == "tools/call" && m.Params.Meta.Version != "":
			return m.Params.Meta.Version, string(m.Params.Meta.Capabilities)
		}
	}
	t.Error("the client declared nothing")
	return "", ""
}

// questions says for each question of gongu what the client answered. In the modern
// era a result asks, and the next request answers.
func (w wire) questions(t *testing.T) (answers []string) {
	t.Helper()
	said := messages(t, w.in)
	for _, m := range messages(t, w.out) {
		if m.Method != "elicitation/create" && len(m.Result.Requests) == 0 {
			continue
		}
		answer := "no answer"
		for _, s := range said {
			switch {
			case len(m.Result.Requests) > 0:
				for name := range m.Result.Requests {
					if response, ok := s.Params.Responses[name]; ok {
						answer = response.Action
					}
				}
			case s.Method != "" || string(s.ID) != string(m.ID):
			case s.Error != nil:
				answer = "an error"
			default:
				answer = s.Result.Action
			}
		}
		answers = append(answers, answer)
	}
	return answers
}
