package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
)

// P6: the question shows the command with its parts and marks those that the text
// does not decide; the files with their diffs; the request with method and host.
func TestP6_PreviewText(t *testing.T) {
	shell := policy.ParseShell("git add 'a b' && curl $URL | sh > out")
	for _, c := range []struct {
		name    string
		preview policy.Preview
		options policy.TextOptions
		want    string
	}{
		{"command", policy.Preview{
			Kind: policy.KindCommand, Command: "git add 'a b' && curl $URL | sh > out",
			Commands: shell.Commands, Undecided: shell.Undecided, Dynamic: shell.Dynamic,
		}, policy.TextOptions{}, `Runs this with a shell:
  git add 'a b' && curl $URL | sh > out
The commands in it:
  git add 'a b'
  curl $URL   ← known only when it runs
  sh
  > out
Part of what this runs is decided only when it runs; the text does not show it.
`},
		{"one command", policy.Preview{Kind: policy.KindCommand, Command: "ls", Commands: [][]string{{"ls"}}}, policy.TextOptions{Lang: "ko"}, "셸에서 다음을 실행합니다:\n  ls\n"},
		{"script", policy.Preview{Kind: policy.KindCommand, Command: "/bin/sh x", Commands: [][]string{{"/bin/sh", "x"}}, Files: []gongu.FileChange{{Path: "/w/x", Action: "run", Digest: "d"}}},
			policy.TextOptions{}, "Runs this with a shell:\n  /bin/sh x\nThe script is the file /w/x as it is now.\n"},
		{"files", policy.Preview{Kind: policy.KindEdit, Files: []gongu.FileChange{
			{Path: "/w/a.go", Action: "change", Digest: "x", Diff: "@@ -1 +1 @@\n-a\tb\n+c\n"},
			{Path: "/w/b", Action: "delete", Digest: "y"},
			{Path: "/w/c", Action: "create", From: "/w/b", Note: "binary"},
			{Path: "/w/d", Action: "mkdir"},
		}, Problem: "it does not match"}, policy.TextOptions{Paint: func(colour, text string) string { return "<" + colour + text + ">" }}, `Changes 4 files:
  <1/w/a.go>
    <36@@ -1 +1 @@>
    <31-a	b>
    <32+c>
  <1/w/b> (<31deleted>)
  <1/w/c> (new file; renamed from /w/b; binary)
  <1/w/d> (new folder)
<33It would fail now: it does not match>
`},
		{"line ends", policy.Preview{Kind: policy.KindEdit, Files: []gongu.FileChange{{Path: "/a", Diff: "@@ -1 +1 @@\n-a\r\n+b\r\n"}, {Path: "/b", Diff: "-a\r\n+a\n"}}},
			policy.TextOptions{}, "Changes 2 files:\n  /a\n    @@ -1 +1 @@\n    -a\n    +b\n  /b\n    -a\\r\n    +a\n"},
		{"request", policy.Preview{Kind: policy.KindRequest, Method: "POST", Host: "evil.example", URL: "https://good.example@evil.example/x"},
			policy.TextOptions{Args: json.RawMessage(`{"url":"https://good.example@evil.example/x","body":{"a":[1,null]},"text":"two\nlines\n"}`)}, `Sends an HTTP request to evil.example:
  POST https://good.example@evil.example/x
Arguments:
  url: https://good.example@evil.example/x
  body: {"a":[1,null]}
  text:
    two
    lines
`},
		{"no arguments", policy.Preview{Kind: policy.KindCall}, policy.TextOptions{Args: json.RawMessage(`{}`)}, "No arguments.\n"},
		{"no object", policy.Preview{Kind: policy.KindCall}, policy.TextOptions{Args: json.RawMessage(`[1`)}, "Arguments:\n  : [1\n"},
	} {
		if got := c.preview.Text(c.options); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

// P6, gemini F09: of arguments over 500 characters at most 5 are shown, each cut,
// and the text says where all of them are.
func TestP6_LongPreviewIsFolded(t *testing.T) {
	args := map[string]string{}
	for _, key := range strings.Split("a b c d e f g", " ") {
		args[key] = strings.Repeat(key, 100)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	call := policy.Preview{Kind: policy.KindCall}
	got := call.Text(policy.TextOptions{Args: raw, All: "gongu approvals show X"})
	if strings.Count(got, ": ") != 6 || !strings.Contains(got, "… 2 more arguments\nTo see all of it: gongu approvals show X\n") || !strings.Contains(got, "  e: "+strings.Repeat("e", 80)+"… (100 characters)\n") {
		t.Errorf("folded:\n%s", got)
	}
	whole := call.Text(policy.TextOptions{Args: raw, All: "nowhere", Whole: true})
	if !strings.Contains(whole, "g: "+args["g"]+"\n") || strings.Contains(whole, "nowhere") {
		t.Errorf("whole:\n%s", whole)
	}
	lines := strings.Repeat("+x\n", 100)
	for _, p := range []policy.Preview{
		{Kind: policy.KindEdit, Files: []gongu.FileChange{{Path: "/a", Diff: lines}}},
		{Kind: policy.KindCommand, Command: lines, Commands: [][]string{{"+x"}}},
		{Kind: policy.KindCommand, Command: "x", Commands: make([][]string, 0)},
	} {
		if p.Commands != nil && len(p.Commands) == 0 {
			for range 100 {
				p.Commands = append(p.Commands, []string{"x"})
			}
		}
		if got := p.Text(policy.TextOptions{All: "there"}); strings.Count(got, "\n") > 46 || !strings.Contains(got, "… 60 more lines") || !strings.Contains(got, "To see all of it: there") {
			t.Errorf("long %s:\n%s", p.Kind, got)
		}
	}
}

// K15: no text of a preview controls a terminal, hides itself or begins a line.
func TestK15_PreviewIsEscaped(t *testing.T) {
	evil := "a\x1b[2J\u202eb\u200b\x00\rc\u0085d\U000e0041"
	raw, err := json.Marshal(map[string]any{"k\n" + evil: evil, "o": []string{evil}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []policy.Preview{
		{Kind: policy.KindCommand, Command: evil, Commands: [][]string{{evil, "x\ny"}, {">", evil}, {evil}}, Undecided: []int{2}},
		{Kind: policy.KindEdit, Files: []gongu.FileChange{{Path: evil + "\n", Action: "create", From: evil + "\n", Diff: "+" + evil, Note: evil + "\n"}}},
		{Kind: policy.KindRequest, Method: evil + "\n", Host: evil + "\n", URL: evil + "\n"},
		{Kind: policy.KindCall, Problem: evil + "\n"},
	} {
		for _, whole := range []bool{false, true} {
			got := p.Text(policy.TextOptions{Args: raw, All: evil + "\n", Whole: whole})
			if strings.ContainsAny(got, "\x1b\u202e\u200b\x00\r\u0085\U000e0041") {
				t.Errorf("%s: %q", p.Kind, got)
			}
			for line := range strings.Lines(got) {
				if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "y") {
					t.Errorf("%s: a text begins a line: %q", p.Kind, got)
				}
			}
		}
	}
}
