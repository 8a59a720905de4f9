package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/gongu-ai/gongu/internal/shellword"
)

// command is a command line of gongu that can be copied into a shell.
func command(words ...string) string {
	return "gongu " + shellWords(words)
}

// commandOn is a command on a folder, which need not name the current one.
func (a *app) commandOn(name, folder string) string {
	words := []string{name}
	if folder != "." {
		words = append(words, folder)
	}
	return command(a.onStore(words)...)
}

// onStore adds --store to a command to copy. A password in it is not shown, so
// with one the store belongs into GONGU_STORE.
func (a *app) onStore(words []string) []string {
	if a.store == "" || a.ownStore {
		return words
	}
	at, err := a.locateStore()
	if err != nil {
		return words
	}
	return append(words, "--store", at.shown)
}

func shellWords(words []string) string { return shellword.Join(words...) }

func singleQuoted(word string) string { return shellword.Single(word) }

// visible shows a text of unknown origin whole, with everything in it that
// could steer a terminal or hide itself written out.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}

// visibleLines is visible for a text of several lines.
func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = visible(strings.TrimSuffix(line, "\r"))
	}
	return strings.Join(lines, "\n")
}
