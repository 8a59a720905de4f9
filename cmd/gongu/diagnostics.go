package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// printDiagnostics writes diagnostics in the form of a compiler: the place, which
// editors can open, the line of the file, and a suggestion.
func (a *app) printDiagnostics(w io.Writer, path string, list bundle.Diagnostics) {
	paint := a.painter(w)
	files := openFiles(path)
	defer files.Close()
	for i, d := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		colour, severity := terminal.Red, lang.CLISeverityError
		switch d.Severity {
		case bundle.SeverityWarning:
			colour, severity = terminal.Yellow, lang.CLISeverityWarning
		case bundle.SeverityInfo:
			colour, severity = terminal.Cyan, lang.CLISeverityNote
		}
		place := fmt.Sprintf("%s:%d:%d:", visible(files.Path(d.File)), d.Line, d.Column)
		fmt.Fprintf(w, "%s %s %s [%s]\n", paint(terminal.Bold, place), paint(colour, severity.In(a.lang)+":"), visible(d.Message), d.Code)
		if line, ok := files.Line(d.File, d.Line); ok {
			number := strconv.Itoa(d.Line)
			text, caret := terminal.Excerpt(line, d.Column)
			fmt.Fprintf(w, "  %s | %s\n", number, text)
			fmt.Fprintf(w, "  %s | %s\n", strings.Repeat(" ", len(number)), caret+paint(colour, "^"))
		}
		if d.Path != d.File {
			fmt.Fprintf(w, "  %s\n", lang.CLIDiagnosticAt.In(a.lang, visible(d.Path)))
		}
		if d.Suggestion != "" {
			fmt.Fprintf(w, "  %s\n", lang.CLIDiagnosticFix.In(a.lang, visible(d.Suggestion)))
		}
	}
}

// openFiles opens the folder of a bundle, to show lines of its files.
func openFiles(path string) *terminal.Files {
	if !isDir(path) {
		path = filepath.Dir(path)
	}
	return terminal.OpenFiles(path)
}

func (a *app) countErrors(n int) string {
	return lang.Count(a.lang, n, lang.CLIOneError, lang.CLIManyErrors)
}

// kindCounts counts the resources of a bundle.
func kindCounts(b *bundle.Bundle) map[string]int {
	counts := map[string]int{}
	if b != nil {
		for _, item := range b.Items() {
			counts[item.Head().Kind]++
		}
	}
	return counts
}
