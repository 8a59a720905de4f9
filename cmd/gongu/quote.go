package main

import (
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/internal/shellword"
)

// command is a command line of gongu that can be copied into a shell.
func command(words ...string) string {
	return report.Command(words...)
}

// commandOn is a command on a folder, which need not name the current one.
func (a *app) commandOn(name, folder string) string {
	words := []string{name}
	if folder != "." {
		words = append(words, folder)
	}
	return command(a.onStore(words)...)
}

// onStore adds --state-root and --store to a command to copy, as they were given. A
// password in the store is not shown, so with one it belongs into GONGU_STORE.
func (a *app) onStore(words []string) []string {
	if a.stateRoot != "" {
		words = append(words, "--state-root", a.stateRoot)
	}
	if a.store == "" || a.ownStore {
		return words
	}
	at, err := a.locateStore()
	if err != nil {
		return words
	}
	return append(words, "--store", at.shown)
}

func singleQuoted(word string) string { return shellword.Single(word) }
