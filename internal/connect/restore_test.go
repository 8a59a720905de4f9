package connect

import "testing"

// Undo in a file that its client has written anew: the servers are as they
// were, and everything else as the client left it.
func TestRestoredServers(t *testing.T) {
	const gongu = `"gongu":{"command":"gongu","args":["serve","--stdio"]}`
	for name, tc := range map[string]struct{ now, before, want string }{
		"other settings": {
			`{"starts":2,"mcpServers":{` + gongu + `},"x":[1]}`,
			"{\n  \"mcpServers\": {\"a\": {\"command\": \"a\"}} // mine\n}",
			`{"starts":2,"mcpServers":{"a": {"command": "a"}},"x":[1]}`,
		},
		"one that could not be moved": {
			`{"mcpServers":{"kept":{"disabled":true},` + gongu + `}}`,
			`{"mcpServers":{"a":{},"kept":{"disabled": true}}}`,
			`{"mcpServers":{"a":{},"kept":{"disabled": true}}}`,
		},
		"none before": {`{"mcpServers":{` + gongu + `},"starts":1}`, `{"starts":0}`, `{"starts":1}`},
		"no file":     {`{"starts":1,"mcpServers":{` + gongu + `}}`, ``, `{"starts":1}`},
		"a new one":   {`{"mcpServers":{"new":{},` + gongu + `}}`, `{"mcpServers":{"a":{}}}`, ``},
		"a changed one": {
			`{"mcpServers":{"kept":{"disabled":false},` + gongu + `}}`,
			`{"mcpServers":{"kept":{"disabled":true}}}`, ``,
		},
		"no servers":     {`{"mcpServers":null}`, `{"mcpServers":{"a":{}}}`, ``},
		"another form":   {`{"mcpServers":{` + gongu + `}}`, `{"mcpServers":[]}`, ``},
		"not JSON":       {`mcpServers:`, `{}`, ``},
		"was not JSON":   {`{"mcpServers":{}}`, `{`, ``},
		"nothing at all": {``, `{}`, ``},
	} {
		got, ok := restoredServers([]byte(tc.now), []byte(tc.before), []string{"mcpServers"}, "gongu")
		if string(got) != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: got %q, %v; want %q", name, got, ok, tc.want)
		}
	}
}
