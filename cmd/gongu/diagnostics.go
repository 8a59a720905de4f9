package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
)

// printDiagnostics writes diagnostics in the form of a compiler: the place, which
// editors can open, the line of the file, and a suggestion.
func (a *app) printDiagnostics(w io.Writer, path string, list bundle.Diagnostics) {
	paint := a.painter(w)
	files := openSources(path)
	defer files.close()
	for i, d := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		colour, severity := red, lang.CLISeverityError
		switch d.Severity {
		case bundle.SeverityWarning:
			colour, severity = yellow, lang.CLISeverityWarning
		case bundle.SeverityInfo:
			colour, severity = cyan, lang.CLISeverityNote
		}
		place := fmt.Sprintf("%s:%d:%d:", visible(files.shown(d.File)), d.Line, d.Column)
		fmt.Fprintf(w, "%s %s %s [%s]\n", paint(bold, place), paint(colour, severity.In(a.lang)+":"), visible(d.Message), d.Code)
		if line, ok := files.line(d.File, d.Line); ok {
			number := strconv.Itoa(d.Line)
			text, caret := excerpt(line, d.Column)
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

// excerpt is a line of a file, and the room before the column that is meant.
// Columns count characters from 1.
func excerpt(line string, column int) (text, room string) {
	text = oneLine(strings.ReplaceAll(strings.TrimRight(line, " \t\r"), "\t", " "))
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	text = strings.Repeat(" ", indent) + text
	width := 0
	for i, r := range []rune(text) {
		if i >= column-1 {
			break
		}
		width += runeColumns(r)
	}
	return text, strings.Repeat(" ", width)
}

// sources are the files of a bundle, for showing lines of them. What cannot be
// read is not shown.
type sources struct {
	dir  string
	root *os.Root
	read map[string][]string
}

func openSources(path string) *sources {
	if !isDir(path) {
		path = filepath.Dir(path)
	}
	s := &sources{dir: path, read: map[string][]string{}}
	if root, err := os.OpenRoot(path); err == nil {
		s.root = root
	}
	return s
}

func (s *sources) close() {
	if s.root != nil {
		_ = s.root.Close() // it was only read
	}
}

// shown is a file of the bundle as seen from here, so that editors find it.
func (s *sources) shown(file string) string {
	if s.root == nil || !s.has(file) {
		return file
	}
	return filepath.ToSlash(filepath.Join(s.dir, filepath.FromSlash(file)))
}

func (s *sources) has(file string) bool {
	info, err := s.root.Stat(filepath.FromSlash(file))
	return err == nil && info.Mode().IsRegular() && info.Size() <= maxShownFile
}

// maxShownFile is as much as a bundle takes of one file.
const maxShownFile = 1 << 20

func (s *sources) line(file string, number int) (string, bool) {
	lines, known := s.read[file]
	if !known {
		if s.root != nil && s.has(file) {
			if raw, err := s.root.ReadFile(filepath.FromSlash(file)); err == nil {
				lines = strings.Split(string(raw), "\n")
			}
		}
		s.read[file] = lines
	}
	if number < 1 || number > len(lines) || strings.TrimSpace(lines[number-1]) == "" {
		return "", false
	}
	return lines[number-1], true
}

// The colours of a terminal.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// painter colours words on a terminal, and nowhere else.
func (a *app) painter(w io.Writer) func(colour, text string) string {
	plain := !isTerminal(w) || a.getenv("NO_COLOR") != "" || a.getenv("TERM") == "dumb" ||
		runtime.GOOS == "windows" && a.getenv("WT_SESSION") == ""
	return func(colour, text string) string {
		if plain {
			return text
		}
		return a.colour + colour + "m" + text + a.colour + "0m"
	}
}

func (a *app) countErrors(n int) string {
	return a.count(n, lang.CLIOneError, lang.CLIManyErrors)
}

func (a *app) count(n int, one, many lang.Text) string {
	if n == 1 {
		return one.In(a.lang, n)
	}
	return many.In(a.lang, n)
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

// kindList formats the counts as text, in the order of the bundle.
func (a *app) kindList(b *bundle.Bundle) string {
	counts := kindCounts(b)
	var parts []string
	for _, item := range b.Items() {
		kind := item.Head().Kind
		if n := counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", kind, n))
			delete(counts, kind)
		}
	}
	return cmp.Or(strings.Join(parts, ", "), lang.CLINoResources.In(a.lang))
}
