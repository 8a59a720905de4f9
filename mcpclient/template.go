package mcpclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxTemplate bounds the template of one definition, in bytes: an icon may be
// a picture and not only its address.
const maxTemplate = 64 << 10

// toolMembers are the members that the fields of a tool represent, in the order in
// which a definition is written without a template.
func toolMembers() []string {
	return []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
}

// hinted are the annotations that the fields of a tool represent.
func hinted() []string {
	return []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
}

// template returns how a server wrote a definition: see [gongu.Tool.Template].
// It is empty when nothing is lost without it. A template that cannot be passed
// on is reported and dropped; the tool stays.
func (c *Client) template(listing *Listing, e *entry) string {
	members := framed(e.members, toolMembers())
	for i, m := range members {
		if m.name == "annotations" {
			members[i].value = hints(e.annotations)
		}
	}
	if plain(members) {
		return ""
	}
	template := object(members)
	err := error(nil)
	if len(template) > maxTemplate {
		err = fmt.Errorf("they have %d bytes, at most %d are allowed", len(template), maxTemplate)
	} else if problem := jsonx.Strict(template); problem != nil {
		err = fmt.Errorf("%s: %s", strings.TrimPrefix(problem.Path, "args"), problem.Message.In(c.lang))
	}
	if err != nil {
		listing.problem(lang.McpEntryForm, c.lang, e.name, err)
		return ""
	}
	return string(template)
}

// framed are the members with null for those that a field represents. One whose
// name differs only in case is left out: some readers would take it for the
// other one.
func framed(members []member, known []string) []member {
	out := make([]member, 0, len(members))
	for i, m := range members {
		if slices.ContainsFunc(members[i+1:], func(later member) bool { return later.name == m.name }) {
			continue // as with get, the last one counts
		}
		if slices.Contains(known, m.name) {
			out = append(out, member{m.name, json.RawMessage("null")})
		} else if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, m.name) }) {
			out = append(out, m)
		}
	}
	return out
}

// hints are what annotations have beside the hints, which are null, or null
// when there is nothing else.
func hints(annotations json.RawMessage) json.RawMessage {
	if !isObject(annotations) {
		return json.RawMessage("null")
	}
	members, err := membersOf(annotations)
	if err != nil {
		return json.RawMessage("null")
	}
	members = framed(members, hinted())
	if !slices.ContainsFunc(members, func(m member) bool { return !slices.Contains(hinted(), m.name) }) {
		return json.RawMessage("null")
	}
	return object(members)
}

// plain reports whether a definition is written the same without its template.
func plain(members []member) bool {
	at := -1
	for _, m := range members {
		place := slices.Index(toolMembers(), m.name)
		if place <= at || string(m.value) != "null" {
			return false
		}
		at = place
	}
	return true
}
