package mcpclient

import (
	"encoding/json"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// SessionCapabilities returns the capabilities that a session with a server
// declares for a caller that has a session itself. It contains only what can be
// passed on to the caller, in one canonical form, so that callers with the same
// capabilities share a session.
func SessionCapabilities(caller json.RawMessage, sampling bool) string {
	if rawjson.Valid(caller, maxNested) != nil {
		return "{}"
	}
	var can []member
	for _, known := range []struct {
		name  string
		kinds []string
	}{{"elicitation", []string{"form", "url"}}, {"sampling", []string{"context", "tools"}}} {
		declared := rawjson.Member(caller, known.name)
		if !isObject(declared) || known.name == "sampling" && !sampling {
			continue
		}
		var kinds []member
		for _, kind := range known.kinds {
			if isObject(rawjson.Member(declared, kind)) {
				kinds = append(kinds, member{kind, json.RawMessage("{}")})
			}
		}
		can = append(can, member{known.name, object(kinds)})
	}
	return string(object(can))
}

// ForSession returns the client of a server for a principal whose caller has a
// session with the capabilities that [SessionCapabilities] gave. The client
// declares the same to the server, and prefers the revisions with sessions, in
// which a server can send requests during a call.
func (g *Group) ForSession(principal, name, capabilities string) (*Client, error) {
	opts := g.opts
	opts.Capabilities, opts.sessions = json.RawMessage(capabilities), true
	return g.forCaller(groupKey{principal, name, capabilities}, opts)
}
