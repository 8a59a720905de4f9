package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

const responseFormatSettings = `"includeRequestMetadata": {"type": "boolean"}`

type responseFormatConfig struct {
	IncludeRequestMetadata bool `json:"includeRequestMetadata"`
}

// The metadata of an answer that another agent sent later, and of one that is
// already text.
const (
	metadataInterAgentResponse  = "__goondanInterAgentResponse"
	metadataInterAgentFormatted = "__goondanInterAgentResponseFormatted"
)

// interAgentResponse is the metadata of such an answer.
type interAgentResponse struct {
	Kind            string          `json:"kind"`
	Version         int             `json:"version"`
	RequestID       string          `json:"requestId"`
	FromAgentID     string          `json:"fromAgentId"`
	ToAgentID       string          `json:"toAgentId"`
	Status          string          `json:"status"`
	ErrorCode       string          `json:"errorCode"`
	ErrorMessage    string          `json:"errorMessage"`
	RequestMetadata json.RawMessage `json:"requestMetadata"`
}

// interAgentContent is the message itself.
type interAgentContent struct {
	Response json.RawMessage `json:"response"`
	Error    struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// registerResponseFormat makes answers of other agents readable: what was
// injected as JSON becomes text, once.
func registerResponseFormat(_ context.Context, api *API, raw json.RawMessage) error {
	var config responseFormatConfig
	if err := readConfig(api, raw, responseFormatSettings, &config); err != nil {
		return err
	}
	language := languageOf(api)
	api.UseStep(0, func(ctx context.Context, step *Step, next Next[StepResult]) (StepResult, error) {
		conversation := step.Turn.Conversation
		for _, message := range conversation.Next() {
			about, ok := interAgentResponseOf(message)
			if !ok {
				continue
			}
			formatted := newMessage(api, "user", config.format(language, message, about))
			formatted.ID, formatted.CreatedAt, formatted.Metadata = message.ID, message.CreatedAt, message.Metadata
			formatted.Metadata[metadataInterAgentFormatted] = true
			if err := conversation.Emit(MessageEvent{Type: EventReplace, TargetID: message.ID, Message: &formatted}); err != nil {
				return StepResult{}, err
			}
		}
		return next(ctx)
	})
	return nil
}

// interAgentResponseOf reads the metadata of an answer that is not yet text.
func interAgentResponseOf(message Message) (about interAgentResponse, ok bool) {
	value, marked := message.Metadata[metadataInterAgentResponse]
	if _, formatted := message.Metadata[metadataInterAgentFormatted]; !marked || formatted || message.Data.Role != "user" {
		return about, false
	}
	raw, err := json.Marshal(value)
	if err != nil || json.Unmarshal(raw, &about) != nil {
		return about, false
	}
	known := about.Status == "ok" || about.Status == "error" || about.Status == "timeout"
	return about, known && about.Kind == "inter_agent_response" && about.Version == 1 &&
		about.RequestID != "" && about.FromAgentID != "" && about.ToAgentID != ""
}

func (c responseFormatConfig) format(language lang.Lang, message Message, about interAgentResponse) string {
	lines := []string{fmt.Sprintf("[inter-agent response] %s -> %s status=%s requestId=%s", about.FromAgentID, about.ToAgentID, about.Status, about.RequestID)}
	var content interAgentContent
	if json.Unmarshal(message.Data.Content, &content) != nil {
		content = interAgentContent{Response: message.Data.Content}
	}
	if about.Status == "ok" {
		if text := readable(content.Response); text != "" {
			lines = append(lines, text)
		}
	} else {
		code := cmp.Or(about.ErrorCode, content.Error.Code, "AGENT_REQUEST_ERROR")
		text := cmp.Or(about.ErrorMessage, content.Error.Message, lang.InterAgentFailed.In(language))
		lines = append(lines, fmt.Sprintf("error(%s): %s", code, text))
	}
	if text := readable(about.RequestMetadata); c.IncludeRequestMetadata && text != "" {
		lines = append(lines, "requestMetadata="+text)
	}
	return strings.Join(lines, "\n")
}

// readable is a JSON value as text: a string as it is, nothing for null.
func readable(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var indented bytes.Buffer
	if json.Indent(&indented, raw, "", "  ") != nil {
		return string(raw)
	}
	return indented.String()
}
