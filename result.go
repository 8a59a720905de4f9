package gongu

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// Call is a request to run a tool.
type Call struct {
	// ID identifies the call in its result. The executor generates one if it
	// is empty.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Args is a JSON object, or a JSON string that holds one.
	Args json.RawMessage `json:"args"`
}

// The states of a result. No result is pending: a call returns when it is done.
const (
	StatusOK    = "ok"
	StatusError = "error"
)

// Result is the answer to a call.
type Result struct {
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Status     string          `json:"status"`
	Output     json.RawMessage `json:"output,omitempty"`
	Error      *Error          `json:"error,omitempty"`
	// Content is a JSON array of MCP content blocks, for images, audio and
	// resources, which Output cannot hold. Blocks of an upstream server are
	// unchanged.
	Content json.RawMessage `json:"content,omitempty"`
	// Meta is the unchanged _meta of an upstream server.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// CatalogRevision is the revision of the catalog of the call.
	CatalogRevision uint64 `json:"-"`

	// sound is the first byte of an output that this package encoded, which
	// needs no check.
	sound *byte
}

// Failed reports whether the call failed.
func (r Result) Failed() bool { return r.Status == StatusError }

// OK returns a result with this output, encoded as JSON.
func OK(output any) Result {
	raw, err := encode(output)
	if err != nil {
		return Fail(err)
	}
	return Result{Status: StatusOK, Output: raw, sound: &raw[0]}
}

// Fail returns a result for a failure. The code, name, suggestion and help URL of
// an [Error] that err wraps are kept.
func Fail(err error) Result {
	return Result{Status: StatusError, Error: errorOf(err)}
}

// With returns the result with these content blocks.
func (r Result) With(blocks ...Content) Result {
	if raw, err := encode(blocks); err == nil {
		r.Content = raw
	}
	return r
}

// Content is an MCP content block.
type Content struct {
	// Type is text, image, audio, resource or resource_link.
	Type     string          `json:"type"`
	Text     string          `json:"text,omitempty"`
	Data     []byte          `json:"data,omitempty"`
	MIMEType string          `json:"mimeType,omitempty"`
	URI      string          `json:"uri,omitempty"`
	Name     string          `json:"name,omitempty"`
	Resource json.RawMessage `json:"resource,omitempty"`
}

// encode returns JSON without HTML escapes.
func encode(v any) (json.RawMessage, error) {
	pooled, ok := encoders.Get().(*encoder)
	if !ok {
		pooled = newEncoder()
	}
	defer encoders.Put(pooled)
	pooled.buf.Reset()
	if err := pooled.enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(pooled.buf.Bytes(), []byte("\n"))), nil
}

// encoder is pooled: making one costs as much as encoding a small output.
type encoder struct {
	buf bytes.Buffer
	enc *json.Encoder
}

var encoders sync.Pool

func newEncoder() *encoder {
	e := &encoder{}
	e.enc = json.NewEncoder(&e.buf)
	e.enc.SetEscapeHTML(false)
	return e
}

// isSound reports whether every raw part is valid JSON. Handlers may return any
// bytes, and one invalid output would break the whole transcript.
func (r *Result) isSound() bool {
	if len(r.Output) > 0 && r.sound != &r.Output[0] && rawjson.Valid(r.Output, maxNestedOutput) != nil {
		return false
	}
	return validOr(r.Content, '[') && validOr(r.Meta, '{')
}

// maxNestedOutput is how deep an output may nest, as in encoding/json.
const maxNestedOutput = 10_000

func validOr(raw json.RawMessage, opening byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || raw[0] == opening && rawjson.Valid(raw, maxNestedOutput) == nil
}

// estimateTokens estimates how many tokens this many bytes of JSON are.
func estimateTokens(bytes int) int { return (bytes + 3) / 4 }
