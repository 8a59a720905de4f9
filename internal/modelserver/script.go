package modelserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Turn is one answer of the model: a call of a tool, or a text that ends the
// conversation.
type Turn struct {
	// Tool is a regular expression for the name of the tool to call. The first
	// declared tool that matches is called; without one the model says so.
	Tool string
	// Args are the arguments of the call; nil is none.
	Args json.RawMessage
	// Text is what the model says, beside the call or alone.
	Text string
}

// Tool is a tool that a client declared.
type Tool struct {
	Name string
	// Namespace groups tools; only the responses of OpenAI have it.
	Namespace string
}

// Full is the name with its namespace.
func (t Tool) Full() string {
	if t.Namespace == "" {
		return t.Name
	}
	return t.Namespace + "." + t.Name
}

// call is a tool call of the model.
type call struct {
	id   string
	tool Tool
	args json.RawMessage
}

// reply is what the model answers.
type reply struct {
	text string
	call *call
}

// compile checks a script once, before a client waits for an answer.
func compile(script []Turn) ([]*regexp.Regexp, error) {
	patterns := make([]*regexp.Regexp, len(script))
	for i, turn := range script {
		if turn.Tool == "" {
			continue
		}
		pattern, err := regexp.Compile(turn.Tool)
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i, err)
		}
		if turn.Args != nil && !json.Valid(turn.Args) {
			return nil, fmt.Errorf("turn %d: the arguments are not JSON", i)
		}
		patterns[i] = pattern
	}
	return patterns, nil
}

// answer is the turn that a conversation has come to.
func (s *Server) answer(c *conversation) reply {
	turn := len(c.results)
	if len(c.tools) == 0 || turn >= len(s.script) {
		// A title, a summary, or more than the script knows.
		return reply{text: s.lastText()}
	}
	next := s.script[turn]
	if next.Tool == "" {
		return reply{text: next.Text}
	}
	for _, tool := range c.tools {
		if s.patterns[turn].MatchString(tool.Full()) {
			args := next.Args
			if args == nil {
				args = json.RawMessage("{}")
			}
			return reply{text: next.Text, call: &call{id: fmt.Sprintf("call_%d", turn), tool: tool, args: args}}
		}
	}
	return reply{text: fmt.Sprintf("no declared tool matches %q; there are %s", next.Tool, strings.Join(c.names(), ", "))}
}

// lastText is the text that the script ends with.
func (s *Server) lastText() string {
	for i := len(s.script) - 1; i >= 0; i-- {
		if s.script[i].Tool == "" {
			return s.script[i].Text
		}
	}
	return "done"
}
