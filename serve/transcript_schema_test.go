package serve_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// specification is the JSON schema of one revision of the protocol.
type specification struct {
	raw      any
	base     string
	defs     string
	compiled map[string]*jsonschema.Schema
}

// specifications takes the schemas of the protocol from the conformance suite,
// which has them inside.
func specifications(t *testing.T) map[string]*specification {
	t.Helper()
	cmd := suite(t) // for its paths
	bundle := cmd.Args[1]
	out, err := exec.CommandContext(t.Context(), cmd.Path, filepath.Join("testdata", "schemas.mjs"), bundle).Output()
	if err != nil {
		t.Fatalf("the schemas of the suite cannot be read: %v", err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	found := map[string]*specification{}
	for _, raw := range all {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		s := &specification{raw: value, defs: "definitions", compiled: map[string]*jsonschema.Schema{}}
		if strings.Contains(string(raw), `"$defs":{`) {
			s.defs = "$defs"
		}
		has := func(name string) bool { return strings.Contains(string(raw), `"`+name+`":{`) }
		switch {
		case has("DiscoverResult"):
			s.base = "2026-07-28"
		case has("Task"):
			s.base = "2025-11-25"
		case has("ElicitRequest"):
			s.base = "2025-06-18"
		case has("JSONRPCBatchRequest"):
			s.base = "2025-03-26"
		default:
			t.Fatal("a revision that is not known here")
		}
		found[s.base] = s
	}
	if len(found) != 4 {
		t.Fatalf("%d schemas", len(found))
	}
	return found
}

// check holds a value against one definition.
func (s *specification) check(t *testing.T, definition string, value []byte) error {
	t.Helper()
	schema := s.compiled[definition]
	if schema == nil {
		c := jsonschema.NewCompiler()
		if err := c.AddResource("mcp:///"+s.base, s.raw); err != nil {
			t.Fatal(err)
		}
		var err error
		if schema, err = c.Compile("mcp:///" + s.base + "#/" + s.defs + "/" + definition); err != nil {
			t.Fatal(err)
		}
		s.compiled[definition] = schema
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	return schema.Validate(instance)
}

// results are the definitions of what methods answer.
func results() map[string]string {
	return map[string]string{
		"initialize": "InitializeResult", "ping": "EmptyResult", "logging/setLevel": "EmptyResult",
		"tools/list": "ListToolsResult", "tools/call": "CallToolResult",
		"prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult",
		"resources/list": "ListResourcesResult", "resources/templates/list": "ListResourceTemplatesResult",
		"resources/read": "ReadResourceResult", "resources/subscribe": "EmptyResult", "resources/unsubscribe": "EmptyResult",
		"completion/complete": "CompleteResult", "server/discover": "DiscoverResult",
		"subscriptions/listen": "SubscriptionsListenResult",
		// An extension, whose schema is not that of the core.
		"tasks/get": "Result", "tasks/update": "Result", "tasks/cancel": "Result",
	}
}

// TestTranscriptsFollowSchema holds every message of the server in the
// transcripts against the schema of the specification.
func TestTranscriptsFollowSchema(t *testing.T) {
	specs := specifications(t)
	checked := 0
	for _, name := range transcripts(t) {
		reader := &schemaReader{specs: specs, spec: specs["2025-11-25"], asked: map[string]envelope{}}
		for _, m := range playTranscript(t, name) {
			spec, definition, value := reader.next(t, m)
			if spec == nil {
				continue
			}
			checked++
			if err := spec.check(t, definition, value); err != nil {
				t.Errorf("%s %s: no %s of %s: %v\n%s", m.file, m.step, definition, spec.base, err, m.raw)
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d messages were checked", checked)
	}
	t.Logf("%d messages checked", checked)
}

// schemaReader finds out what each message of a transcript has to be.
type schemaReader struct {
	specs map[string]*specification
	spec  *specification // of the session
	asked map[string]envelope
}

func (r *schemaReader) next(t *testing.T, m played) (spec *specification, definition string, value []byte) {
	e := open(t, m)
	if m.sent {
		if e.Method != "" && e.ID != nil {
			r.asked[string(e.ID)] = e
		}
		return nil, "", nil
	}
	request := r.asked[string(e.ID)]
	spec = r.spec
	if request.isModern() || strings.Contains(string(m.raw), "io.modelcontextprotocol/subscriptionId") {
		spec = r.specs["2026-07-28"]
	}
	switch {
	case e.Method != "" && e.ID != nil:
		return spec, "ServerRequest", m.raw
	case e.Method != "":
		return spec, "ServerNotification", m.raw
	case e.Error != nil:
		return r.errorOf(spec, m.raw)
	case request.Method == "initialize":
		var agreed struct{ ProtocolVersion string }
		if err := json.Unmarshal(e.Result, &agreed); err != nil {
			t.Fatal(err)
		}
		if r.spec = r.specs[agreed.ProtocolVersion]; r.spec == nil {
			return nil, "", nil // 2024-11-05: the suite does not have it
		}
		spec = r.spec
	}
	if spec == nil {
		return nil, "", nil
	}
	definition = results()[request.Method]
	if strings.HasPrefix(string(e.Result), `{"resultType":"input_required"`) {
		definition = "InputRequiredResult"
	}
	if strings.HasPrefix(string(e.Result), `{"resultType":"task"`) {
		definition = "Result"
	}
	if definition == "" {
		t.Fatalf("%s %s: the result of what? %s", m.file, m.step, m.raw)
	}
	return spec, definition, e.Result
}

// errorOf is the definition of an error. Where the id of the request is not
// known JSON-RPC wants null, for which the schema has no place.
func (r *schemaReader) errorOf(spec *specification, raw []byte) (*specification, string, []byte) {
	if spec == nil {
		return nil, "", nil
	}
	var e struct {
		Error struct{ Code int }
	}
	_ = json.Unmarshal(raw, &e) // it was read before
	modern := map[int]string{
		-32020: "HeaderMismatchError", -32021: "MissingRequiredClientCapabilityError", -32022: "UnsupportedProtocolVersionError",
	}
	if name := modern[e.Error.Code]; name != "" {
		return r.specs["2026-07-28"], name, raw
	}
	name := "JSONRPCErrorResponse"
	if spec.base < "2025-11-25" {
		name = "JSONRPCError"
	}
	if bytes.Contains(raw, []byte(`"id":null`)) {
		return r.specs["2026-07-28"], "JSONRPCErrorResponse", bytes.Replace(raw, []byte(`"id":null,`), nil, 1)
	}
	return spec, name, raw
}
