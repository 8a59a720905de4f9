package serve

import (
	"bytes"
	"encoding/json"

	"github.com/gongu-ai/gongu/internal/relay"
)

// describeClient sets what the upstream of a call learns about the client.
func (s *Server) describeClient(rq *request, relayed *relay.Call, tool string, arguments json.RawMessage) {
	relayed.Tool = called(tool, arguments)
	relayed.Direct = relayed.Tool == tool
	relayed.Capabilities = s.declared(rq)
	if rq.over {
		// Copied, because a handler that outlives the call may still read it.
		relayed.Capabilities = bytes.Clone(relayed.Capabilities)
	}
	relayed.LogLevel = rq.meta.logLevel
	if least, on := rq.logLevel(); on && !rq.modern {
		relayed.LogLevel = levelName(least)
	}
}

// declared returns the client's capabilities for upstreams, without sampling if
// the owner does not allow it.
func (s *Server) declared(rq *request) json.RawMessage {
	able := rq.able()
	if !able.sampling || s.opts.Sampling {
		return able.raw
	}
	return without(able.raw, "sampling")
}
