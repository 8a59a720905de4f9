package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/limit"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

// The revisions of the protocol, newest first.
const (
	modernVersion = "2026-07-28"
	legacyVersion = "2025-11-25"
)

func versions() []string {
	return []string{modernVersion, legacyVersion, "2025-06-18", "2025-03-26", "2024-11-05"}
}

func isLegacy(version string) bool {
	return version != modernVersion && slices.Contains(versions(), version)
}

// The keys of a request's _meta in the modern era.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaLogLevel     = metaPrefix + "logLevel"
	metaServer       = metaPrefix + "serverInfo"
	metaSubscription = metaPrefix + "subscriptionId"
	tasksExtension   = "io.modelcontextprotocol/tasks"
)

// sink sends messages to a client, one after the other.
type sink interface {
	send(message []byte) error
}

// request is one request of a client.
type request struct {
	principal *gongu.Principal
	agent     string
	modern    bool
	msg       message
	meta      meta
	scanned   parts // of the message; see [request.parts]
	// over reports that nothing reads the message after the answer.
	over bool
	// header is nil over stdio.
	header http.Header
	// session is nil in the modern era.
	session *session
	// out sends messages before the answer.
	out sink
	// slot is the request's place among the running ones.
	slot *limit.Slot
}

// meta is the _meta of a request, as far as the server uses it.
type meta struct {
	given        bool
	version      string
	capabilities capabilities
	declared     bool // capabilities were given
	progress     json.RawMessage
	logLevel     string
}

// capabilities are what a client can do.
type capabilities struct {
	raw                                json.RawMessage
	elicitation, sampling, roots, task bool
	// elicitURL means that the client takes elicitations of mode url.
	elicitURL bool
}

func capabilitiesOf(raw json.RawMessage) capabilities {
	c := capabilities{raw: raw}
	if !isObject(raw) {
		return capabilities{}
	}
	_ = members(raw, func(name string, value json.RawMessage) error { // it is an object
		switch name {
		case "elicitation":
			c.elicitation = isObject(value)
			c.elicitURL = c.elicitation && isObject(member(value, "url"))
		case "sampling":
			c.sampling = isObject(value)
		case "roots":
			c.roots = isObject(value)
		case "extensions":
			c.task = !isNull(member(value, tasksExtension))
		}
		return nil
	})
	return c
}

// parts are the parameters that requests have in common, scanned and not
// decoded.
type parts struct {
	read                                    bool
	meta, name, arguments, responses, state json.RawMessage
	// twice reports that one of them was given twice.
	twice bool
}

// parts scans the parameters at the first use.
func (rq *request) parts() *parts {
	p := &rq.scanned
	if p.read {
		return p
	}
	p.read = true
	seen := 0
	_ = rawjson.Members(rq.msg.params, func(name, value json.RawMessage) error { // not an object: nothing was given
		bit := 0
		switch string(rawjson.Name(name)) {
		case "_meta":
			p.meta = value
		case "name":
			bit, p.name = 1, value
		case "arguments":
			bit, p.arguments = 2, value
		case "inputResponses":
			bit, p.responses = 4, value
		case "requestState":
			bit, p.state = 8, value
		}
		p.twice = p.twice || seen&bit != 0
		seen |= bit
		return nil
	})
	return p
}

// readMeta reads the _meta. It copies the progress token, because a tool that
// outlives its call may still read it.
func (rq *request) readMeta() {
	m := &rq.meta
	raw := rq.parts().meta
	if !isObject(raw) {
		return
	}
	m.given = true
	_ = rawjson.Members(raw, func(name, value json.RawMessage) error { // it is an object
		switch string(rawjson.Name(name)) {
		case metaVersion:
			m.version = versionOf(value)
		case metaCapabilities:
			m.capabilities, m.declared = capabilitiesOf(value), isObject(value)
		case metaLogLevel:
			m.logLevel = text(value)
		case "progressToken":
			if len(value) > 0 && (value[0] == '"' && utf8.Valid(value) || value[0] == '-' || value[0] >= '0' && value[0] <= '9') {
				m.progress = bytes.Clone(value)
			}
		}
		return nil
	})
}

// versionOf returns a version, without allocation for the usual one.
func versionOf(raw json.RawMessage) string {
	if string(raw) == `"`+modernVersion+`"` {
		return modernVersion
	}
	return text(raw)
}

// able returns the capabilities of the client.
func (rq *request) able() capabilities {
	if rq.modern {
		return rq.meta.capabilities
	}
	if rq.session != nil {
		return rq.session.able()
	}
	return capabilities{}
}

// step runs core in one step of the request's agent: one list or call is one
// step. The backend narrows its catalog to what the principal may use.
func (s *Server) step(ctx context.Context, rq *request, core func(ctx context.Context, x *gongu.Executor) *rpcError) *rpcError {
	var refusal *rpcError
	err := s.opts.Backend.Step(ctx, rq.agent, func(ctx context.Context, x *gongu.Executor) error {
		refusal = core(ctx, x)
		return nil
	})
	switch {
	case err == nil:
		return refusal
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return s.fail(codeServer, lang.ServeCancelled)
	}
	s.opts.Logger.Error("a step failed", "agent", rq.agent, "method", rq.msg.method, "error", err)
	return s.fail(codeInternal, lang.ServeStepFailed, err)
}

// known reports whether an agent is served.
func (s *Server) known(agent string) bool {
	return agent == "" || s.opts.Agents == nil || slices.Contains(s.opts.Agents(), agent)
}

// agentOf returns the agent of a path such as /mcp/agent.
func agentOf(path, base string) (agent string, ok bool) {
	rest, ok := strings.CutPrefix(path, base)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	rest = strings.TrimPrefix(rest, "/")
	return rest, !strings.Contains(rest, "/")
}

// splice puts members at the front of an object that is already encoded.
func splice(members string, object json.RawMessage) json.RawMessage {
	out := make([]byte, 0, len(members)+len(object)+2)
	out = append(append(out, '{'), members...)
	rest := object[1:]
	if i := rawjson.Space(rest, 0); i < len(rest) && rest[i] != '}' {
		out = append(out, ',')
	}
	return append(out, rest...)
}
