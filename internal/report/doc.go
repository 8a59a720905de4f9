// Package report words what the commands of gongu print: tables and texts for a
// person, in English and Korean, and the values that --json prints. What comes from
// models, servers and files is escaped, so that it cannot control a terminal.
package report

import (
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/shellword"
)

// Texts words reports for a person.
type Texts struct {
	Lang lang.Lang
	// Again returns a command on the bundle at hand, to copy.
	Again func(words ...string) string
	// On returns a command on a folder, to copy.
	On func(name, folder string) string
}

// Command is a command line of gongu that can be copied into a shell.
func Command(words ...string) string { return "gongu " + shellword.Join(words...) }

// When is a time in UTC, or "-" for none.
func When(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// Short cuts a digest to what people compare.
func Short(digest string) string { return digest[:min(len(digest), len("sha256:")+12)] }
