package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gongu-ai/gongu/internal/lang"
)

const contextMessageSettings = `
	"includeAgentPrompt": {"type": "boolean"},
	"includeSwarmCatalog": {"type": "boolean"},
	"includeInboundContext": {"type": "boolean"},
	"includeCallContext": {"type": "boolean"},
	"includeRouteSummary": {"type": "boolean"},
	"swarmCatalogInstruction": {"type": "string"}`

type contextMessageConfig struct {
	IncludeAgentPrompt    bool `json:"includeAgentPrompt"`
	IncludeSwarmCatalog   bool `json:"includeSwarmCatalog"`
	IncludeInboundContext bool `json:"includeInboundContext"`
	IncludeCallContext    bool `json:"includeCallContext"`
	IncludeRouteSummary   bool `json:"includeRouteSummary"`
	// SwarmCatalogInstruction follows the catalog; empty for none.
	SwarmCatalogInstruction string `json:"swarmCatalogInstruction"`
}

// metadataContext marks the message, with the hash of its text.
const metadataContext = "__goondanContextMessage"

// runtimeContext is the form of [Turn.Runtime].
type runtimeContext struct {
	Agent struct {
		Prompt struct {
			System string `json:"system"`
		} `json:"prompt"`
	} `json:"agent"`
	Swarm   *runtimeSwarm   `json:"swarm"`
	Inbound *runtimeInbound `json:"inbound"`
	Call    *runtimeCall    `json:"call"`
}

type runtimeSwarm struct {
	SwarmName       string   `json:"swarmName"`
	EntryAgent      string   `json:"entryAgent"`
	SelfAgent       string   `json:"selfAgent"`
	AvailableAgents []string `json:"availableAgents"`
	CallableAgents  []string `json:"callableAgents"`
}

type runtimeInbound struct {
	EventID       string                     `json:"eventId"`
	EventType     string                     `json:"eventType"`
	SourceKind    string                     `json:"sourceKind"`
	SourceName    string                     `json:"sourceName"`
	CreatedAt     string                     `json:"createdAt"`
	InstanceKey   string                     `json:"instanceKey"`
	EventMetadata map[string]json.RawMessage `json:"eventMetadata"`
}

type runtimeCall struct {
	CallerAgent       string   `json:"callerAgent"`
	CallerInstanceKey string   `json:"callerInstanceKey"`
	CallerTurnID      string   `json:"callerTurnId"`
	CallSource        string   `json:"callSource"`
	CallStack         []string `json:"callStack"`
	ReplyTo           struct {
		Target        string `json:"target"`
		CorrelationID string `json:"correlationId"`
	} `json:"replyTo"`
}

// segment is a piece of the message.
type segment struct{ id, text string }

// registerContextMessage keeps one system message with the prompt of the agent
// and, if configured, its runtime context. It replaces the message in place when
// that changes.
func registerContextMessage(_ context.Context, api *API, raw json.RawMessage) error {
	config := contextMessageConfig{IncludeAgentPrompt: true, SwarmCatalogInstruction: lang.SwarmCatalogNote.In(languageOf(api))}
	if err := readConfig(api, raw, contextMessageSettings, &config); err != nil {
		return err
	}
	api.UseTurn(0, func(ctx context.Context, turn *Turn, next Next[TurnResult]) (TurnResult, error) {
		segments, err := config.segments(turn.Runtime)
		if err != nil {
			return TurnResult{}, err
		}
		if err := emitAll(turn.Conversation, contextEvents(api, turn.Conversation.Next(), segments)); err != nil {
			return TurnResult{}, err
		}
		return next(ctx)
	})
	return nil
}

// contextEvents make the segments the one context message of a conversation.
func contextEvents(api *API, messages []Message, segments []segment) []MessageEvent {
	messages = slices.DeleteFunc(messages, func(m Message) bool { return contextHash(m) == "" })
	var events []MessageEvent
	if len(segments) > 0 {
		message := contextMessage(api, segments)
		switch {
		case len(messages) == 0:
			return []MessageEvent{{Type: EventAppend, Message: &message}}
		case contextHash(messages[0]) != contextHash(message):
			events = append(events, MessageEvent{Type: EventReplace, TargetID: messages[0].ID, Message: &message})
		}
		messages = messages[1:]
	}
	for _, stale := range messages {
		events = append(events, MessageEvent{Type: EventRemove, TargetID: stale.ID})
	}
	return events
}

func contextMessage(api *API, segments []segment) Message {
	ids, texts := make([]any, len(segments)), make([]string, len(segments))
	for i, s := range segments {
		ids[i], texts[i] = s.id, s.text
	}
	text := strings.Join(texts, "\n\n")
	sum := sha256.Sum256([]byte(text))
	message := newMessage(api, "system", text)
	message.Metadata[metadataPinned] = true
	message.Metadata[metadataContext] = map[string]any{"promptHash": hex.EncodeToString(sum[:]), "segmentIds": ids}
	return message
}

