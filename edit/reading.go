package edit

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"
)

// reading is old and new as they may have been meant: a model sometimes copies
// what a reader put around the text, or escapes it once too often.
type reading struct {
	old, new *block
}

// newReading splits both texts. A line end that only new has makes a line.
func newReading(old, new string) reading {
	r := reading{newBlock([]byte(old)), newBlock([]byte(new))}
	if r.new.ended && !r.old.ended {
		end := len(r.new.text)
		r.new.lines = append(r.new.lines, span{end, end, end})
	}
	return r
}

// readings returns the text itself, and then the text without what may be around it.
func readings(old, new string) []reading {
	found := []reading{newReading(old, new)}
	seen := map[string]bool{old: true}
	add := func(o, n string, ok bool) {
		if ok && !seen[o] && strings.TrimSpace(o) != "" {
			seen[o] = true
			found = append(found, newReading(o, n))
		}
	}
	o, n, ok := unfenced(old, new)
	if !ok {
		o, n = old, new
	}
	add(o, n, ok)
	for _, prefix := range numberedLines {
		add(unnumbered(prefix, o, n))
	}
	for _, unwrap := range []func(old, new string) (string, string, bool){unescaped, unquoted, unentitled} {
		add(unwrap(o, n))
	}
	return found
}

// unfenced removes the ``` lines of Markdown around the text.
func unfenced(old, new string) (string, string, bool) {
	o, ok := fenceBody(old)
	if !ok {
		return "", "", false
	}
	if n, ok := fenceBody(new); ok {
		new = n
	}
	return o, new, true
}

func fenceBody(text string) (string, bool) {
	body := strings.TrimSpace(text)
	first, rest, ok := strings.Cut(body, "\n")
	if !ok || !strings.HasPrefix(first, "```") || strings.Contains(first[3:], "`") {
		return "", false
	}
	rest = "\n" + rest
	i := strings.LastIndexByte(rest, '\n')
	if strings.TrimSpace(rest[i:]) != "```" {
		return "", false
	}
	return strings.TrimPrefix(rest[:i], "\n"), true
}

// numberedLines are what tools that read files print before a line. A blank
// behind the separator may be its own or the line's: both are readings.
var numberedLines = []*regexp.Regexp{
	regexp.MustCompile(`^ *\d{1,7}→`),
	regexp.MustCompile(`^ *\d{1,7}\t`),
	regexp.MustCompile(`^ *L?\d{1,7}:`),
	regexp.MustCompile(`^ *L?\d{1,7}:(?: |$)`),
	regexp.MustCompile(`^ *\d{1,7}\|`),
	regexp.MustCompile(`^ *\d{1,7}\|(?: |$)`),
	regexp.MustCompile(`^ *\d{1,7} \|(?: |$)`),
}

// unnumbered removes line numbers that count up.
func unnumbered(prefix *regexp.Regexp, old, new string) (string, string, bool) {
	o, ok := withoutNumbers(prefix, old, true)
	if !ok {
		return "", "", false
	}
	n, ok := withoutNumbers(prefix, new, false)
	switch {
	case ok:
		return o, n, true
	case hasNumbers(prefix, new):
		return "", "", false // on some lines only: the meaning is unclear
	}
	return o, new, true
}

// withoutNumbers is false when a line has no number, or when the numbers must
// count up and do not.
func withoutNumbers(prefix *regexp.Regexp, text string, consecutive bool) (string, bool) {
	lines := strings.Split(text, "\n")
	last := -1
	for i, line := range lines {
		if i == len(lines)-1 && i > 0 && line == "" {
			continue
		}
		found := prefix.FindString(strings.TrimSuffix(line, "\r"))
		number, err := strconv.Atoi(strings.TrimRight(strings.TrimLeft(found, " L"), "→\t:| "))
		if err != nil || consecutive && last >= 0 && number != last+1 {
			return "", false
		}
		last = number
		lines[i] = line[len(found):]
	}
	return strings.Join(lines, "\n"), true
}

