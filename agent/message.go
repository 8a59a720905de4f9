package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// Message is one entry of a conversation.
type Message struct {
	ID        string         `json:"id"`
	Data      MessageData    `json:"data"`
	Metadata  map[string]any `json:"metadata"`
	CreatedAt time.Time      `json:"createdAt"`
	Source    MessageSource  `json:"source"`
}

// MessageData is the part that the model reads: a role, a content of any form, and
// whatever else a provider put there.
type MessageData struct {
	Role    string
	Content json.RawMessage
	Extra   map[string]json.RawMessage
}

// MarshalJSON writes role and content beside the extra keys.
func (d MessageData) MarshalJSON() ([]byte, error) {
	fields := make(map[string]any, len(d.Extra)+2)
	for key, value := range d.Extra {
		fields[key] = value
	}
	fields["role"] = d.Role
	fields["content"] = d.Content
	return json.Marshal(fields)
}

// UnmarshalJSON keeps the keys it does not know.
func (d *MessageData) UnmarshalJSON(raw []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("message data: %w", err)
	}
	*d = MessageData{Content: fields["content"]}
	if role, ok := fields["role"]; ok {
		if err := json.Unmarshal(role, &d.Role); err != nil {
			return fmt.Errorf("message role: %w", err)
		}
	}
	delete(fields, "role")
	delete(fields, "content")
	if len(fields) > 0 {
		d.Extra = fields
	}
	return nil
}

// Text is a message whose content is one text.
func Text(id, role, text string, source MessageSource) Message {
	content, err := json.Marshal(text)
	if err != nil {
		content = []byte(`""`) // a string always encodes
	}
	return Message{ID: id, Data: MessageData{Role: role, Content: content}, Metadata: map[string]any{}, CreatedAt: time.Now().UTC(), Source: source}
}

// TextOf is the content as text: the text itself, or its JSON.
func (m Message) TextOf() string {
	var text string
	if json.Unmarshal(m.Data.Content, &text) == nil {
		return text
	}
	return string(m.Data.Content)
}

// clone copies what a holder could change the conversation through.
func (m Message) clone() Message {
	m.Metadata = maps.Clone(m.Metadata)
	m.Data.Content = bytes.Clone(m.Data.Content)
	m.Data.Extra = maps.Clone(m.Data.Extra)
	return m
}

// MessageSource says who made a message. Type is user, assistant, tool, system
// or extension.
type MessageSource struct {
	Type          string `json:"type"`
	StepID        string `json:"stepId,omitempty"`
	ToolCallID    string `json:"toolCallId,omitempty"`
	ToolName      string `json:"toolName,omitempty"`
	ExtensionName string `json:"extensionName,omitempty"`
}

// The kinds of change to a conversation.
const (
	EventAppend   = "append"
	EventReplace  = "replace"
	EventRemove   = "remove"
	EventTruncate = "truncate"
)

// MessageEvent is one change to a conversation.
type MessageEvent struct {
	Type     string   `json:"type"`
	TargetID string   `json:"targetId,omitempty"`
	Message  *Message `json:"message,omitempty"`
}

// CodeTargetNotFound marks an event about a message that is not there.
const CodeTargetNotFound = "E_MESSAGE_TARGET_NOT_FOUND"

// Warning reports an event that was ignored. The turn continues.
type Warning struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	EventIndex int    `json:"eventIndex"`
	TargetID   string `json:"targetId"`
}
