package agent

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// transcript is a conversation about to be shortened. Tool calls and their
// results are one exchange, which stays or goes as a whole: a model provider
// refuses a conversation with one half of it.
type transcript struct {
	messages []Message
	sizes    []int
	// first is, for each message, the oldest of its exchange.
	first []int
	// members are the messages of the exchange that begins at an index.
	members [][]int
	gone    []bool
	// repairs take out the results that answer no call.
	repairs []MessageEvent

	count, chars int
}

func newTranscript(messages []Message) *transcript {
	t := &transcript{}
	calledAt := make(map[string]int)
	for _, message := range messages {
		whole, calls := t.repair(message, calledAt)
		if whole == nil {
			continue
		}
		at := len(t.messages)
		t.messages = append(t.messages, *whole)
		t.first = append(t.first, at)
		for _, call := range calls {
			t.join(at, calledAt[call])
		}
	}
	t.measure()
	return t
}

// repair returns the message without results that answer no earlier call, nil
// when nothing is left of it, and the calls that it does answer. It notes the
// calls that the message, about to be added, makes.
func (t *transcript) repair(message Message, calledAt map[string]int) (whole *Message, calls []string) {
	parts := partsOf(message)
	var kept []json.RawMessage
	for _, part := range parts {
		switch part.Type {
		case partToolCall:
			calledAt[part.ToolCallID] = len(t.messages)
		case partToolResult:
			if _, called := calledAt[part.ToolCallID]; !called {
				continue
			}
			calls = append(calls, part.ToolCallID)
		}
		kept = append(kept, part.raw)
	}
	if len(kept) == len(parts) {
		return &message, calls
	}
	if len(kept) == 0 {
		t.repairs = append(t.repairs, MessageEvent{Type: EventRemove, TargetID: message.ID})
		return nil, nil
	}
	content, err := json.Marshal(kept)
	if err != nil {
		return &message, calls // parts that were read can be written
	}
	repaired := message.clone()
	repaired.Data.Content = content
	t.repairs = append(t.repairs, MessageEvent{Type: EventReplace, TargetID: message.ID, Message: &repaired})
	return &repaired, calls
}

// join makes one exchange of the two that these messages belong to.
func (t *transcript) join(a, b int) {
	a, b = t.root(a), t.root(b)
	t.first[max(a, b)] = min(a, b)
}

func (t *transcript) root(at int) int {
	for t.first[at] != at {
		at = t.first[at]
	}
	return at
}

func (t *transcript) measure() {
	t.gone = make([]bool, len(t.messages))
	t.sizes = make([]int, len(t.messages))
	t.members = make([][]int, len(t.messages))
	for i, message := range t.messages {
		t.first[i] = t.root(i)
		t.members[t.first[i]] = append(t.members[t.first[i]], i)
		t.sizes[i] = utf8.RuneCountInString(message.TextOf())
		t.chars += t.sizes[i]
	}
	t.count = len(t.messages)
}

// trim drops the oldest exchanges for as long as there is too much, except
// those with a message that stays.
func (t *transcript) trim(tooMuch func() bool, stays func(i int) bool) {
	for i, exchange := range t.members {
		if len(exchange) == 0 || t.gone[i] || slices.ContainsFunc(exchange, stays) {
			continue
		}
		if !tooMuch() {
			return
		}
		t.drop(exchange...)
	}
}

func (t *transcript) drop(messages ...int) {
	for _, i := range messages {
		t.gone[i] = true
		t.count--
		t.chars -= t.sizes[i]
	}
}

// mustStay holds for what is pinned, and for the question that the turn is
// about: without it there is nothing to answer.
func (t *transcript) mustStay(i int) bool {
	return isPinned(t.messages[i]) || i == len(t.messages)-1 && t.messages[i].Data.Role == "user"
}

// removals are the events that make the conversation what is left.
func (t *transcript) removals() []MessageEvent {
	events := t.repairs
	for i, message := range t.messages {
		if t.gone[i] {
			events = append(events, MessageEvent{Type: EventRemove, TargetID: message.ID})
		}
	}
	return events
}

const (
	partToolCall   = "tool-call"
	partToolResult = "tool-result"
)

// part is a piece of a message's content.
type part struct {
	Type       string `json:"type"`
	ToolCallID string `json:"toolCallId"`

	raw json.RawMessage
}

// partsOf takes a content apart. What a tool says in any other form is, as a
// whole, the result of the call that its source names.
func partsOf(message Message) []part {
	var raws []json.RawMessage
	if json.Unmarshal(message.Data.Content, &raws) != nil {
		raws = nil
	}
	parts := make([]part, len(raws))
	results := 0
	for i, raw := range raws {
		if json.Unmarshal(raw, &parts[i]) != nil {
			parts[i] = part{}
		}
		parts[i].raw = raw
		if parts[i].Type == partToolResult {
			results++
		}
	}
	if call := message.Source.ToolCallID; results == 0 && call != "" && message.Data.Role == "tool" {
		return []part{{Type: partToolResult, ToolCallID: call, raw: message.Data.Content}}
	}
	return parts
}
