package connect

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSetServerKeepsEverythingElse(t *testing.T) {
	gongu := json.RawMessage(`{"command":"gongu"}`)
	for _, test := range []struct {
		name, text string
		remove     []string
		want       string
	}{
		{"no file", "", nil, "{\n  \"mcpServers\": {\n    \"gongu\": {\n      \"command\": \"gongu\"\n    }\n  }\n}\n"},
		{"only a comment", "// mine\n", nil, ""},
		{"empty object", "{}", nil, "{\n  \"mcpServers\": {\n    \"gongu\": {\n      \"command\": \"gongu\"\n    }\n  }\n}"},
		{
			"in place of the first that goes",
			"{\n\t// mine\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t// about x\n\t\t\"x\": {\"command\": \"x\"}, // after x\n\t\t\"y\": {}\n\t},\n\t\"z\": [1, 2,],\n}\n",
			[]string{"x", "y"},
			"{\n\t// mine\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t// about x\n\t\t\"gongu\": {\n\t\t\t\"command\": \"gongu\"\n\t\t} // after x\n\t},\n\t\"z\": [1, 2,],\n}\n",
		},
		{
			"trailing comma", "{\n  \"mcpServers\": {\n    \"x\": {},\n    \"keep\": {},\n  },\n}\n", []string{"x"},
			"{\n  \"mcpServers\": {\n    \"gongu\": {\n      \"command\": \"gongu\"\n    },\n    \"keep\": {},\n  },\n}\n",
		},
		{"one line", `{"mcpServers":{"x":{},"y":{},"z":{}},"q":1}`, []string{"y", "z"}, `{"mcpServers":{"x":{},"gongu": {"command":"gongu"}},"q":1}`},
		{"one line, none goes", `{"mcpServers":{"x":{}}}`, nil, `{"mcpServers":{"x":{}, "gongu": {"command":"gongu"}}}`},
		{
			"at the end", "{\r\n  \"mcpServers\": {\r\n    \"x\": {}\r\n  }\r\n}\r\n", nil,
			"{\r\n  \"mcpServers\": {\r\n    \"x\": {},\r\n    \"gongu\": {\r\n      \"command\": \"gongu\"\r\n    }\r\n  }\r\n}\r\n",
		},
		{
			"its old self", "\xef\xbb\xbf{\n  \"mcpServers\": {\n    \"x\": {},\n    /* ours */ \"gongu\": {\"old\": true}\n  }\n}", []string{"x"},
			"\xef\xbb\xbf{\n  \"mcpServers\": {\n    /* ours */ \"gongu\": {\n      \"command\": \"gongu\"\n    }\n  }\n}",
		},
		{
			"a comment before the comma", "{\n  \"mcpServers\": {\n    \"a\": {},\n    \"x\": {} /* why */ ,\n    \"b\": {}\n  }\n}", []string{"a", "x"},
			"",
		},
		{"comments alone", "{\n  \"mcpServers\": {\n    // none yet\n  }\n}", nil, "{\n  \"mcpServers\": {\n    // none yet\n    \"gongu\": {\n      \"command\": \"gongu\"\n    }\n  }\n}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := setServer([]byte(test.text), []string{"mcpServers"}, test.remove, "gongu", gongu)
			if err != nil {
				t.Fatal(err)
			}
			if test.want != "" && string(got) != test.want {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
			if err := checkJSONC([]byte(test.text), got, []string{"mcpServers"}, test.remove, "gongu", gongu); err != nil {
				t.Errorf("%v\n%s", err, got)
			}
			for _, comment := range []string{"// mine", "// about x", "// after x", "/* why */", "/* ours */", "// none yet"} {
				if strings.Contains(test.text, comment) && !strings.Contains(string(got), comment) {
					t.Errorf("the comment %s is lost in\n%s", comment, got)
				}
			}
		})
	}
}

func TestParseJSONCRefuses(t *testing.T) {
	for _, text := range []string{
		"{", "[1 2]", `{"a" 1}`, `{"a":1 "b":2}`, `{"a":}`, `{a:1}`, `{"a":1} x`, "/* open", `{"a":1,"a":2}`, `{"a":tru}`, "{\"a\":\"b\nc\"}", "{,}", "[,]",
		strings.Repeat("[", maxJSONDepth+2) + strings.Repeat("]", maxJSONDepth+2),
		`{"a":[{"b":1,"b":2}]}`, `[{"a":1,"\u0061":2}]`,
	} {
		if _, err := parseJSONC([]byte(text)); err == nil {
			t.Errorf("%.40q was accepted", text)
		}
	}
}

