package gongu

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// Call is a model's wish to run a tool.
type Call struct {
	// ID ties the result to the call. An empty one is made up.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Args is a JSON object, or a JSON string that holds one.
	Args json.RawMessage `json:"args"`
}

// The two states of a result. There is no third: long work is modelled by
// events, not by a result that is still pending.
const (
	StatusOK    = "ok"
	StatusError = "error"
)

// Result is the one answer to a call.
type Result struct {
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Status     string          `json:"status"`
	Output     json.RawMessage `json:"output,omitempty"`
	Error      *Error          `json:"error,omitempty"`
	// Content is a JSON array of MCP content blocks, for what Output cannot
	// carry: images, audio, resources. Upstream blocks stay as they came.
	Content json.RawMessage `json:"content,omitempty"`
	// Meta is an upstream's _meta, as it came.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// CatalogRevision is the catalog that let the call through.
	CatalogRevision uint64 `json:"-"`

	// sound is the first byte of an output this package encoded itself, which
	// need not be parsed again to know that it is JSON.
	sound *byte
}

// Failed reports whether the call failed.
func (r Result) Failed() bool { return r.Status == StatusError }

// OK is a result with this output, encoded as JSON.
func OK(output any) Result {
	raw, err := encode(output)
	if err != nil {
		return Fail(err)
	}
	return Result{Status: StatusOK, Output: raw, sound: &raw[0]}
}

// Fail is a result that says why there is none. An [Error] in the chain of
// err keeps its code, name, suggestion and help address.
func Fail(err error) Result {
	return Result{Status: StatusError, Error: errorOf(err)}
}

// With adds content blocks to a result.
func (r Result) With(blocks ...Content) Result {
	if raw, err := encode(blocks); err == nil {
		r.Content = raw
	}
	return r
}

// Content is one block of rich output, in the form of MCP.
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

// encode writes JSON for models: "<" stays "<", a nil output is null.
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

// encoder is kept between calls: making one costs as much as a small output.
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

// isSound reports whether every raw part is JSON. A handler is not trusted to
// have checked: one broken output would break the whole transcript.
func (r *Result) isSound() bool {
	if len(r.Output) > 0 && r.sound != &r.Output[0] && rawjson.Valid(r.Output, maxNestedOutput) != nil {
		return false
	}
	return validOr(r.Content, '[') && validOr(r.Meta, '{')
}

// maxNestedOutput is how deep an output may nest: what readers of JSON take.
const maxNestedOutput = 10_000

func validOr(raw json.RawMessage, opening byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || raw[0] == opening && rawjson.Valid(raw, maxNestedOutput) == nil
}

// estimateTokens guesses how many tokens a model needs to read this many
// bytes of JSON. Every budget and every figure shown uses this one guess.
func estimateTokens(bytes int) int { return (bytes + 3) / 4 }
