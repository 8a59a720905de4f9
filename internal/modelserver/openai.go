package modelserver

import (
	"encoding/json"
	"net/http"
)

// now is when every answer is made, so that tests can compare them.
const now = 1_700_000_000

type object = map[string]any

func readChat(_ string, body []byte) (*conversation, error) {
	var in struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Tools  []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	c := &conversation{model: in.Model, stream: in.Stream}
	for _, tool := range in.Tools {
		if tool.Function.Name != "" {
			c.tools = append(c.tools, Tool{Name: tool.Function.Name})
		}
	}
	for _, m := range in.Messages {
		if m.Role == "tool" {
			c.results = append(c.results, textOf(m.Content))
		}
	}
	return c, nil
}

func writeChat(w http.ResponseWriter, c *conversation, r reply) {
	message, reason := object{"role": "assistant", "content": r.text}, "stop"
	if r.call != nil {
		reason = "tool_calls"
		message["tool_calls"] = []any{object{"index": 0, "id": r.call.id, "type": "function",
			"function": object{"name": r.call.tool.Name, "arguments": string(r.call.args)}}}
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	if !c.stream {
		writeJSON(w, object{"id": "chatcmpl-1", "object": "chat.completion", "created": now, "model": c.model,
			"choices": []any{object{"index": 0, "message": message, "finish_reason": reason}}, "usage": usage})
		return
	}
	e := newEvents(w)
	chunk := func(delta object, reason any) object {
		return object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": now, "model": c.model,
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": reason}}}
	}
	e.send("", chunk(message, nil))
	last := chunk(object{}, reason)
	last["usage"] = usage
	e.send("", last)
	_, _ = w.Write([]byte("data: [DONE]\n\n")) // a client that is gone needs no end
}

func readResponses(_ string, body []byte) (*conversation, error) {
	type tool struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Tools []struct {
			Type string `json:"type"`
			Name string `json:"name"`
		} `json:"tools"`
	}
	var in struct {
		Model  string          `json:"model"`
		Stream bool            `json:"stream"`
		Tools  []tool          `json:"tools"`
		Input  json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	c := &conversation{model: in.Model, stream: in.Stream}
	for _, t := range in.Tools {
		switch t.Type {
		case "function":
			c.tools = append(c.tools, Tool{Name: t.Name})
		case "namespace":
			for _, inner := range t.Tools {
				c.tools = append(c.tools, Tool{Name: inner.Name, Namespace: t.Name})
			}
		}
	}
	var items []struct {
		Type   string          `json:"type"`
		Output json.RawMessage `json:"output"`
	}
	if len(in.Input) > 0 && in.Input[0] == '[' {
		if err := json.Unmarshal(in.Input, &items); err != nil {
			return nil, err
		}
	}
	for _, item := range items {
		if item.Type == "function_call_output" {
			c.results = append(c.results, textOf(item.Output))
		}
	}
	return c, nil
}

func writeResponses(w http.ResponseWriter, c *conversation, r reply) {
	var output []any
	if r.text != "" || r.call == nil {
		output = append(output, object{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": r.text, "annotations": []any{}}}})
	}
	if r.call != nil {
		item := object{"id": "fc_1", "type": "function_call", "status": "completed", "call_id": r.call.id,
			"name": r.call.tool.Name, "arguments": string(r.call.args)}
		if r.call.tool.Namespace != "" {
			item["namespace"] = r.call.tool.Namespace
		}
		output = append(output, item)
	}
	response := object{"id": "resp_1", "object": "response", "created_at": now, "model": c.model, "status": "completed", "output": output,
		"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
			"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0}}}
	if !c.stream {
		writeJSON(w, response)
		return
	}
	e := newEvents(w)
	send := func(kind string, event object) {
		event["type"] = kind
		e.send(kind, event)
	}
	send("response.created", object{"response": object{"id": "resp_1", "object": "response", "created_at": now,
		"model": c.model, "status": "in_progress", "output": []any{}}})
	for i, item := range output {
		send("response.output_item.added", object{"output_index": i, "item": item})
		send("response.output_item.done", object{"output_index": i, "item": item})
	}
	send("response.completed", object{"response": response})
}
