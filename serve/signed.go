package serve

import (
	"bytes"
	"encoding/json"
)

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