// contextHash is empty for any other message.
func contextHash(message Message) string {
	marker, ok := message.Metadata[metadataContext].(map[string]any)
	if !ok {
		return ""
	}
	hash, _ := marker["promptHash"].(string)
	return hash
}

// segments are the pieces that are asked for and have something to say.
func (c contextMessageConfig) segments(raw json.RawMessage) ([]segment, error) {
	var runtime runtimeContext
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &runtime); err != nil {
			return nil, fmt.Errorf("the runtime context of the turn: %w", err)
		}
	}
	var segments []segment
	if prompt := runtime.Agent.Prompt.System; c.IncludeAgentPrompt && strings.TrimSpace(prompt) != "" {
		segments = append(segments, segment{"agent.prompt.system", prompt})
	}
	if c.IncludeSwarmCatalog && runtime.Swarm != nil {
		text := runtime.Swarm.text()
		if note := strings.TrimSpace(c.SwarmCatalogInstruction); note != "" {
			text += "\n" + note
		}
		segments = append(segments, segment{"runtime.swarm.catalog", text})
	}
	if c.IncludeInboundContext && runtime.Inbound != nil {
		segments = append(segments, segment{"runtime.inbound", runtime.Inbound.text()})
	}
	if c.IncludeCallContext && runtime.Call != nil {
		if text := runtime.Call.text(); text != "" {
			segments = append(segments, segment{"runtime.call", text})
		}
	}
	if c.IncludeRouteSummary && runtime.Inbound != nil {
		segments = append(segments, segment{"runtime.route.summary", routeSummary(runtime.Inbound, runtime.Call)})
	}
	return segments, nil
}

func (s *runtimeSwarm) text() string {
	var b block
	b.add("swarm", s.SwarmName)
	b.add("entryAgent", s.EntryAgent)
	b.add("selfAgent", s.SelfAgent)
	b.add("availableAgents", strings.Join(s.AvailableAgents, ", "))
	b.add("callableAgents", strings.Join(s.CallableAgents, ", "))
	return b.in("runtime_catalog")
}

func (i *runtimeInbound) text() string {
	var b block
	b.add("eventId", i.EventID)
	b.add("eventType", i.EventType)
	b.add("sourceKind", i.SourceKind)
	b.add("sourceName", i.SourceName)
	b.add("createdAt", i.CreatedAt)
	b.addIf("instanceKey", i.InstanceKey)
	if len(i.EventMetadata) > 0 {
		if raw, err := json.Marshal(i.EventMetadata); err == nil {
			b.add("eventMetadata", string(raw))
		}
	}
	return b.in("runtime_inbound")
}

func (c *runtimeCall) text() string {
	var b block
	b.addIf("callerAgent", c.CallerAgent)
	b.addIf("callerInstanceKey", c.CallerInstanceKey)
	b.addIf("callerTurnId", c.CallerTurnID)
	b.addIf("callSource", c.CallSource)
	b.addIf("callStack", strings.Join(c.CallStack, " -> "))
	b.addIf("replyTo.target", c.ReplyTo.Target)
	b.addIf("replyTo.correlationId", c.ReplyTo.CorrelationID)
	return b.in("runtime_call")
}

// routeSummary says who is asking: the agent that called, or else where the
// event came from.
func routeSummary(inbound *runtimeInbound, call *runtimeCall) string {
	if call == nil {
		call = &runtimeCall{}
	}
	kind, name, instance := inbound.SourceKind, inbound.SourceName, inbound.InstanceKey
	if call.CallerAgent != "" {
		kind, name = "agent", call.CallerAgent
	}
	if call.CallerInstanceKey != "" {
		instance = call.CallerInstanceKey
	}
	var b block
	b.add("precedence", "call>inbound")
	b.add("senderKind", kind)
	b.add("senderName", name)
	b.add("eventType", inbound.EventType)
	b.add("eventId", inbound.EventID)
	b.addIf("senderInstanceKey", instance)
	b.addIf("senderTurnId", call.CallerTurnID)
	b.addIf("senderSource", call.CallSource)
	return b.in("runtime_route")
}

// block is lines of key=value.
type block []string

// add quotes a value that would not stay on its line: what comes from outside
// must not look like a line of ours.
func (b *block) add(key, value string) {
	if strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) {
		value = strconv.Quote(value)
	}
	*b = append(*b, key+"="+value)
}

func (b *block) addIf(key, value string) {
	if value != "" {
		b.add(key, value)
	}
}

// in puts the lines between markers, or returns "" without lines.
func (b *block) in(name string) string {
	if len(*b) == 0 {
		return ""
	}
	return "[" + name + "]\n" + strings.Join(append(*b, "[/"+name+"]"), "\n")
}
