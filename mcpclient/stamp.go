package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/gongu-ai/gongu/internal/rawjson"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The keys that a request of the modern era carries in its _meta.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaClient       = metaPrefix + "clientInfo"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaLogLevel     = metaPrefix + "logLevel"
	metaServer       = metaPrefix + "serverInfo"
	metaProgress     = "progressToken"
)

// whole returns the parameters as one JSON value.
func (r *request) whole() json.RawMessage {
	if r.params == nil && r.members != nil {
		members := r.members
		if len(r.traced) > 0 {
			members = append(members[:len(members):len(members)], member{"_meta", object(r.traced)})
		}
		r.params = object(members)
	}
	return r.params
}

// parts returns the members of the parameters and of their _meta.
func (r *request) parts() (params, meta []member, err error) {
	if r.params == nil {
		return r.members, r.traced, nil
	}
	if isNull(r.params) {
		return nil, nil, nil
	}
	if params, err = membersOf(r.params); err != nil {
		return nil, nil, fmt.Errorf("the parameters of %s: %w", r.method, err)
	}
	if raw, found := get(params, "_meta"); found && isObject(raw) {
		if meta, err = membersOf(raw); err != nil {
			return nil, nil, fmt.Errorf("the _meta of %s: %w", r.method, err)
		}
	}
	return params, meta, nil
}

// stamp adds to the parameters what the era and the call need. Everything else
// stays as the caller wrote it.
func (s *session) stamp(r *request, c *call) (json.RawMessage, error) {
	if r.complete || !s.about().Modern && c.handlers.Progress == nil && !bytes.Contains(r.params, []byte(metaPrefix)) {
		return r.whole(), nil
	}
	params, meta, err := r.parts()
	if err != nil {
		return nil, err
	}
	c.token, _ = get(meta, metaProgress)
	if c.handlers.Progress != nil {
		// Two callers may use equal progress tokens, so tokens are replaced by unique
		// ones, as ids are.
		meta = set(meta, metaProgress, strconv.AppendInt(nil, c.id, 10))
	}
	if s.about().Modern {
		meta = s.modernMeta(meta, r, c)
	} else {
		for _, name := range []string{metaVersion, metaClient, metaCapabilities, metaLogLevel} {
			meta = without(meta, name)
		}
	}
	if len(meta) == 0 {
		return object(without(params, "_meta")), nil
	}
	return object(set(params, "_meta", object(meta))), nil
}

func (s *session) modernMeta(meta []member, r *request, c *call) []member {
	meta = set(meta, metaVersion, quote(s.about().ProtocolVersion))
	if _, given := get(meta, metaClient); !given {
		meta = set(meta, metaClient, s.self)
	}
	capabilities := r.capabilities
	if capabilities == nil {
		capabilities, _ = get(meta, metaCapabilities)
	}
	if capabilities == nil {
		capabilities = s.capabilities
	}
	meta = set(meta, metaCapabilities, capabilities)
	if _, given := get(meta, metaLogLevel); !given && c.handlers.Log != nil {
		meta = set(meta, metaLogLevel, quote(c.handlers.logLevel()))
	}
	return meta
}

// message builds the message of a request.
func (s *session) message(r *request, c *call) (*jsonrpc.Request, error) {
	msg := &jsonrpc.Request{ID: numberID(c.id), Method: r.method}
	out := &outbound{}
	if about := s.about(); about.Modern {
		out.version, out.name, out.params = about.ProtocolVersion, r.name, r.mirrored
	}
	msg.Extra = out
	var err error
	msg.Params, err = s.stamp(r, c)
	return msg, err
}

// nameOf returns the subject of a request: the name of a tool or prompt, the
// address of a resource, or the id of a task.
func nameOf(method string, params json.RawMessage) string {
	key := ""
	switch method {
	case "tools/call", "prompts/get":
		key = "name"
	case "resources/read":
		key = "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		key = "taskId"
	default:
		return ""
	}
	return textOf(rawjson.Member(params, key))
}
