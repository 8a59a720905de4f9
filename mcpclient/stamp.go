package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
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

// stamp adds to the parameters what the era and the call need. Everything else
// stays as the caller wrote it.
func (s *session) stamp(r *request, c *call) (json.RawMessage, error) {
	if r.complete || !s.about().Modern && c.handlers.Progress == nil && !bytes.Contains(r.params, []byte(metaPrefix)) {
		return r.params, nil
	}
	var params, meta []member
	var err error
	if !isNull(r.params) {
		if params, err = membersOf(r.params); err != nil {
			return nil, fmt.Errorf("the parameters of %s: %w", r.method, err)
		}
	}
	if raw, found := get(params, "_meta"); found && isObject(raw) {
		if meta, err = membersOf(raw); err != nil {
			return nil, fmt.Errorf("the _meta of %s: %w", r.method, err)
		}
	}
	c.token, _ = get(meta, metaProgress)
	if c.handlers.Progress != nil {
		// Tokens are rewritten like ids: those of two callers may be equal.
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

// outbound is what a request over HTTP says in its headers.
func (s *session) outbound(r *request) *outbound {
	if !s.about().Modern {
		return nil
	}
	return &outbound{version: s.about().ProtocolVersion, name: r.name, params: r.mirrored}
}

// nameOf is what a request is about: the name of a tool or prompt, or the
// address of a resource.
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
	members, err := membersOf(params)
	if err != nil {
		return ""
	}
	value, _ := get(members, key)
	return textOf(value)
}