func hasNumbers(prefix *regexp.Regexp, text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if prefix.MatchString(line) {
			return true
		}
	}
	return false
}

// unescaped reads a text that is written as a JSON string would be.
func unescaped(old, new string) (string, string, bool) {
	if !looksEscaped(old) {
		return "", "", false
	}
	o, ok := unescape(old)
	if !ok {
		return "", "", false
	}
	if bareQuote(old) {
		return "", "", false
	}
	escaped := strings.Contains(new, `\"`)
	switch lines := strings.Contains(strings.TrimRight(new, "\n"), "\n"); {
	case bareQuote(new) && escaped:
		return "", "", false // some quotes only
	case lines || bareQuote(new):
		return o, new, true // written plainly
	}
	n, ok := unescape(new)
	return o, n, ok
}

// bareQuote reports whether a text has a quote without a backslash.
func bareQuote(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return true
		}
	}
	return false
}

// looksEscaped is one line that has escapes for the ends of its lines, or for
// its tabs or quotes.
func looksEscaped(text string) bool {
	body := strings.TrimRight(text, "\n")
	return !strings.Contains(body, "\n") &&
		(strings.Contains(body, `\n`) || strings.Contains(body, `\t`) || strings.Contains(body, `\"`))
}

func unescape(text string) (string, bool) {
	quoted := make([]byte, 0, len(text)+2)
	quoted = append(quoted, '"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == '\'':
			quoted = append(quoted, '\'')
			i++
		case c == '\\' && i+1 < len(text):
			quoted = append(quoted, c, text[i+1])
			i++
		case c == '"':
			quoted = append(quoted, '\\', '"')
		case c == '\t':
			quoted = append(quoted, '\\', 't')
		case c == '\r':
			quoted = append(quoted, '\\', 'r')
		case c == '\n':
			quoted = append(quoted, '\\', 'n')
		default:
			quoted = append(quoted, c)
		}
	}
	var plain string
	if json.Unmarshal(append(quoted, '"'), &plain) != nil {
		return "", false
	}
	return plain, true
}

// unquoted removes the backslashes before quotes, when every quote has one.
func unquoted(old, new string) (string, string, bool) {
	o, ok := plainQuotes(old)
	if !ok {
		return "", "", false
	}
	n, ok := plainQuotes(new)
	switch {
	case ok:
		return o, n, true
	case strings.Contains(new, `\"`) || strings.Contains(new, `\'`):
		return "", "", false // some quotes only
	}
	return o, new, true
}

func plainQuotes(text string) (string, bool) {
	plain := text
	for _, quote := range []string{`"`, `'`} {
		escaped := strings.Count(text, `\`+quote)
		if escaped > 0 && escaped == strings.Count(text, quote) {
			plain = strings.ReplaceAll(plain, `\`+quote, quote)
		}
	}
	return plain, plain != text
}

var entity = regexp.MustCompile(`&(?:lt|gt|amp|quot|apos|nbsp|#39|#34|#x27|#x22);`)

// unentitled reads the entities of HTML, when the characters that they stand
// for are nowhere written plainly.
func unentitled(old, new string) (string, string, bool) {
	if !entity.MatchString(old) || mixedEntities(old) {
		return "", "", false
	}
	if entity.MatchString(new) {
		if mixedEntities(new) {
			return "", "", false
		}
		new = plainEntities(new)
	}
	return plainEntities(old), new, true
}

func plainEntities(text string) string {
	return entity.ReplaceAllStringFunc(text, func(e string) string {
		if e == "&nbsp;" {
			return " "
		}
		return html.UnescapeString(e)
	})
}

func mixedEntities(text string) bool {
	rest := entity.ReplaceAll([]byte(text), nil)
	return bytes.ContainsAny(rest, "<>") && entity.MatchString(text) && strings.ContainsAny(plainEntities(entity.FindString(text)), "<>&")
}
