package main

import (
	"fmt"
	"slices"

	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

const (
	defaultTools = 10
	serverInfo   = `{"name":"upstream","version":"1.0.0"}`
	serverMeta   = `"_meta":{"io.modelcontextprotocol/serverInfo":` + serverInfo + `}`
	capabilities = `{"tools":{}}`
	echoTool     = `{"name":"echo","description":"Gives the text back as it came.","inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"Any text."}},"required":["text"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
	// otherTool has about the size that tools of real servers have.
	otherTool = `{"name":"tool_%05d","title":"Tool %[1]d","description":"Looks up records of collection %[1]d by a filter and returns the matching ones in the order that was asked for. Use it when the user asks about collection %[1]d.","inputSchema":{"type":"object","properties":{"filter":{"type":"string","description":"What to look for; words are joined by and."},"limit":{"type":"integer","minimum":1,"maximum":100,"description":"How many records at most."},"order":{"type":"string","enum":["newest","oldest","best"]}},"required":["filter"],"additionalProperties":false},"annotations":{"readOnlyHint":true}}`
)

// server answers messages. Its list is encoded once.
type server struct{ tools []byte }

func newServer(count int) *server {
	list := append([]byte{'['}, echoTool...)
	for i := 1; i < count; i++ {
		list = fmt.Appendf(append(list, ','), otherTool, i)
	}
	return &server{tools: append(list, ']')}
}

// eraOf reads the era of a message without headers.
func eraOf(msg []byte) string {
	if wire.Get(msg, "params", "_meta", "io.modelcontextprotocol/protocolVersion") != nil {
		return wire.Modern
	}
	return wire.Legacy
}

// answer appends the response to a message to out, or nothing when there is
// none.
func (s *server) answer(out, msg []byte, era string) []byte {
	var id, method, params []byte
	wire.Members(msg, func(name, value []byte) bool {
		switch string(name) {
		case "id":
			id = value
		case "method":
			method = value
		case "params":
			params = value
		}
		return true
	})
	if id == nil {
		return out
	}
	out = append(append(append(out, `{"jsonrpc":"2.0","id":`...), id...), ',')
	begin := `"result":{`
	if era == wire.Modern {
		begin = `"result":{"resultType":"complete",` + serverMeta + `,`
	}
	switch string(method) {
	case `"tools/call"`:
		return append(s.call(out, begin, params), '}')
	case `"tools/list"`:
		out = append(out, begin...)
		if era == wire.Modern {
			out = append(out, `"ttlMs":60000,"cacheScope":"public",`...)
		}
		out = append(append(append(out, `"tools":`...), s.tools...), '}')
	case `"server/discover"`:
		out = append(out, `"result":{"resultType":"complete",`+serverMeta+`,"supportedVersions":["`+wire.Modern+`"],"capabilities":`+capabilities+`,"ttlMs":60000,"cacheScope":"public"}`...)
	case `"initialize"`:
		out = append(out, `"result":{"protocolVersion":`...)
		out = append(out, revision(params)...)
		out = append(out, `,"capabilities":`+capabilities+`,"serverInfo":`+serverInfo+`}`...)
	case `"ping"`:
		out = append(out, `"result":{}`...)
	default:
		out = append(out, `"error":{"code":-32601,"message":"method not found"}`...)
	}
	return append(out, '}')
}

func (s *server) call(out []byte, begin string, params []byte) []byte {
	name, text := wire.Get(params, "name"), wire.Get(params, "arguments", "text")
	if string(name) != `"echo"` || len(text) == 0 || text[0] != '"' {
		return append(out, `"error":{"code":-32602,"message":"only echo can be called, with a text"}`...)
	}
	out = slices.Grow(out, len(begin)+len(text)+64)
	out = append(append(out, begin...), `"content":[{"type":"text","text":`...)
	return append(append(out, text...), `}]}`...)
}

// revision is the one that the client asks for, if it is one of the legacy
// era.
func revision(params []byte) []byte {
	asked := wire.Get(params, "protocolVersion")
	if known := []string{wire.Legacy, "2025-06-18", "2025-03-26", "2024-11-05"}; len(asked) > 2 && slices.Contains(known, string(asked[1:len(asked)-1])) {
		return asked
	}
	return []byte(`"` + wire.Legacy + `"`)
}
