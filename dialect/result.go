package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// ErrorText returns an error as a model reads it: the lines ERROR, CODE, SUGGESTION
// and HELP, those that say nothing left out.
func ErrorText(e *gongu.Error) string {
	if e == nil {
		return "ERROR: " + lang.MessageTool.In(lang.English)
	}
	var b strings.Builder
	b.WriteString("ERROR: " + e.Message)
	for _, line := range []struct{ label, text string }{
		{"CODE", e.Code}, {"SUGGESTION", e.Suggestion}, {"HELP", e.HelpURL},
	} {
		if line.text != "" {
			b.WriteString("\n" + line.label + ": " + line.text)
		}
	}
	return b.String()
}

// EncodeResult writes a result as the block, part or message that answers the
// call in a dialect. A string output is written as its text, other JSON as compact
// JSON. An error is written by [ErrorText], with the dialect's own mark of an
// error; what the result holds beside it follows. The package comment lists
// which content each dialect carries.
//
// For [MCP], _meta keeps what an upstream gave and, in an error, has the keys
// code, name, suggestion and helpUrl. An error in a dialect without a mark for
// it is known by its first line.
func EncodeResult(d Dialect, r gongu.Result, opts *Options) (json.RawMessage, error) {
	if !d.known() {
		_, err := Parse(string(d))
		return nil, err
	}
	r.Output, r.Content, r.Meta = bytes.TrimSpace(r.Output), bytes.TrimSpace(r.Content), bytes.TrimSpace(r.Meta)
	blocks, err := contentOf(&r)
	if err == nil && !isNull(r.Output) && !json.Valid(r.Output) {
		err = fmt.Errorf("output is not JSON")
	}
	if err != nil {
		return nil, fmt.Errorf("encode the result of %q for %s: %w", r.ToolName, d, err)
	}
	e := &encoding{result: &r, blocks: blocks, lang: opts.lang(), failed: r.Failed() || r.Error != nil}
	if opts != nil {
		e.anyOutput = opts.Output != ""
	}
	switch d {
	case MCP:
		return e.mcp()
	case OpenAI, OpenAIStrict:
		var o object
		return o.string("role", "tool").string("tool_call_id", r.ToolCallID).string("content", e.text()).bytes(), nil
	case OpenAIResponses:
		return e.responses(), nil
	case Anthropic:
		return e.anthropic(), nil
	case Gemini, GeminiOpenAPI:
		return e.gemini(), nil
	case AISDK:
		return e.aisdk(), nil
	}
	return e.plain(), nil
}

// encoding is the state of encoding one result for a dialect.
type encoding struct {
	result    *gongu.Result
	blocks    []block
	lang      lang.Lang
	failed    bool
	anyOutput bool
}

// allBlocks returns the result as blocks for a model: the error or the output first,
// then the content of the tool.
func (e *encoding) allBlocks() []block {
	var blocks []block
	if e.failed {
		blocks = append(blocks, block{kind: "text", text: ErrorText(e.result.Error)})
	}
	output := e.result.Output
	switch {
	case isNull(output):
		if !e.failed && len(e.blocks) == 0 {
			blocks = append(blocks, block{kind: "text", text: "null"})
		}
	case !saysAlready(e.blocks, output):
		blocks = append(blocks, block{kind: "text", text: outputText(output)})
	}
	return append(blocks, e.blocks...)
}

// text returns the result as text alone.
func (e *encoding) text() string { return joined(e.allBlocks(), e.lang) }

func joined(blocks []block, l lang.Lang) string {
	texts := make([]string, 0, len(blocks))
	for _, b := range blocks {
		texts = append(texts, b.asText(l))
	}
	return strings.Join(texts, "\n")
}

func (e *encoding) plain() json.RawMessage {
	var o object
	o.string("toolUseId", e.result.ToolCallID).string("content", e.text())
	if e.failed {
		o.flag("isError", true)
	}
	return o.bytes()
}

func (e *encoding) mcp() (json.RawMessage, error) {
	var o object
	o.raw("content", e.mcpContent())
	if e.hasStructured() {
		o.raw("structuredContent", e.result.Output)
	}
	if e.failed {
		o.flag("isError", true)
	}
	meta, err := e.meta()
	if err != nil {
		return nil, err
	}
	if len(meta) > 0 {
		o.raw("_meta", meta)
	}
	return o.bytes(), nil
}

func (e *encoding) hasStructured() bool {
	return isObject(e.result.Output) || e.anyOutput && !e.failed && len(e.result.Output) > 0
}

// mcpContent passes the tool's blocks on as they came, after what the other
// blocks do not say.
func (e *encoding) mcpContent() json.RawMessage {
	var added []json.RawMessage
	blocks := e.allBlocks()
	for _, b := range blocks[:len(blocks)-len(e.blocks)] {
		if e.hasStructured() && b.text == outputText(e.result.Output) && e.hasText() {
			continue // structured content says it, and the tool wrote its own text
		}
		added = append(added, textBlock("text", b.text))
	}
	if len(e.blocks) == 0 {
		return array(added...)
	}
	if len(added) == 0 {
		return e.result.Content
	}
	out := array(added...)
	out[len(out)-1] = ','
	return append(out, e.result.Content[1:]...)
}

func (e *encoding) hasText() bool {
	return slices.ContainsFunc(e.blocks, block.isText)
}

// meta joins an upstream's _meta with the details of an error.
func (e *encoding) meta() (json.RawMessage, error) {
	if !e.failed || e.result.Error == nil {
		return e.result.Meta, nil
	}
	out := newObject()
	if len(e.result.Meta) > 0 {
		upstream, err := parse(e.result.Meta)
		if err != nil {
			return nil, fmt.Errorf("encode the result of %q: _meta: %w", e.result.ToolName, err)
		}
		if upstream.isObject() {
			out = upstream.without()
		}
	}
	err := e.result.Error
	for _, field := range []struct{ name, text string }{
		{"code", err.Code}, {"name", err.Name}, {"suggestion", err.Suggestion}, {"helpUrl", err.HelpURL},
	} {
		if field.text != "" {
			out.set(field.name, newString(field.text))
		}
	}
	if len(out.members) == 0 {
		return nil, nil
	}
	return out.append(nil), nil
}
