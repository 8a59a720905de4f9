package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// replaceSections writes the parts that were measured into a page that has the
// others from an earlier run.
func replaceSections(dir string, sections []section) error {
	path := filepath.Join(dir, "benchmarks.md")
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("one part needs the page of a whole run: %w", err)
	}
	text := string(old)
	for _, s := range sections {
		text = withSection(text, s)
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// withSection puts a section in the place of the one with its title, or at the
// end, and its gates in the place of those with the same names.
func withSection(page string, s section) string {
	var b strings.Builder
	writeSection(&b, s)
	heading := "\n## " + s.title + "\n"
	if at := strings.Index(page, heading); at >= 0 {
		end := len(page)
		if next := strings.Index(page[at+len(heading):], "\n## "); next >= 0 {
			end = at + len(heading) + next
		}
		page = page[:at+1] + strings.TrimRight(b.String(), "\n") + "\n" + page[end:]
	} else {
		page = strings.TrimRight(page, "\n") + "\n\n" + strings.TrimRight(b.String(), "\n") + "\n"
	}
	b.Reset()
	writeGates(&b, []section{s})
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| gate |") {
			page = withGate(page, line)
		}
	}
	return page
}

func withGate(page, row string) string {
	name, _, _ := strings.Cut(row[2:], " | ")
	if at := strings.Index(page, "\n| "+name+" | "); at >= 0 {
		end := at + 1 + strings.Index(page[at+1:], "\n") + 1
		return page[:at+1] + row + page[end:]
	}
	const rule = "|---|---:|---:|---|\n"
	at := strings.Index(page, rule)
	if at < 0 {
		return page
	}
	at += len(rule)
	for strings.HasPrefix(page[at:], "|") {
		at += strings.Index(page[at:], "\n") + 1
	}
	return page[:at] + row + page[at:]
}
