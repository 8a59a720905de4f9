package modelserver

import (
	"encoding/json"
	"net/http"
)

func readMessages(_ string, body []byte) (*conversation, error) {
	var in struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Tools  []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	c := &conversation{model: in.Model, stream: in.Stream}
	for _, tool := range in.Tools {
		c.tools = append(c.tools, Tool{Name: tool.Name})
	}
	for _, m := range in.Messages {
		var blocks []struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // a plain text
		}
		for _, block := range blocks {
			if block.Type == "tool_result" {
				c.results = append(c.results, textOf(block.Content))
			}
		}
	}
	return c, nil
}

func writeMessages(w http.ResponseWriter, c *conversation, r reply) {
	var content []any
	reason := "end_turn"
	if r.text != "" || r.call == nil {
		content = append(content, object{"type": "text", "text": r.text})
	}
	if r.call != nil {
		reason = "tool_use"
		content = append(content, object{"type": "tool_use", "id": r.call.id, "name": r.call.tool.Name, "input": r.call.args})
	}
	message := object{"id": "msg_1", "type": "message", "role": "assistant", "model": c.model, "content": content,
		"stop_reason": reason, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}
	if !c.stream {
		writeJSON(w, message)
		return
	}
	e := newEvents(w)
	send := func(kind string, event object) {
		event["type"] = kind
		e.send(kind, event)
	}
	message["content"], message["stop_reason"] = []any{}, nil
	send("message_start", object{"message": message})
	index := 0
	block := func(start, delta object) {
		send("content_block_start", object{"index": index, "content_block": start})
		send("content_block_delta", object{"index": index, "delta": delta})
		send("content_block_stop", object{"index": index})
		index++
	}
	if r.text != "" || r.call == nil {
		block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": r.text})
	}
	if r.call != nil {
		block(object{"type": "tool_use", "id": r.call.id, "name": r.call.tool.Name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": string(r.call.args)})
	}
	send("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
	send("message_stop", object{})
}
