package pin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// Change is one place where two definitions differ. Was or Now is empty when
// the place is not there.
type Change struct {
	Path string          `json:"path"`
	Was  json.RawMessage `json:"was,omitempty"`
	Now  json.RawMessage `json:"now,omitempty"`
}

// String is the change as two lines.
func (c Change) String() string {
	var out strings.Builder
	out.WriteString(c.Path + ":")
	if len(c.Was) > 0 {
		fmt.Fprintf(&out, "\n  - %s", shorten(string(c.Was)))
	}
	if len(c.Now) > 0 {
		fmt.Fprintf(&out, "\n  + %s", shorten(string(c.Now)))
	}
	return out.String()
}

const (
	maxShown   = 400
	maxChanges = 50
)

// shorten cuts a long text in the middle of nothing: at a rune.
func shorten(text string) string {
	text = Visible(text)
	if len(text) <= maxShown {
		return text
	}
	cut := maxShown
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}

// Diff lists where two definitions differ, in the order of their paths. Where they
// differ in many places it lists whole members instead: who accepts a definition
// must see every difference.
func Diff(was, now Definition) ([]Change, error) {
	before, err := tree(was)
	if err != nil {
		return nil, err
	}
	after, err := tree(now)
	if err != nil {
		return nil, err
	}
	return differences("", before, after), nil
}

func tree(d Definition) (any, error) {
	canonical, err := d.Canonical()
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(canonical, &value); err != nil {
		return nil, fmt.Errorf("definition %q: %w", d.Name, err)
	}
	return value, nil
}

// DiffJSON lists where two JSON values differ, like [Diff].
func DiffJSON(was, now json.RawMessage) []Change {
	var before, after any
	if json.Unmarshal(was, &before) != nil || json.Unmarshal(now, &after) != nil {
		return []Change{{Was: was, Now: now}}
	}
	return differences("", before, after)
}

// differences lists where two values differ.
func differences(path string, was, now any) []Change {
	var changes []Change
	if compare(path, was, now, &changes); len(changes) < maxChanges {
		return changes
	}
	before, isObject := was.(map[string]any)
	after, isToo := now.(map[string]any)
	if !isObject || !isToo {
		return changes // one change
	}
	changes = nil
	members := maps.Clone(before)
	maps.Copy(members, after)
	for _, key := range slices.Sorted(maps.Keys(members)) {
		a, b := textOf(before, key), textOf(after, key)
		if string(a) != string(b) {
			changes = append(changes, Change{Path: strings.TrimPrefix(jsonx.JoinKey(path, key), "."), Was: a, Now: b})
		}
	}
	return changes
}

// textOf returns a member as JSON, nil when it is not there.
func textOf(object map[string]any, key string) json.RawMessage {
	if value, ok := object[key]; ok {
		return jsonx.Text(value)
	}
	return nil
}

// compare goes into what both have, and reports the rest whole. It stops at
// maxChanges.
func compare(path string, was, now any, out *[]Change) {
	if len(*out) >= maxChanges {
		return
	}
	before, isObject := was.(map[string]any)
	after, isToo := now.(map[string]any)
	if !isObject || !isToo {
		a, b := jsonx.Text(was), jsonx.Text(now)
		if string(a) != string(b) {
			*out = append(*out, Change{Path: path, Was: a, Now: b})
		}
		return
	}
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		inner := strings.TrimPrefix(jsonx.JoinKey(path, key), ".")
		a, hasA := before[key]
		b, hasB := after[key]
		switch {
		case !hasA:
			*out = append(*out, Change{Path: inner, Now: jsonx.Text(b)})
		case !hasB:
			*out = append(*out, Change{Path: inner, Was: jsonx.Text(a)})
		default:
			compare(inner, a, b, out)
		}
	}
}
