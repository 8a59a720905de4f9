package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rawjson"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// remoteTool is the part of a tool that a call needs.
type remoteTool struct {
	name   string          // the server's own
	quoted json.RawMessage // the same as JSON
	// structured says that the tool declares structured content, repeatable
	// that a call whose connection broke may be sent again.
	structured, repeatable bool
}

// invoke calls a tool: the arguments go to the server as they are.
func (c *Client) invoke(ctx context.Context, tool *remoteTool, call gongu.Call) gongu.Result {
	if err := ctx.Err(); err != nil {
		return gongu.Fail(c.fail(notSent(err)).toolError(c.lang, tool.repeatable))
	}
	passing := relay.Of(ctx).To(call.Name)
	opts := c.optionsFor(ctx, tool.repeatable, passing)
	r := &request{method: "tools/call", name: tool.name, members: callParams(tool.quoted, call.Args, passing), traced: c.traceMeta(ctx)}
	result, err := c.send(ctx, r, opts)
	if err != nil {
		return c.failed(err, tool.repeatable, passing)
	}
	out := c.result(tool.name, result, tool.structured, passing != nil && passing.Direct)
	if passing != nil {
		passing.Keep(result, out.Output, out.Content, out.Meta)
	}
	return out
}

// callParams returns the parameters of a call, with the answers of an MCP client
// to a server that asked for input.
func callParams(name, args json.RawMessage, passing *relay.Call) []member {
	members := append(make([]member, 0, 4), member{"name", name}, member{"arguments", arguments(args)})
	if passing == nil {
		return members
	}
	if !isNull(passing.Responses) {
		members = append(members, member{"inputResponses", passing.Responses})
	}
	if passing.State != "" {
		members = append(members, member{"requestState", quote(passing.State)})
	}
	return members
}

// failed returns the result of a call that failed.
func (c *Client) failed(err error, repeatable bool, passing *relay.Call) gongu.Result {
	own, ok := errors.AsType[*Error](err)
	if !ok {
		return gongu.Fail(&gongu.Error{Message: err.Error()})
	}
	if remote, ok := errors.AsType[*jsonrpc.Error](err); ok && passing != nil {
		passing.Refuse(relay.Refusal{Code: int(remote.Code), Message: remote.Message, Data: remote.Data})
	}
	return gongu.Fail(own.toolError(c.lang, repeatable))
}

func arguments(args json.RawMessage) json.RawMessage {
	if isNull(args) {
		return json.RawMessage(`{}`)
	}
	return args
}

// optionsFor connects the server with the caller of the tool. A caller that is an
// MCP client sends its capabilities in place of the declared ones.
func (c *Client) optionsFor(ctx context.Context, repeatable bool, passing *relay.Call) *RequestOptions {
	own := gongu.CallerOf(ctx)
	opts := &RequestOptions{Repeatable: repeatable}
	if own.Progress != nil {
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
	if own.Log != nil {
		opts.Log = func(ctx context.Context, params json.RawMessage) {
			level, message := logLine(params)
			own.Log(ctx, level, message)
		}
	}
	if own.Elicit != nil {
		opts.Elicit = func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
			return own.Elicit(ctx, c.config.Name, params)
		}
	}
	if _, declared := get(c.declared, "sampling"); declared {
		opts.Sample = own.Sample
	}
	if passing != nil {
		opts.InputRequired, opts.Roots, opts.LogLevel = passing.Modern, passing.Roots, passing.LogLevel
	}
	if passing != nil && passing.Capabilities != nil {
		opts.Capabilities = passing.Capabilities
	} else {
		opts.Capabilities = c.supportedCapabilities(own)
	}
	return opts
}

// supportedCapabilities returns the declared capabilities that a caller supports.
func (c *Client) supportedCapabilities(own gongu.Caller) json.RawMessage {
	var able []member
	for _, m := range c.declared {
		switch {
		case m.name == "elicitation" && own.Elicit == nil && c.opts.Owner.Elicit == nil:
		case m.name == "sampling" && own.Sample == nil && c.opts.Owner.Sample == nil:
		default:
			able = append(able, m)
		}
	}
	return object(able)
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

// result converts the result of tools/call, which was checked on receipt.
// Content, structured content and _meta stay as they are. Direct says that the
// caller gets the server's result itself; then the output is not needed.
func (c *Client) result(tool string, raw json.RawMessage, structured, direct bool) gongu.Result {
	var content, output, meta, failed json.RawMessage
	err := rawjson.Members(raw, func(name, value json.RawMessage) error {
		switch string(rawjson.Name(name)) {
		case "content":
			content = value
		case "structuredContent":
			output = value
		case "_meta":
			meta = value
		case "isError":
			failed = value
		}
		return nil
	})
	if err != nil {
		own := c.fail(faultf(ReasonProtocol, true, "the result of %s %w", tool, notObject(err)))
		return gongu.Fail(own.toolError(c.lang, false))
	}
	out := gongu.Result{Status: gongu.StatusOK, Output: output}
	if isObject(meta) {
		out.Meta = meta
	}
	isList := len(content) > 0 && content[0] == '['
	if isList && rawjson.Space(content, 1) < len(content)-1 {
		out.Content = content
	}
	if isTrue(failed) {
		texts, _ := textsOf(content)
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
	case !isList:
		out.Output = raw // an unknown form: all of it
	case direct && !structured:
	default:
		out.Output = outputOf(content, structured)
	}
	return out
}

// outputOf is the output of a result that has content alone.
func outputOf(content json.RawMessage, structured bool) json.RawMessage {
	texts, onlyText := textsOf(content)
	switch {
	case structured && len(texts) == 1 && json.Valid([]byte(texts[0])):
		// The tool declares structured content and returned it as text.
		return json.RawMessage(texts[0])
	case onlyText && len(content) <= maxTwice:
		return quote(strings.Join(texts, "\n"))
	}
	return nil
}

// maxTwice is the largest content whose text is given as the output, too, for
// tools that call tools. Twice a large text would be over the output limit.
const maxTwice = 256 << 10

// isTrue accepts the text "true" as well: some servers write it so.
func isTrue(value json.RawMessage) bool { return string(value) == "true" || textOf(value) == "true" }

// textsOf collects the texts of content, and reports whether it has only texts.
func textsOf(content json.RawMessage) (texts []string, only bool) {
	only = true
	err := rawjson.Elements(content, func(block json.RawMessage) error {
		if textOf(rawjson.Member(block, "type")) != "text" {
			only = false
			return nil
		}
		texts = append(texts, textOf(rawjson.Member(block, "text")))
		return nil
	})
	return texts, only && err == nil && len(texts) > 0
}
