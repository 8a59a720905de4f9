package terminal

import (
	"os"
	"path/filepath"
	"strings"
)

// MaxFile is the size of the largest file of which [Files] shows lines.
const MaxFile = 1 << 20

// Files are the files of a folder, of which lines are shown to a person. A file
// that cannot be read is not shown.
type Files struct {
	dir  string
	root *os.Root
	read map[string][]string
}

// OpenFiles opens a folder.
func OpenFiles(dir string) *Files {
	f := &Files{dir: dir, read: map[string][]string{}}
	if root, err := os.OpenRoot(dir); err == nil {
		f.root = root
	}
	return f
}

// Close closes the folder.
func (f *Files) Close() {
	if f.root != nil {
		_ = f.root.Close() // it was only read
	}
}

// Path is the path of a file from the current folder, so that editors find it.
func (f *Files) Path(file string) string {
	if f.root == nil || !f.has(file) {
		return file
	}
	return filepath.ToSlash(filepath.Join(f.dir, filepath.FromSlash(file)))
}

func (f *Files) has(file string) bool {
	info, err := f.root.Stat(filepath.FromSlash(file))
	return err == nil && info.Mode().IsRegular() && info.Size() <= MaxFile
}

// Line returns a line of a file, counted from 1. It is false for an empty line.
func (f *Files) Line(file string, number int) (string, bool) {
	lines, known := f.read[file]
	if !known {
		if f.root != nil && f.has(file) {
			if raw, err := f.root.ReadFile(filepath.FromSlash(file)); err == nil {
				lines = strings.Split(string(raw), "\n")
			}
		}
		f.read[file] = lines
	}
	if number < 1 || number > len(lines) || strings.TrimSpace(lines[number-1]) == "" {
		return "", false
	}
	return lines[number-1], true
}

// Excerpt returns a line of a file to show, and the spaces before the column that
// is meant. Columns count characters from 1.
func Excerpt(line string, column int) (text, room string) {
	text = OneLine(strings.ReplaceAll(strings.TrimRight(line, " \t\r"), "\t", " "))
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
