package serve

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// writeLarge answers with a result without copying it: a list of many tools has
// megabytes, is encoded once and sent to many clients.
func (s *Server) writeLarge(w http.ResponseWriter, status int, id, result json.RawMessage) {
	const end = "}"
	begin := appendAnswer(make([]byte, 0, 64), id, nil, nil)
	begin = begin[:len(begin)-len(end)]
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(begin) + len(result) + len(end))}
	w.WriteHeader(status)
	for _, part := range [...][]byte{begin, result, []byte(end)} {
		if _, err := w.Write(part); err != nil {
			return // the client has disconnected
		}
	}
}
