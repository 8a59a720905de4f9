package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

const (
	// pollEvery is how often a question that waits looks whether it is over.
	pollEvery = 50 * time.Millisecond
	// maxLine is the length of the longest answer; terminals have such a limit too.
	maxLine = 4096
	// defaultWidth is the width of a terminal that does not tell it.
	defaultWidth = 80
)

// Discard drops what was typed or pasted until now.
func (t *Terminal) Discard() error {
	t.forget()
	if err := t.discardInput(); err != nil {
		return fmt.Errorf("ask at the terminal: %w", err)
	}
	return nil
}

// Prompt shows a question and returns the line that is typed after it, without
// its end. What was typed before does not count. It returns soon after ctx ends,
// with its error, and io.EOF when the input ends.
func (t *Terminal) Prompt(ctx context.Context, question string, w *Writer) (string, error) {
	if err := t.Discard(); err != nil {
		return "", err
	}
	if err := t.Show(question, w); err != nil {
		return "", err
	}
	return t.ReadLine(ctx)
}

// Show writes a text with the secrets and the colour of w.
func (t *Terminal) Show(text string, w *Writer) error {
	shown := &Writer{Out: t.Out, Secrets: w.Secrets, Colour: w.Colour}
	if _, err := io.WriteString(shown, text); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

// ReadLine returns the next line, and reads no byte after it, because the rest of
// the input may be for a tool.
func (t *Terminal) ReadLine(ctx context.Context) (string, error) {
	var line []byte
	for {
		next, err := t.readByte(ctx)
		switch {
		case err != nil:
			if errors.Is(err, io.EOF) {
				fmt.Fprintln(t.Out) // ends the line of the question
			}
			return "", err
		case next == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case len(line) < maxLine:
			line = append(line, next)
		}
	}
}

// Width returns the number of columns of a terminal, or 80 for anything else.
func Width(stream any) int {
	if shown, ok := stream.(*Writer); ok {
		return Width(shown.Out)
	}
	if file, ok := stream.(*os.File); ok && IsTerminal(file) {
		if n := columnsOf(file); n > 0 {
			return n
		}
	}
	return defaultWidth
}

// Clip cuts a text to a number of columns.
func Clip(text string, room int) string {
	if Columns(text) <= room {
		return text
	}
	used := 1 // of the ellipsis
	for i, r := range text {
		if used += runeColumns(r); used > room {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}
