package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
	"pgregory.net/rapid"
)

// FuzzScan holds the scanner against a decoder of the standard library.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,"]}"]}}}`,
		`{"jsonrpc":"2.0","id":"a","result":{}}`, ` { "jsonrpc" : "2.0" , "m\u0065thod":"ping" } `, `[]`, `{"a":"\\"}`, `{"id":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if wellFormed(raw, 128) != nil {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q was taken and is no JSON", raw)
		}
		msg, err := scan(raw)
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if string(msg.params) != string(want["params"]) || string(msg.result) != string(want["result"]) {
			t.Errorf("%q: params %q, result %q", raw, msg.params, msg.result)
		}
		var method string
		if json.Unmarshal(want["method"], &method) == nil && method != msg.method && !strings.Contains(method, "\ufffd") {
			t.Errorf("%q: method %q, want %q", raw, msg.method, method)
		}
	})
}

// FuzzLines holds the reader of lines against cutting the text apart.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{}\n\n[1]\nlast"), 10)
	f.Add([]byte(strings.Repeat("x", 100)+"\ny\n"), 20)
	f.Fuzz(func(t *testing.T, raw []byte, most int) {
		if most < 1 || most > 1000 {
			return
		}
		r := bufio.NewReaderSize(bytes.NewReader(raw), 16)
		var got [][]byte
		for {
			l := readLine(r, most)
			if l.err != nil {
				break
			}
			if l.tooLong {
				l.raw = []byte("too long")
			}
			if len(bytes.TrimSpace(l.raw)) > 0 {
				got = append(got, bytes.TrimSuffix(l.raw, []byte("\n")))
			}
		}
		var want [][]byte
		for line := range bytes.SplitSeq(raw, []byte("\n")) {
			switch {
			case len(line) > most+1:
				want = append(want, []byte("too long"))
			case len(bytes.TrimSpace(line)) > 0:
				want = append(want, line)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%q (%d): got %q, want %q", raw, most, got, want)
		}
	})
}

// The short way to write a result is the dialect's own.
func TestPlainResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := gongu.OK(rapid.String().Draw(t, "text"))
		want, err := dialect.EncodeResult(dialect.MCP, r, nil)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(plainResult(r), &a) != nil || json.Unmarshal(want, &b) != nil {
			t.Fatal("not JSON")
		}
		if x, y := marshal(a), marshal(b); !bytes.Equal(x, y) {
			t.Fatalf("%s, the dialect writes %s", x, y)
		}
	})
}
