package main

import (
	"os"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// isTerminal reports whether a reader or writer is a terminal. The null device is
// a character device as well, and is not one.
func isTerminal(stream any) bool {
	if shown, ok := stream.(*screen); ok {
		stream = shown.out
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

// gap separates two columns.
const gap = "  "

// table aligns rows to columns, those of numbers to the right. The last column
// is not padded.
func table(rows [][]string, numbers ...int) string {
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
			widths[i] = max(widths[i], columns(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteString(gap)
			}
			pad := strings.Repeat(" ", widths[i]-columns(cell))
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

// columns is the width of a text on a terminal, where Korean letters are two
// columns wide.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// longestLine bounds a description in a list.
const longestLine = 100

// oneLine is the first line of a text, cut to a length that lists can show.
// Control characters are left out: a description may come from anywhere, and
// must not steer the reader's terminal.
func oneLine(text string) string {
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
