package modelserver

import (
	"encoding/json"
	"net/http"
	"path"
	"strings"
)

func readGemini(address string, body []byte) (*conversation, error) {
	var in struct {
		Tools []struct {
			FunctionDeclarations []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct {
					Response json.RawMessage `json:"response"`
				} `json:"functionResponse"`
			} `json:"parts"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	model, method, _ := strings.Cut(path.Base(address), ":")
	c := &conversation{model: model, stream: method == "streamGenerateContent"}
	for _, tool := range in.Tools {
		for _, declared := range tool.FunctionDeclarations {
			c.tools = append(c.tools, Tool{Name: declared.Name})
		}
	}
	for _, content := range in.Contents {
		for _, part := range content.Parts {
			if part.FunctionResponse != nil {
				c.results = append(c.results, string(part.FunctionResponse.Response))
			}
		}
	}
	return c, nil
}

func writeGemini(w http.ResponseWriter, c *conversation, r reply) {
	var parts []any
	if r.text != "" || r.call == nil {
		parts = append(parts, object{"text": r.text})
	}
	if r.call != nil {
		parts = append(parts, object{"functionCall": object{"id": r.call.id, "name": r.call.tool.Name, "args": r.call.args}})
	}
	response := object{
		"candidates":    []any{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": parts}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
		"modelVersion":  c.model,
	}
	if c.stream {
		newEvents(w).send("", response)
		return
	}
	writeJSON(w, response)
}