// A file of millions of brackets must not reach the parser, which would use up
// the stack and end the process, whatever stands before the brackets.
func TestParseJSONCBoundsDepth(t *testing.T) {
	brackets := strings.Repeat("[", 8<<20)
	for _, before := range []string{"", "/**//*x*/", "// [\n", `{"a\"[":"]]]","b":`, "/*/*/", "/* \" */"} {
		if _, err := parseJSONC([]byte(before + brackets)); err == nil || !strings.Contains(err.Error(), "nested too deeply") {
			t.Errorf("%q: got %v", before, err)
		}
	}
	// Brackets in texts and comments are no nesting.
	many := strings.Repeat("[{", maxJSONDepth)
	for _, text := range []string{`{"a":"` + many + `"}`, "{/*" + many + "*/}", "{//" + many + "\n}", "{}//" + many} {
		if _, err := parseJSONC([]byte(text)); err != nil {
			t.Error(err)
		}
	}
}

// The proof is only worth something if it finds a change.
func TestCheckJSONCFindsOtherChanges(t *testing.T) {
	before := []byte(`{"a":1,"mcpServers":{"x":{},"y":{}}}`)
	value := json.RawMessage(`{}`)
	for name, after := range map[string]string{
		"another setting":   `{"a":2,"mcpServers":{"y":{},"gongu":{}}}`,
		"a setting gone":    `{"mcpServers":{"y":{},"gongu":{}}}`,
		"a server gone":     `{"a":1,"mcpServers":{"gongu":{}}}`,
		"a server left":     `{"a":1,"mcpServers":{"x":{},"y":{},"gongu":{}}}`,
		"gongu not there":   `{"a":1,"mcpServers":{"y":{}}}`,
		"not JSON any more": `{"a":1,`,
	} {
		if err := checkJSONC(before, []byte(after), []string{"mcpServers"}, []string{"x"}, "gongu", value); err == nil {
			t.Errorf("%s was not found", name)
		}
	}
	if err := checkJSONC(before, []byte(`{"a":1,"mcpServers":{"y":{},"gongu":{}}}`), []string{"mcpServers"}, []string{"x"}, "gongu", value); err != nil {
		t.Error(err)
	}
}

// jsoncText draws an object with comments, odd white space and odd commas.
func jsoncText(t *rapid.T, names []string, value func() string) string {
	gap := func() string {
		return rapid.SampledFrom([]string{"", " ", "\n", "\n\t", "\n  ", " // a\n", "/* b */", " /* , \" */ ", "\r\n    "}).Draw(t, "gap")
	}
	var b strings.Builder
	b.WriteString("{" + gap())
	for i, name := range names {
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(string(quoted) + gap() + ":" + gap() + value() + gap())
		if i < len(names)-1 || rapid.Bool().Draw(t, "trailing comma") {
			b.WriteString("," + gap())
		}
	}
	b.WriteString("}")
	return b.String()
}

// Whatever a file looks like, only the servers change, and comments outside of
// them stay.
func TestSetServerProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-d"é]{1,3}`), 0, 5, rapid.ID).Draw(t, "servers")
		scalar := func() string {
			return rapid.SampledFrom([]string{"{}", `{"a": [1, 2.50, ], }`, `"x // y"`, "null", `[{"b":"}"}]`}).Draw(t, "value")
		}
		servers := jsoncText(t, names, scalar)
		order := rapid.Permutation([]string{"mcpServers", "other", "more"}).Draw(t, "order")
		at := 0
		text := jsoncText(t, order, func() string {
			at++
			if order[at-1] == "mcpServers" {
				return servers
			}
			return scalar()
		})
		var remove []string
		for _, name := range names {
			if rapid.Bool().Draw(t, "remove") {
				remove = append(remove, name)
			}
		}
		value := json.RawMessage(`{"command":"gongu","args":["serve"]}`)
		got, err := setServer([]byte(text), []string{"mcpServers"}, remove, "gongu", value)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if err := checkJSONC([]byte(text), got, []string{"mcpServers"}, remove, "gongu", value); err != nil {
			t.Fatalf("%v\n%s\nbecame\n%s", err, text, got)
		}
	})
}

func FuzzParseJSONC(f *testing.F) {
	for _, seed := range []string{"{}", `{"a":[1,{"b":null},],}`, "// x\n{\"mcpServers\":{}}", "\xef\xbb\xbf{}", `{"a":"\u00e9"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := parseJSONC(text)
		if err != nil || root == nil || root.kind != '{' {
			return
		}
		value := json.RawMessage(`{"x":1}`)
		got, err := setServer(text, []string{"mcpServers"}, nil, "gongu", value)
		if err != nil {
			return // mcpServers is something else
		}
		if err := checkJSONC(text, got, []string{"mcpServers"}, nil, "gongu", value); err != nil {
			t.Errorf("%v\n%q\n%q", err, text, got)
		}
	})
}
