package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

const messageCompactionSettings = `
	"maxMessages": {"type": "integer", "minimum": 1, "maximum": 1000000},
	"maxCharacters": {"type": "integer", "minimum": 1, "maximum": 1000000000},
	"retainLastMessages": {"type": "integer", "minimum": 0, "maximum": 1000000},
	"mode": {"type": "string", "enum": ["remove", "truncate"]},
	"appendSummary": {"type": "boolean"},
	"summaryPrefix": {"type": "string"}`

const (
	modeRemove   = "remove"
	modeTruncate = "truncate"
)

// The metadata of a summary.
const (
	metadataSummary        = "compaction.summary"
	metadataSummaryMode    = "compaction.mode"
	metadataSummaryRemoved = "compaction.removedCount"
	metadataSummaryChars   = "compaction.removedCharacters"
)

type messageCompactionConfig struct {
	MaxMessages        count  `json:"maxMessages"`
	MaxCharacters      count  `json:"maxCharacters"`
	RetainLastMessages count  `json:"retainLastMessages"`
	Mode               string `json:"mode"`
	AppendSummary      bool   `json:"appendSummary"`
	SummaryPrefix      string `json:"summaryPrefix"`
}

// messageCompaction shortens a long conversation before each turn and leaves
// one summary that says how much is gone.
type messageCompaction struct {
	messageCompactionConfig
	api *API
}

// removed is how much is gone, over all compactions of a conversation.
type removed struct{ count, chars int }

func registerMessageCompaction(_ context.Context, api *API, raw json.RawMessage) error {
	c := &messageCompaction{api: api, messageCompactionConfig: messageCompactionConfig{
		MaxMessages: 40, MaxCharacters: 12_000, RetainLastMessages: 8,
		Mode: modeRemove, AppendSummary: true, SummaryPrefix: "[message-compaction]",
	}}
	if err := readConfig(api, raw, messageCompactionSettings, &c.messageCompactionConfig); err != nil {
		return err
	}
	api.UseTurn(0, func(ctx context.Context, turn *Turn, next Next[TurnResult]) (TurnResult, error) {
		if err := emitAll(turn.Conversation, c.compact(turn.Conversation.Next())); err != nil {
			return TurnResult{}, err
		}
		return next(ctx)
	})
	return nil
}

func (c *messageCompaction) fits(count, chars int) bool {
	return count <= int(c.MaxMessages) && chars <= int(c.MaxCharacters)
}

// compact returns the events that bring the messages within the limits.
func (c *messageCompaction) compact(messages []Message) []MessageEvent {
	t := newTranscript(messages)
	if c.fits(t.count, t.chars) {
		return t.repairs
	}
	total := dropSummaries(t)
	before := removed{t.count, t.chars}
	mode := c.Mode
	if mode == modeRemove && !c.remove(t, total) {
		mode = modeTruncate
	}
	if mode == modeTruncate {
		t.trim(func() bool { return true }, t.mustStay)
	}
	if t.count == before.count {
		return t.repairs // what is left must stay
	}
	total.count += before.count - t.count
	total.chars += before.chars - t.chars

	events := t.removals()
	if mode == modeTruncate {
		events = t.restart()
	}
	if summary := c.summary(mode, total); c.AppendSummary && c.fits(t.count+1, t.chars+utf8.RuneCountInString(summary.TextOf())) {
		events = append(events, MessageEvent{Type: EventAppend, Message: &summary})
	}
	return events
}

// remove drops the oldest, with room for a summary, and reports whether that
// was enough. The last messages are kept as far as the limit allows.
func (c *messageCompaction) remove(t *transcript, earlier removed) bool {
	room := removed{}
	if c.AppendSummary {
		longest := c.summary(modeRemove, removed{earlier.count + t.count, earlier.chars + t.chars})
		room = removed{1, utf8.RuneCountInString(longest.TextOf())}
	}
	retained := len(t.messages) - min(int(c.RetainLastMessages), max(0, int(c.MaxMessages)-room.count))
	t.trim(
		func() bool { return !c.fits(t.count+room.count, t.chars+room.chars) },
		func(i int) bool { return i >= retained || t.mustStay(i) })
	return c.fits(t.count, t.chars)
}

// dropSummaries removes the summaries of earlier compactions and returns their
// totals, which the next summary includes.
func dropSummaries(t *transcript) removed {
	var total removed
	for i, message := range t.messages {
		if is, ok := message.Metadata[metadataSummary].(bool); ok && is && !isPinned(message) {
			total.count += wholeNumber(message.Metadata[metadataSummaryRemoved])
			total.chars += wholeNumber(message.Metadata[metadataSummaryChars])
			t.drop(i)
		}
	}
	return total
}

// wholeNumber reads a number of a message's metadata, stored or not.
func wholeNumber(value any) int {
	switch n := value.(type) {
	case int:
		return n
	case float64:
		return int(n)
	}
	return 0
}

// restart is removals by truncation: everything goes, what is left comes back.
func (t *transcript) restart() []MessageEvent {
	events := []MessageEvent{{Type: EventTruncate}}
	for i, message := range t.messages {
		if !t.gone[i] {
			events = append(events, MessageEvent{Type: EventAppend, Message: &message})
		}
	}
	return events
}

func (c *messageCompaction) summary(mode string, gone removed) Message {
	text := fmt.Sprintf("%s mode=%s removed=%d chars=%d", c.SummaryPrefix, mode, gone.count, gone.chars)
	message := newMessage(c.api, "system", text)
	message.Metadata[metadataSummary] = true
	message.Metadata[metadataSummaryMode] = mode
	message.Metadata[metadataSummaryRemoved] = gone.count
	message.Metadata[metadataSummaryChars] = gone.chars
	return message
}
