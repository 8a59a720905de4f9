package mcpclient

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"pgregory.net/rapid"
)

// TestObjectKeepsBytes: taking an object apart and putting it together changes
// nothing but the space between its members.
func TestObjectKeepsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.MapOf(rapid.String(), rapid.SampledFrom([]string{`1.50`, `"\u00e9<"`, `{"b":1,"a":2}`, `[1e3]`, `null`})).Draw(t, "object")
		var members []member
		for name, raw := range value {
			members = append(members, member{strings.ToValidUTF8(name, ""), json.RawMessage(raw)})
		}
		raw := object(members)
		back, err := membersOf(raw)
		if err != nil || !bytes.Equal(object(back), raw) || len(back) != len(members) {
			t.Fatalf("%s: %v", raw, err)
		}
		if !json.Valid(raw) {
			t.Fatalf("%s is no JSON", raw)
		}
	})
}

// FuzzDecodeMessage: what is read as a message can be written and read again.
func FuzzDecodeMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"a","method":"m","params":{"a":[1]}}`,
		`{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}`, `[]`, `null`, `{"jsonrpc":"2.0","id":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		messages, err := decodeMessages(raw, 0)
		if err != nil {
			return
		}
		for _, msg := range messages {
			out, err := encodeMessage(msg)
			if err != nil || bytes.ContainsAny(out, "\n") && json.Valid(out) {
				t.Fatalf("%s: %q %v", raw, out, err)
			}
			if _, err := decodeMessage(out, 0); err != nil {
				t.Fatalf("%s: written as %s: %v", raw, out, err)
			}
		}
	})
}

// TestForeignIDs: ids of servers go back as they came.
func TestForeignIDs(t *testing.T) {
	for _, id := range []string{`1`, `"x"`, `9007199254740993`, `1.5`} {
		msg, err := decodeMessage([]byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`), 0)
		if err != nil {
			t.Fatal(err)
		}
		req, ok := msg.(*jsonrpc.Request)
		if !ok {
			t.Fatal("no request")
		}
		raw, err := encodeMessage(&jsonrpc.Response{ID: req.ID, Result: json.RawMessage(`{}`), Extra: req.Extra})
		if want := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`; err != nil || string(raw) != want {
			t.Errorf("%s %v", raw, err)
		}
	}
}

// TestEvents reads a stream as the specification has it.
func TestEvents(t *testing.T) {
	in := newEvents(strings.NewReader(": hi\r\n\r\nid: 1\nretry: 500\ndata:\n\nevent: message\ndata: {\"a\":\ndata: 1}\n\nunknown\nfoo: bar\nid:2\ndata:x"), 100)
	var got []event
	for {
		ev, err := in.next()
		if err != nil {
			break
		}
		got = append(got, ev)
	}
	want := []event{
		{id: "1", data: []byte{}, retry: 500_000_000}, {name: "message", data: []byte("{\"a\":\n1}")}, {id: "2", data: []byte("x")},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(event{})); diff != "" {
		t.Error(diff)
	}
	if _, err := newEvents(strings.NewReader(strings.Repeat("data: xxxxxxxxx\n", 20)), 100).next(); err == nil {
		t.Error("an event over the limit is no error")
	}
}

// TestHeaderBindings: arguments become headers where the schema says so.
func TestHeaderBindings(t *testing.T) {
	good := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"o":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},"b":{"type":"boolean","x-mcp-header":"B"},"d":{"type":"string","default":{"x-mcp-header":"no"}}}}`)
	bindings, err := bindingsOf(good)
	if err != nil || len(bindings) != 3 {
		t.Fatalf("%v %v", bindings, err)
	}
	got := mirror(bindings, json.RawMessage(`{"arguments":{"a":" 세계","o":{"n":42.0},"b":null}}`))
	if want := map[string]string{"A": "=?base64?IOyEuOqzhA==?=", "N": "42"}; !cmp.Equal(want, got) {
		t.Errorf("%v", got)
	}
	for _, bad := range []string{
		`{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`, `{"properties":{"a":{"type":"string","x-mcp-header":7}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}}`,
		`{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`,
		`{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, `{"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}`,
		`{"x-mcp-header":"A"}`,
	} {
		if _, err := bindingsOf(json.RawMessage(bad)); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
}
