package serve

import (
	"bytes"
	"encoding/json"
)

// begin begins a result of the modern era that is made here, with what every
// one of them says: what kind it is, and whose. Another member must follow.
func (s *Server) begin(kind string) []byte {
	return append(append(append([]byte(`{"resultType":"`), kind...), `",`...), s.about+","...)
}

// signed makes a result of ours one of the modern era. What a tool says in its
// own _meta stays, and so does what it says about whose the result is.
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
