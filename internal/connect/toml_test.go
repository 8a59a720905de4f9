package connect

import (
	"errors"
	"strings"
	"testing"
)

const codexFile = `# my codex
model = "gpt-5" # fast
notes = """
[mcp_servers.fake]
not a table
"""
lists = [
  ["a"], # [x]
  ["b"],
]

# about github
[mcp_servers.github]
command = "npx" # the runner
args = ["-y", "gh"]

[mcp_servers.github.env]
TOKEN = "abc"

# about the profile
[profiles.fast]
model = 'x'

[mcp_servers."my server"]
url = "https://example.com/mcp"

# the end
`

func TestSetTOMLServerKeepsEverythingElse(t *testing.T) {
	block := codexBlock("gongu", &entry{command: "gongu", args: []string{"serve", "--stdio"}, env: map[string]string{"TOKEN": "a\"b\\c"}})
	got, err := setTOMLServer([]byte(codexFile), []string{"github", "my server"}, "gongu", block)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		"[mcp_servers.github]\ncommand = \"npx\" # the runner\nargs = [\"-y\", \"gh\"]\n\n[mcp_servers.github.env]\nTOKEN = \"abc\"\n", block+"\n",
		"[mcp_servers.\"my server\"]\nurl = \"https://example.com/mcp\"\n", "",
	).Replace(codexFile)
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Again, with gongu there: its tables are replaced, nothing grows.
	again, err := setTOMLServer(got, nil, "gongu", block)
	if err != nil {
		t.Fatal(err)
	}
	if len(again) > len(got)+1 {
		t.Errorf("grew to\n%s", again)
	}
}

// A line that looks like a comment or a header is neither inside of a text.
func TestSetTOMLServerTextOfSeveralLines(t *testing.T) {
	block := codexBlock("gongu", &entry{url: "u"})
	removed := "[mcp_servers.x]\ncommand = \"\"\"a\n[mcp_servers.y]\n# not a comment\"\"\"\n"
	got, err := setTOMLServer([]byte(removed+"# kept\n[y]\n"), []string{"x"}, "gongu", block)
	if want := block + "# kept\n[y]\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestSetTOMLServerAtTheEnd(t *testing.T) {
	for text, want := range map[string]string{
		"":              "[mcp_servers.gongu]\nurl = \"u\"\nbearer_token_env_var = \"GONGU_TOKEN\"\n",
		"a = 1":         "a = 1\n\n[mcp_servers.gongu]\nurl = \"u\"\nbearer_token_env_var = \"GONGU_TOKEN\"\n",
		"a = 1\r\n":     "a = 1\r\n\r\n[mcp_servers.gongu]\r\nurl = \"u\"\r\nbearer_token_env_var = \"GONGU_TOKEN\"\r\n",
		"[x]\nb = 1\n":  "[x]\nb = 1\n\n[mcp_servers.gongu]\nurl = \"u\"\nbearer_token_env_var = \"GONGU_TOKEN\"\n",
		"# nothing\n\n": "# nothing\n\n[mcp_servers.gongu]\nurl = \"u\"\nbearer_token_env_var = \"GONGU_TOKEN\"\n",
	} {
		got, err := setTOMLServer([]byte(text), nil, "gongu", codexBlock("gongu", &entry{url: "u"}))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if string(got) != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// What cannot be moved by whole tables is refused, not half done.
func TestSetTOMLServerRefuses(t *testing.T) {
	for _, text := range []string{
		"mcp_servers.x.command = \"a\"\n",
		"[mcp_servers]\nx = { command = \"a\" }\n",
		"mcp_servers = { x = { command = \"a\" } }\n",
	} {
		_, err := setTOMLServer([]byte(text), []string{"x"}, "gongu", codexBlock("gongu", &entry{command: "gongu"}))
		if err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	if _, err := setTOMLServer([]byte("[mcp_servers]\nx = { command = \"a\" }\n"), []string{"x"}, "gongu", codexBlock("gongu", &entry{command: "g"})); !errors.Is(err, errTOMLForm) {
		t.Errorf("got %v", err)
	}
	if _, err := setTOMLServer([]byte("a ="), nil, "gongu", codexBlock("gongu", &entry{command: "g"})); err == nil {
		t.Error("a broken file was accepted")
	}
}

func FuzzTOMLSections(f *testing.F) {
	f.Add([]byte(codexFile))
	f.Add([]byte("a = '''\n[x]\n'''\n[mcp_servers.a]\nb = \"\"\"\n[c]\\\"\"\"\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		before, err := decodeTOML(text)
		if err != nil {
			return
		}
		servers, _ := before[codexTable].(map[string]any)
		var names []string
		for name := range servers {
			names = append(names, name)
		}
		got, err := setTOMLServer(text, names, "gongu", codexBlock("gongu", &entry{command: "g"}))
		if err != nil {
			return // refused
		}
		if _, err := decodeTOML(got); err != nil {
			t.Errorf("%v\n%q\n%q", err, text, got)
		}
	})
}
