package edit

import (
	"bytes"
	"regexp"
	"strings"
)

// mark is a line in place of lines left out: "...", "// ...",
// "# ... existing code ...", "/* … */", "<!-- ... -->".
var mark = regexp.MustCompile(`^(?://+|#+|--|;+|/\*+|\*|<!--|\{/\*|%+)?\s*(?:\.\.\.+|…)\s*(?:\*/\}?|-->)?$`)

// wordy is a line that says in words that something is left out, and that no
// file means.
var wordy = regexp.MustCompile(`(?i)^(?://+|#+|--|;+|/\*+|\*|<!--|\{/\*|%+)?\s*(?:` +
	`(?:\.\.\.+|…)\s*(?:the\s+)?(?:rest|remaining|remainder|existing|previous|other|same|unchanged|keep|code|more)\b[\w ,'()-]*(?:\.\.\.+|…)?` +
	`|[\[(<{]?\s*(?:the\s+)?(?:rest|remainder|remaining)\s+(?:of\s+(?:the\s+|this\s+)?)?(?:code|file|function|method|class|implementation|methods|functions|lines|body|module|content|contents|logic)\b[\w ,'()-]*(?:\.\.\.+|…)` +
	`|(?:the\s+)?(?:rest|remainder|remaining\s+\w+|everything\s+else)(?:\s+of\s+(?:the|this)\s+\w+)?\s+(?:is\s+|are\s+|stays\s+|remains?\s+)?(?:unchanged|the\s+same|as\s+before)` +
	`|(?:existing|previous|unchanged|same|other)\s+(?:code|methods|functions|implementation|content|lines|logic)\s+(?:here|unchanged|as\s+before|remains?|stays)?[\w ]*(?:\.\.\.+|…)` +
	`)\s*\.?\s*(?:\*/\}?|-->|[\])>}])?$`)

// isMark reports whether a line of old is in place of lines left out.
func isMark(line []byte) bool {
	line = trim(line)
	return len(line) >= 3 && len(line) < 100 && (mark.Match(line) || wordy.Match(line))
}

// Placeholder finds a line of new that says in words that code was left out
// ("// ... existing code ...", "# rest unchanged") and that old does not have:
// it would be written into the file in place of that code.
func Placeholder(old, new string) (string, bool) {
	for _, line := range placeholders(old, new) {
		return line, true
	}
	return "", false
}

func placeholders(old, new string) []string {
	var found []string
	for line := range strings.SplitSeq(new, "\n") {
		line = strings.TrimSpace(line)
		if len(line) < 8 || len(line) > 100 || !wordy.MatchString(line) {
			continue
		}
		if !strings.Contains(old, line) {
			found = append(found, line)
		}
	}
	return found
}

// hadPlaceholders reports whether the lines that an edit changes had all of
// these before: then they are the file's own words.
func hadPlaceholders(content []byte, out *Outcome, lines []string) bool {
	for _, c := range out.Changes {
		start := bytes.LastIndexByte(content[:c.Start], '\n') + 1
		place := content[start:lineEndAfter(content, c.End)]
		for _, line := range lines {
			if !bytes.Contains(place, []byte(line)) {
				return false
			}
		}
	}
	return true
}
