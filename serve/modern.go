package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
)

// checkModern checks the _meta and the headers that every modern request has.
func (s *Server) checkModern(rq *request) *rpcError {
	m := &rq.meta
	switch {
	case !m.given || m.version == "":
		return s.fail(codeParams, lang.ServeMetaMissing, metaVersion).with(400)
	case rq.header != nil && headerValue(rq.header, "Mcp-Protocol-Version") != m.version:
		return s.fail(codeHeader, lang.ServeHeader, "MCP-Protocol-Version").with(400)
	case m.version != modernVersion:
		return s.fail(codeRevision, lang.ServeVersion, m.version).with(400).
			withData(map[string]any{"supported": versions(), "requested": m.version})
	case !m.declared:
		return s.fail(codeParams, lang.ServeMetaMissing, metaCapabilities).with(400)
	}
	if rq.header == nil {
		return nil
	}
	if headerValue(rq.header, "Mcp-Method") != rq.msg.method {
		return s.fail(codeHeader, lang.ServeHeader, "Mcp-Method").with(400)
	}
	if field := namedBy(rq.msg.method); field != "" {
		name, ok := headerText(headerValue(rq.header, "Mcp-Name"))
		want := rq.parts().name
		if field != "name" {
			want = member(rq.msg.params, field)
		}
		if !ok || text(want) != name {
			return s.fail(codeHeader, lang.ServeHeader, "Mcp-Name").with(400)
		}
	}
	return nil
}

// headerValue returns the value of a header, or "" if it has none or several.
func headerValue(h http.Header, name string) string {
	values := h[http.CanonicalHeaderKey(name)]
	if len(values) != 1 {
		return ""
	}
	return strings.Trim(values[0], " \t")
}

// namedBy returns the parameter that the header Mcp-Name repeats.
func namedBy(method string) string {
	switch method {
	case "tools/call", "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		return "taskId"
	}
	return ""
}

// modern answers a request of the modern era.
func (s *Server) modern(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	if err := s.checkModern(rq); err != nil {
		return nil, err
	}
	return s.answer(ctx, rq, s.methods.modern)
}

// discover answers server/discover.
func (s *Server) discover(ctx context.Context, rq *request) (json.RawMessage, *rpcError) {
	out := append([]byte(`{"supportedVersions":`), marshal(versions())...)
	out = append(append(out, `,"capabilities":`...), s.capabilities(ctx, rq)...)
	if s.opts.Instructions != "" {
		out = quote(append(out, `,"instructions":`...), s.opts.Instructions)
	}
	return s.cacheable(append(out, '}')), nil
}

// self returns the name and version of the server, as serverInfo.
func (s *Server) self() json.RawMessage {
	out := quote([]byte(`{"name":`), s.opts.ServerName)
	if s.opts.Title != "" {
		out = quote(append(out, `,"title":`...), s.opts.Title)
	}
	return append(quote(append(out, `,"version":`...), s.opts.Version), '}')
}

// capabilities returns those of the server for the principal of a request.
// Prompts and resources are those of upstreams.
func (s *Server) capabilities(ctx context.Context, rq *request) json.RawMessage {
	type changes struct {
		ListChanged bool `json:"listChanged"`
		Subscribe   bool `json:"subscribe,omitempty"`
	}
	out := map[string]any{"tools": changes{ListChanged: true}}
	if access.Any(rq.principal, access.Logs) {
		out["logging"] = struct{}{}
	}
	if s.hasUpstream(ctx, rq, access.Prompts) {
		out["prompts"], out["completions"] = changes{ListChanged: true}, struct{}{}
	}
	if s.hasUpstream(ctx, rq, access.Resources) {
		out["resources"], out["completions"] = changes{ListChanged: true, Subscribe: true}, struct{}{}
	}
	if rq.modern {
		out["extensions"] = map[string]any{tasksExtension: struct{}{}}
	}
	return marshal(out)
}

// begin returns the start of a modern result, with its kind and the name of the
// server. Another member must follow.
func (s *Server) begin(kind string) []byte {
	return append(append(append([]byte(`{"resultType":"`), kind...), `",`...), s.about+","...)
}

// signed adds the kind and the name of the server to a result. It keeps the
// _meta of a tool, including another name there.
func (s *Server) signed(kind string, result json.RawMessage) json.RawMessage {
	var own json.RawMessage
	if bytes.Contains(result, []byte(`"_meta"`)) {
		own = member(result, "_meta")
	}
	switch {
	case own == nil:
		return splice(`"resultType":"`+kind+`",`+s.about, result)
	case isObject(own) && member(own, metaServer) == nil:
		result = replaced(result, "_meta", splice(`"`+metaServer+`":`+string(s.self()), own))
	}
	return splice(`"resultType":"`+kind+`"`, result)
}
