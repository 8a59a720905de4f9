package main

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// visible, table and oneLine are what nearly every command prints with.

func visible(text string) string { return terminal.Visible(text) }

func table(rows [][]string, numbers ...int) string { return terminal.Table(rows, numbers...) }

func oneLine(text string) string { return terminal.OneLine(text) }

// painter colours words on a terminal, and nowhere else.
func (a *app) painter(w io.Writer) func(colour, text string) string {
	return (&terminal.Writer{Out: w, Colour: a.colour}).Painter(a.getenv)
}

// print writes a text for a person to standard output.
func (a *app) print(text string) error {
	_, err := io.WriteString(a.stdout, text)
	return err
}

// printExact writes a text that is asked for as it is, such as the output of a
// tool or a token: byte for byte, unless standard output is a terminal, where it
// is escaped.
func (a *app) printExact(text string) error {
	if terminal.IsTerminal(a.output) {
		text = terminal.Escape(text)
	}
	_, err := io.WriteString(a.output, text)
	return err
}

// writeJSON prints a value as JSON, without secrets: indented on a terminal,
// otherwise on one line.
func (a *app) writeJSON(v any) error {
	raw, err := encodeJSON(v, terminal.IsTerminal(a.output))
	return a.printJSON(a.secrets.RedactJSON(raw), err)
}

// writeExactJSON is writeJSON for a value whose texts must stay as they are: the
// result of a tool, the content of a file, a new token.
func (a *app) writeExactJSON(v any) error {
	return a.printJSON(encodeJSON(v, terminal.IsTerminal(a.output)))
}

// writeJSONLine is writeExactJSON for one of many values, each on its own line.
func (a *app) writeJSONLine(v any) error { return a.printJSON(encodeJSON(v, false)) }

func (a *app) printJSON(raw []byte, err error) error {
	if err == nil {
		_, err = io.WriteString(a.output, terminal.EscapeJSON(string(raw)))
	}
	return err
}

func encodeJSON(v any, indent bool) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	err := enc.Encode(v)
	return b.Bytes(), err
}

// texts words what is printed for a person.
func (a *app) texts() *report.Texts {
	return &report.Texts{Lang: a.lang, Again: a.againWords, On: a.commandOn}
}
