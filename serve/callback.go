package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strconv"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/relay"
)

const (
	askElicit = "elicitation/create"
	askSample = "sampling/createMessage"
	askRoots  = "roots/list"
)

// asker sends a question to the client and waits for its answer.
type asker func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// caller returns what the client of a request can do for a tool: what it
// declared and the owner of the server allows.
func (s *Server) caller(rq *request, c *callParams, out sink, ask asker) gongu.Caller {
	var caller gongu.Caller
	if rq.meta.progress != nil {
		caller.Progress = func(_ context.Context, done, total float64, message string) {
			_ = out.send(progress(rq.meta.progress, done, total, message)) // the client may have disconnected
		}
	}
	if least, on := rq.logLevel(); on {
		caller.Log = func(ctx context.Context, level slog.Level, message string) {
			if level >= least && rq.mayLog(ctx) {
				_ = out.send(logLine(c.name, level, message)) // the client may have disconnected
			}
		}
	}
	able := rq.able()
	caller.ElicitURL, caller.NeedsQuestion = able.elicitURL, !able.task
	if able.elicitation {
		caller.Elicit = func(ctx context.Context, from string, params json.RawMessage) (json.RawMessage, error) {
			return ask(ctx, askElicit, s.named(from, params))
		}
	}
	if able.sampling && s.samples(rq) {
		caller.Sample = func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
			return ask(ctx, askSample, params)
		}
	}
	return caller
}

// samples reports whether tools may use the model of the client.
func (s *Server) samples(rq *request) bool { return access.Sampling(rq.principal, s.opts.Sampling) }

// mayLog reports whether the principal gets the messages of the tool that ctx
// is of: a macro also calls tools of other sources.
func (rq *request) mayLog(ctx context.Context) bool {
	about := gongu.ContextOf(ctx)
	source := ""
	if about.Catalog != nil {
		if tool, ok := about.Catalog.Get(about.ToolName); ok {
			source = tool.Source.Identity()
		}
	}
	return access.Source(rq.principal, rq.agent, source, access.Logs) == nil
}

// roots returns the function that asks the client for its roots, or nil if it
// has none.
func (rq *request) roots(ask asker) func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	if !rq.able().roots {
		return nil
	}
	return func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
		return ask(ctx, askRoots, params)
	}
}

// logLevel returns the lowest log level that the client wants and may have. The
// default of a session is info; a modern request without a level gets no logs.
func (rq *request) logLevel() (slog.Level, bool) {
	if !access.Any(rq.principal, access.Logs) {
		return 0, false
	}
	if rq.modern {
		return levelOf(rq.meta.logLevel)
	}
	if rq.session == nil {
		return 0, false
	}
	return rq.session.level(), true
}

func levelOf(name string) (slog.Level, bool) {
	switch name {
	case "debug":
		return slog.LevelDebug, true
	case "info", "notice":
		return slog.LevelInfo, true
	case "warning":
		return slog.LevelWarn, true
	case "error", "critical", "alert", "emergency":
		return slog.LevelError, true
	}
	return 0, false
}

func levelName(level slog.Level) string {
	switch {
	case level < slog.LevelInfo:
		return "debug"
	case level < slog.LevelWarn:
		return "info"
	case level < slog.LevelError:
		return "warning"
	}
	return "error"
}

func logLine(logger string, level slog.Level, message string) []byte {
	params := quote([]byte(`{"level":`), levelName(level))
	params = quote(append(params, `,"logger":`...), logger)
	params = quote(append(params, `,"data":`...), message)
	return notification("notifications/message", append(params, '}'))
}

func progress(token json.RawMessage, done, total float64, message string) []byte {
	params := append([]byte(`{"progressToken":`), token...)
	params = strconv.AppendFloat(append(params, `,"progress":`...), done, 'g', -1, 64)
	if total > 0 {
		params = strconv.AppendFloat(append(params, `,"total":`...), total, 'g', -1, 64)
	}
	if message != "" {
		params = quote(append(params, `,"message":`...), message)
	}
	return notification("notifications/progress", append(params, '}'))
}

// named puts the name of the server before its question: a person must know
// which server reads the answer. An empty name is gongu itself.
func (s *Server) named(from string, params json.RawMessage) json.RawMessage {
	message := member(params, "message")
	if from == "" || len(message) == 0 || message[0] != '"' {
		return params
	}
	return replaced(params, "message", quote(nil, lang.ServeAsks.In(s.lang, from, text(message))))
}

// serverOf returns the name of the MCP server that has a tool, or "".
func serverOf(catalog *gongu.Catalog, name string, arguments json.RawMessage) string {
	tool, ok := catalog.Get(called(name, arguments))
	if !ok || tool.Source.Type != "mcp" {
		return ""
	}
	return tool.Source.Name
}

// called returns the tool that a call runs: for call_tool, the one that its
// arguments name.
func called(name string, arguments json.RawMessage) string {
	if name == explore.CallTool && isObject(arguments) && wellFormed(arguments, 1000) == nil {
		return text(member(arguments, "name"))
	}
	return name
}

// describeClient sets what the upstream of a call learns about the client.
func (s *Server) describeClient(rq *request, relayed *relay.Call, tool string, arguments json.RawMessage) {
	relayed.Tool = called(tool, arguments)
	relayed.Direct = relayed.Tool == tool
	relayed.Capabilities = s.declared(rq)
	if rq.over {
		// Copied, because a handler that outlives the call may still read it.
		relayed.Capabilities = bytes.Clone(relayed.Capabilities)
	}
	switch least, on := rq.logLevel(); {
	case on && rq.modern:
		relayed.LogLevel = rq.meta.logLevel
	case on:
		relayed.LogLevel = levelName(least)
	}
}

// declared returns the client's capabilities for upstreams, without sampling if
// the owner does not allow it.
func (s *Server) declared(rq *request) json.RawMessage {
	able := rq.able()
	if !able.sampling || s.samples(rq) {
		return able.raw
	}
	return without(able.raw, "sampling")
}
