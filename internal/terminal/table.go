package terminal

import (
	"os"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// IsTerminal reports whether a reader or writer is a terminal. The null device is
// a character device as well, and is not one.
func IsTerminal(stream any) bool {
	if shown, ok := stream.(*Writer); ok {
		return IsTerminal(shown.Out)
	}
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Gap separates two columns.
const Gap = "  "

// Table aligns rows to columns, those of numbers to the right. The last column
// is not padded.
func Table(rows [][]string, numbers ...int) string {
	right := make(map[int]bool, len(numbers))
	for _, column := range numbers {
		right[column] = true
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteString(Gap)
			}
			pad := strings.Repeat(" ", widths[i]-Columns(cell))
			switch {
			case right[i]:
				b.WriteString(pad + cell)
			case i == len(row)-1:
				b.WriteString(cell)
			default:
				b.WriteString(cell + pad)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Columns is the width of a text on a terminal, where Korean letters are two
// columns wide.
func Columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

// runeColumns is the width of one character.
func runeColumns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// longestLine bounds a description in a list.
const longestLine = 100

// OneLine returns the first line of a text, cut to a length that lists can show.
// It leaves out control characters: a description may come from anywhere and must
// not control the reader's terminal.
func OneLine(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	room := longestLine
	for i, r := range text {
		if room -= runeColumns(r); room < 0 {
			return strings.TrimRight(text[:i], " ") + "…"
		}
	}
	return text
}

// TrimRows removes the spaces at the end of each row.
func TrimRows(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// Fold breaks a text into lines of at most room columns, at its spaces.
func Fold(text string, room int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && Columns(line)+1+Columns(word) > room {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}
