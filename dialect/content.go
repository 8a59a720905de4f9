package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// block is one piece of content, whatever MCP type it had.
type block struct {
	kind     string // text, image, audio, resource, resource_link or another
	text     string // of text, and of a resource that is text
	data     string // base64, of image, audio, and of a resource that is not text
	mimeType string
	uri      string
	name     string
	size     int // bytes of what it holds
}

// contentOf reads the content blocks of a result.
func contentOf(r *gongu.Result) ([]block, error) {
	if len(r.Content) == 0 {
		return nil, nil
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(r.Content, &raws); err != nil {
		return nil, fmt.Errorf("content must be an array of blocks: %w", err)
	}
	blocks := make([]block, 0, len(raws))
	for _, raw := range raws {
		blocks = append(blocks, blockOf(raw))
	}
	return blocks, nil
}

// blockOf never fails: a block of a form that is not known is still named.
func blockOf(raw json.RawMessage) block {
	var in struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Data     string `json:"data"`
		MIMEType string `json:"mimeType"`
		URI      string `json:"uri"`
		Name     string `json:"name"`
		Resource struct {
			URI      string `json:"uri"`
			MIMEType string `json:"mimeType"`
			Text     string `json:"text"`
			Blob     string `json:"blob"`
		} `json:"resource"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return block{kind: "content", size: len(raw)}
	}
	b := block{kind: in.Type, text: in.Text, data: in.Data, mimeType: in.MIMEType, uri: in.URI, name: in.Name}
	if in.Type == "resource" {
		r := in.Resource
		b = block{kind: in.Type, text: r.Text, data: r.Blob, mimeType: r.MIMEType, uri: r.URI, name: path.Base(r.URI)}
	}
	switch {
	case b.data != "":
		b.size = len(strings.TrimRight(b.data, "=")) * 3 / 4
	case b.text != "":
		b.size = len(b.text)
	default:
		b.size = len(raw)
	}
	return b
}

// isText reports whether the block is nothing but text.
func (b block) isText() bool { return b.kind == "text" }

// hasMedia reports whether the block holds bytes of one of the MIME types.
func (b block) hasMedia(types ...string) bool {
	return b.data != "" && slices.Contains(types, b.mimeType)
}

func (b block) isImage() bool { return b.data != "" && strings.HasPrefix(b.mimeType, "image/") }

// asText returns the text of the block, or a line that describes it.
func (b block) asText(l lang.Lang) string {
	mimeType := b.mimeType
	if mimeType == "" {
		mimeType = "application/octet-stream"
		if b.data == "" {
			mimeType = "text/plain"
		}
	}
	switch b.kind {
	case "text":
		return b.text
	case "image", "audio":
		return lang.LineMedia.In(l, b.kind, mimeType, b.size)
	case "resource":
		line := lang.LineResource.In(l, b.uri, mimeType, b.size)
		if b.data == "" {
			line += "\n" + b.text
		}
		return line
	case "resource_link":
		return lang.LineLink.In(l, b.name, b.uri, mimeType)
	}
	return lang.LineUnknown.In(l, b.kind, b.size)
}

// outputText returns an output as text: the text of a string, or compact JSON.
func outputText(output json.RawMessage) string {
	var text string
	if json.Unmarshal(output, &text) == nil && !isNull(output) {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, output) != nil {
		return string(output)
	}
	return compact.String()
}

func isNull(output json.RawMessage) bool { return len(output) == 0 || string(output) == "null" }

func isObject(output json.RawMessage) bool { return len(output) > 0 && output[0] == '{' }

// saysAlready reports whether the text blocks hold the output, as upstreams
// that give both do. It must not appear twice.
func saysAlready(blocks []block, output json.RawMessage) bool {
	want := outputText(output)
	var texts []string
	for _, b := range blocks {
		if !b.isText() {
			continue
		}
		if b.text == want || sameJSON(b.text, output) {
			return true
		}
		texts = append(texts, b.text)
	}
	return len(texts) > 1 && (strings.Join(texts, "\n") == want || strings.Join(texts, "") == want)
}

func sameJSON(text string, output json.RawMessage) bool {
	if isObject(output) != strings.HasPrefix(strings.TrimSpace(text), "{") {
		return false
	}
	a, err := parse([]byte(text))
	if err != nil {
		return false
	}
	b, err := parse(output)
	return err == nil && equal(a, b)
}
