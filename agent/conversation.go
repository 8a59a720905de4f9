package agent

import (
	"fmt"
	"slices"
	"sync"
)

// Conversation is a base of messages and the events since: what the model sees
// next is the base with the events applied in order. It is safe for concurrent
// use.
type Conversation struct {
	mu       sync.Mutex
	base     []Message
	events   []MessageEvent
	warnings []Warning
	// next is kept up to date with each event, so that ten thousand appends
	// cost ten thousand steps. A removed message leaves a nil behind.
	next  []*Message
	place map[string]int
	gone  int
}

// NewConversation starts from stored messages and the events that were not yet
// folded into them. A stored event that makes no sense is passed over with a
// warning.
func NewConversation(base []Message, events ...MessageEvent) *Conversation {
	c := &Conversation{base: cloneMessages(base)}
	c.reset()
	for i, event := range events {
		if err := c.Emit(event); err != nil {
			c.warnings = append(c.warnings, Warning{Code: CodeTargetNotFound, Message: err.Error(), EventIndex: i, TargetID: event.TargetID})
		}
	}
	return c
}

func (c *Conversation) reset() {
	c.next, c.place, c.gone = make([]*Message, 0, len(c.base)), make(map[string]int, len(c.base)), 0
	for _, message := range c.base {
		c.push(message)
	}
}

func (c *Conversation) push(message Message) {
	c.place[message.ID] = len(c.next)
	kept := message.clone()
	c.next = append(c.next, &kept)
}

// Emit records a change. One about an unknown message is passed over with a
// warning; one of an unknown kind, without its message, or with an id that
// another message has, is an error and records nothing.
func (c *Conversation) Emit(event MessageEvent) error {
	if event.Message == nil && (event.Type == EventAppend || event.Type == EventReplace) {
		return fmt.Errorf("message event %q needs a message", event.Type)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if event.Message != nil {
		kept := event.Message.clone() // the caller's own stays the caller's
		event.Message = &kept
		if _, taken := c.place[kept.ID]; taken && (event.Type == EventAppend || kept.ID != event.TargetID) {
			return fmt.Errorf("message event %q: there is a message %q already", event.Type, kept.ID)
		}
	}
	switch event.Type {
	case EventAppend:
		c.push(*event.Message)
	case EventReplace, EventRemove:
		at, ok := c.place[event.TargetID]
		if !ok {
			c.warn(event)
			break
		}
		c.change(at, event)
	case EventTruncate:
		c.next, c.place, c.gone = nil, map[string]int{}, 0
	default:
		return fmt.Errorf("unknown message event %q: use append, replace, remove or truncate", event.Type)
	}
	c.events = append(c.events, event)
	return nil
}

func (c *Conversation) change(at int, event MessageEvent) {
	delete(c.place, event.TargetID)
	if event.Type == EventReplace {
		kept := event.Message.clone()
		c.next[at] = &kept
		c.place[kept.ID] = at
		return
	}
	c.next[at] = nil
	if c.gone++; c.gone > len(c.next)/2 {
		c.compact()
	}
}

func (c *Conversation) compact() {
	c.next = slices.DeleteFunc(c.next, func(m *Message) bool { return m == nil })
	c.gone = 0
	for i, message := range c.next {
		c.place[message.ID] = i
	}
}

func (c *Conversation) warn(event MessageEvent) {
	c.warnings = append(c.warnings, Warning{
		Code:       CodeTargetNotFound,
		Message:    fmt.Sprintf("%s: there is no message %q", event.Type, event.TargetID),
		EventIndex: len(c.events),
		TargetID:   event.TargetID,
	})
}

// Base returns the messages that the conversation started from.
func (c *Conversation) Base() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cloneMessages(c.base)
}

// Events returns the changes since.
func (c *Conversation) Events() []MessageEvent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.events)
}

// Warnings returns what was passed over.
func (c *Conversation) Warnings() []Warning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.warnings)
}

// Next returns the messages as the model will see them.
func (c *Conversation) Next() []Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	messages := make([]Message, 0, len(c.next)-c.gone)
	for _, message := range c.next {
		if message != nil {
			messages = append(messages, message.clone())
		}
	}
	return messages
}

// Len is the number of messages the model will see.
func (c *Conversation) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.next) - c.gone
}

// Fold makes what the model sees the new base and forgets the events. It
// reports whether they were all appends: then the stored base only grows.
func (c *Conversation) Fold() (appendsOnly bool) {
	next := c.Next()
	c.mu.Lock()
	defer c.mu.Unlock()
	appendsOnly = !slices.ContainsFunc(c.events, func(e MessageEvent) bool { return e.Type != EventAppend })
	c.base, c.events, c.warnings = next, nil, nil
	c.reset()
	return appendsOnly
}

func cloneMessages(messages []Message) []Message {
	out := make([]Message, len(messages))
	for i, message := range messages {
		out[i] = message.clone()
	}
	return out
}
