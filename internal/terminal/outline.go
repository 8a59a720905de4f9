package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Outline formats JSON for a person: one line for each value, in the order of the
// input, and a text of several lines as these lines. Empty fields are left out.
// Invalid JSON is returned as it is, with [VisibleLines].
func Outline(raw json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	o := outliner{decoder: decoder}
	if err := o.value("  ", ""); err != nil {
		return VisibleLines(string(raw)) + "\n"
	}
	return o.text.String()
}

type outliner struct {
	decoder *json.Decoder
	text    strings.Builder
}

// value writes the next value after a label, such as "name: " or "- ", whose
// first line begins with the indentation before it.
func (o *outliner) value(indent, label string) error {
	token, err := o.decoder.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		return o.group(indent, label, token)
	case string:
		o.words(indent, label, token)
	default:
		if token == nil {
			if isField(label) {
				return nil
			}
			token = "null"
		}
		o.line(indent, label+fmt.Sprint(token))
	}
	return nil
}

func isField(label string) bool {
	return strings.HasSuffix(label, ": ") && !strings.HasPrefix(label, "- ")
}

// group writes an object or a list below its label.
func (o *outliner) group(indent, label string, open json.Delim) error {
	if !o.decoder.More() {
		if !isField(label) {
			o.line(indent, label+map[json.Delim]string{'{': "{}", '[': "[]"}[open])
		}
		_, err := o.decoder.Token()
		return err
	}
	inner, first := indent, ""
	switch {
	case strings.HasSuffix(label, "- "):
		// The first value of an item is on the line of its dash.
		inner, first = indent+"  ", label
	case label != "":
		o.line(indent, strings.TrimSpace(label))
		inner = indent + "  "
	}
	for o.decoder.More() {
		item, before := "- ", inner
		if open == '{' {
			key, err := o.decoder.Token()
			if err != nil {
				return err
			}
			item = Visible(fmt.Sprint(key)) + ": "
		}
		if first != "" {
			item, before, first = first+item, indent, ""
		}
		if err := o.value(before, item); err != nil {
			return err
		}
	}
	_, err := o.decoder.Token()
	return err
}

// words writes a text beside its label, or below it when it has several lines.
func (o *outliner) words(indent, label, text string) {
	if !strings.Contains(text, "\n") {
		o.line(indent, label+VisibleTabs(text))
		return
	}
	if label != "" {
		o.line(indent, strings.TrimSpace(label))
		indent += strings.Repeat(" ", max(4, len(label)-len(strings.TrimLeft(label, "- "))+2))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		o.line(indent, VisibleTabs(line))
	}
}

func (o *outliner) line(indent, text string) {
	o.text.WriteString(indent + strings.TrimRight(text, " ") + "\n")
}

// VisibleTabs is [Visible] with tabs as they are: a line of a file is to be copied.
func VisibleTabs(text string) string {
	parts := strings.Split(text, "\t")
	for i, part := range parts {
		parts[i] = Visible(part)
	}
	return strings.Join(parts, "\t")
}
