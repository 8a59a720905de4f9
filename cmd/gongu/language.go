package main

import (
	"errors"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// languageOf finds the language before the flags are parsed, because the help
// of the flags is already in it. A wrong --lang is reported by the parser.
func languageOf(args []string, env string) lang.Lang {
	chosen, _ := lang.Parse(env)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		value, ok := strings.CutPrefix(arg, "--lang=")
		if arg == "--lang" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if parsed, known := lang.Parse(value); ok && known {
			chosen = parsed
		}
	}
	return chosen
}

// languageFlag is the value of --lang.
type languageFlag struct{ lang *lang.Lang }

var errLanguage = errors.New("use en or ko")

// Set accepts what the catalog of texts has.
func (f languageFlag) Set(text string) error {
	parsed, ok := lang.Parse(text)
	if !ok {
		return errLanguage
	}
	*f.lang = parsed
	return nil
}

// String is empty, so that the help shows no default in brackets.
func (f languageFlag) String() string { return "" }

// Type is what the help shows as the value.
func (f languageFlag) Type() string { return "en|ko" }
