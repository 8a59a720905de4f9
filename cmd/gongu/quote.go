package main

import "github.com/gongu-ai/gongu/internal/shellword"

// command is a command line of gongu that can be copied into a shell.
func command(words ...string) string {
	return "gongu " + shellWords(words)
}

// commandOn is a command on a folder, which need not name the current one.
func commandOn(name, folder string) string {
	if folder == "." {
		return command(name)
	}
	return command(name, folder)
}

func shellWords(words []string) string { return shellword.Join(words...) }

func singleQuoted(word string) string { return shellword.Single(word) }
