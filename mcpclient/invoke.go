package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// invoke is the handler of a tool: the arguments go to the server as they are.
func (c *Client) invoke(tool string, structured, repeatable bool) gongu.Invoke {
	return func(ctx context.Context, call gongu.Call) gongu.Result {
		if err := ctx.Err(); err != nil {
			return gongu.Fail(c.fail(notSent(err)).told(c.lang, repeatable))
		}
		opts := c.asCaller(ctx, repeatable)
		passing := relay.Of(ctx).To(call.Name)
		result, err := c.Request(ctx, "tools/call", c.inTrace(ctx, passed(tool, call.Args, passing, opts)), opts)
		if err != nil {
			return c.failed(err, repeatable, passing)
		}
		out := c.result(tool, result, structured)
		if passing != nil {
			passing.Keep(result, out.Output, out.Content, out.Meta)
		}
		return out
	}
}

// passed are the parameters of a call. On behalf of a client of MCP its own
// capabilities are forwarded and never ours, and what it answers to a server
// that asks for input goes along.
func passed(tool string, args json.RawMessage, passing *relay.Call, opts *RequestOptions) json.RawMessage {
	members := []member{{"name", quote(tool)}, {"arguments", arguments(args)}}
	if passing == nil {
		return object(members)
	}
	if passing.Capabilities != nil {
		opts.Capabilities = passing.Capabilities
	}
	opts.InputRequired, opts.LogLevel = passing.Modern, passing.LogLevel
	if passing.Roots != nil {
		opts.Roots = passing.Roots
	}
	if !isNull(passing.Responses) {
		members = append(members, member{"inputResponses", passing.Responses})
	}
	if passing.State != "" {
		members = append(members, member{"requestState", quote(passing.State)})
	}
	return object(members)
}

// failed is the result of a call that got none.
func (c *Client) failed(err error, repeatable bool, passing *relay.Call) gongu.Result {
	own, ok := errors.AsType[*Error](err)
	if !ok {
		return gongu.Fail(&gongu.Error{Message: err.Error()})
	}
	if remote, ok := errors.AsType[*jsonrpc.Error](err); ok && passing != nil {
		passing.Refuse(relay.Refusal{Code: int(remote.Code), Message: remote.Message, Data: remote.Data})
	}
	return gongu.Fail(own.told(c.lang, repeatable))
}

func arguments(args json.RawMessage) json.RawMessage {
	if isNull(args) {
		return json.RawMessage(`{}`)
	}
	return args
}

// asCaller lets the server speak with whoever made the call.
func (c *Client) asCaller(ctx context.Context, repeatable bool) *RequestOptions {
	own := gongu.ContextOf(ctx)
	opts := &RequestOptions{Repeatable: repeatable}
	if own.Caller.Progress != nil {
		opts.Progress = func(ctx context.Context, params json.RawMessage) {
			var p struct {
				Progress, Total float64
				Message         string
			}
			if json.Unmarshal(params, &p) == nil {
				own.Progress(ctx, p.Progress, p.Total, p.Message)
			}
		}
	}
	if own.Caller.Log != nil {
		opts.Log = func(ctx context.Context, params json.RawMessage) {
			level, message := logLine(params)
			own.Log(ctx, level, message)
		}
	}
	var able []member
	declared, err := membersOf(c.opts.Capabilities)
	if err != nil {
		declared = nil // it was checked
	}
	if own.Caller.Elicit != nil {
		opts.Elicit = own.Elicit
	}
	if capability, ok := get(declared, "elicitation"); ok && (own.Caller.Elicit != nil || c.opts.Owner.Elicit != nil) {
		able = append(able, member{"elicitation", capability})
	}
	if capability, ok := get(declared, "sampling"); ok {
		if own.Caller.Sample != nil {
			opts.Sample = own.Sample
		}
		if own.Caller.Sample != nil || c.opts.Owner.Sample != nil {
			able = append(able, member{"sampling", capability})
		}
	}
	for _, m := range declared {
		if m.name != "elicitation" && m.name != "sampling" {
			able = append(able, m)
		}
	}
	opts.Capabilities = object(able)
	return opts
}

// logLine reads a log message, whose data is any JSON.
func logLine(params json.RawMessage) (slog.Level, string) {
	var line struct {
		Level string          `json:"level"`
		Data  json.RawMessage `json:"data"`
	}
	if json.Unmarshal(params, &line) != nil {
		return slog.LevelInfo, string(cut(params, 1000))
	}
	text := textOf(line.Data)
	if text == "" {
		text = string(line.Data)
	}
	switch line.Level {
	case "debug":
		return slog.LevelDebug, text
	case "warning":
		return slog.LevelWarn, text
	case "error", "critical", "alert", "emergency":
		return slog.LevelError, text
	}
	return slog.LevelInfo, text
}

// result makes a Result of what tools/call gave. Content, structured content
// and _meta stay as they came.
func (c *Client) result(tool string, raw json.RawMessage, structured bool) gongu.Result {
	members, err := membersOf(raw)
	if err != nil {
		own := c.fail(faultf(ReasonProtocol, true, "the result of %s %w", tool, err))
		return gongu.Fail(own.told(c.lang, false))
	}
	content, _ := get(members, "content")
	output, _ := get(members, "structuredContent")
	meta, _ := get(members, "_meta")
	out := gongu.Result{Status: gongu.StatusOK, Output: output}
	if isObject(meta) {
		out.Meta = meta
	}
	blocks, err := elementsOf(content)
	if err == nil && len(blocks) > 0 {
		out.Content = content
	}
	texts, onlyText := textsOf(blocks)
	if isTrue(members, "isError") {
		out.Status = gongu.StatusError
		message := strings.TrimSpace(strings.Join(texts, "\n"))
		if message == "" {
			message = lang.McpNoDetail.In(c.lang, tool, c.config.Name)
		}
		out.Error = &gongu.Error{Code: gongu.CodeTool, Message: message}
		return out
	}
	switch {
	case output != nil:
	case err != nil || content == nil:
		out.Output = raw // no form that we know: all of it
	case structured && len(texts) == 1 && json.Valid([]byte(texts[0])):
		// It promised structured content and wrote it as text.
		out.Output = json.RawMessage(texts[0])
	case onlyText && len(content) <= maxTwice:
		out.Output = quote(strings.Join(texts, "\n"))
	}
	return out
}

// maxTwice is the largest content whose text is given as the output, too, for
// tools that call tools. Twice a large text would be over the output limit.
const maxTwice = 256 << 10

// isTrue accepts the text "true" as well: some servers write it so.
func isTrue(members []member, name string) bool {
	value, _ := get(members, name)
	return string(value) == "true" || textOf(value) == "true"
}

// textsOf collects the texts of content, and says whether there is nothing
// else.
func textsOf(blocks []json.RawMessage) (texts []string, only bool) {
	only = len(blocks) > 0
	for _, raw := range blocks {
		members, err := membersOf(raw)
		if err != nil {
			only = false
			continue
		}
		kind, _ := get(members, "type")
		text, _ := get(members, "text")
		if textOf(kind) != "text" {
			only = false
			continue
		}
		texts = append(texts, textOf(text))
	}
	return texts, only
}
