package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/width"
)

// screenshotFile is the picture in the README.
const screenshotFile = "../../docs/screenshot.svg"

// TestScreenshot draws what the program really prints, so that the picture in
// the README cannot grow old. GONGU_UPDATE_SCRIPTS=1 draws it anew.
func TestScreenshot(t *testing.T) {
	bundle, err := filepath.Abs("../../examples/base-tools")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	getenv := consentHere(t, bundle)
	var lines []string
	for _, session := range []struct {
		shown string
		args  []string
	}{
		{"gongu tools --agent editor", []string{"tools", "-b", bundle, "--agent", "editor"}},
		{`gongu call json-query__query '{"data":"{\"users\":[{\"name\":\"Ann\"}]}","path":"users[0].name"}'`,
			[]string{"call", "-b", bundle, "json-query__query", `{"data":"{\"users\":[{\"name\":\"Ann\"}]}","path":"users[0].name"}`}},
		{`gongu call --agent editor bash__exec '{"command":"date"}'`,
			[]string{"call", "-b", bundle, "--agent", "editor", "bash__exec", `{"command":"date"}`}},
		{`gongu call --lang ko file-system__read '{"file":"a.txt"}'`,
			[]string{"call", "-b", bundle, "--lang", "ko", "file-system__read", `{"file":"a.txt"}`}},
	} {
		var out bytes.Buffer
		run(session.args, environment{stdin: strings.NewReader(""), stdout: &out, stderr: &out, language: "en", getenv: getenv})
		text := strings.ReplaceAll(out.String(), " -b "+bundle, "")
		lines = append(lines, "$ "+session.shown)
		lines = append(lines, strings.Split(strings.TrimRight(text, "\n"), "\n")...)
		lines = append(lines, "")
	}
	want := drawTerminal(lines[:len(lines)-1])
	path := filepath.Join(filepath.Dir(bundle), "..", "docs", filepath.Base(screenshotFile))
	if os.Getenv("GONGU_UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the program prints now (%v); run GONGU_UPDATE_SCRIPTS=1 go test ./cmd/gongu -run Screenshot", screenshotFile, err)
	}
}

// drawTerminal writes lines as a picture of a terminal.
func drawTerminal(lines []string) string {
	const charWidth, lineHeight, margin, columns = 8.0, 19, 18, 108
	var b strings.Builder
	var wrapped []string
	for _, line := range lines {
		wrapped = append(wrapped, wrapLine(line, columns)...)
	}
	wide, high := int(columns*charWidth)+2*margin, len(wrapped)*lineHeight+2*margin+22
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="A terminal in which gongu lists tools and calls them">`+"\n", wide, high, wide, high)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="10" fill="#16181d"/>`+"\n", wide, high)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="17" r="6" fill="%s"/>`+"\n", 22+i*20, colour)
	}
	fmt.Fprintf(&b, `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'Noto Sans Mono CJK KR', monospace" font-size="13" xml:space="preserve">`+"\n")
	for i, line := range wrapped {
		colour := "#c9d1d9"
		switch {
		case strings.HasPrefix(line, "$ "):
			colour = "#7ee787"
		case strings.HasPrefix(line, "Error:"), strings.HasPrefix(line, "오류:"):
			colour = "#ff7b72"
		case strings.HasPrefix(line, "NAME "):
			colour = "#8b949e"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", margin, margin+36+i*lineHeight, colour, html.EscapeString(line))
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// wrapLine breaks a line at the edge of the terminal; Korean takes two columns.
func wrapLine(line string, columns int) []string {
	var out []string
	used, start := 0, 0
	for i, r := range line {
		size := 1
		if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			size = 2
		}
		if used+size > columns {
			out = append(out, line[start:i])
			start, used = i, 0
		}
		used += size
	}
	return append(out, line[start:])
}
