package near

import (
	"slices"
	"strings"
	"testing"
)

// prefixRule is the rule that seed 000 prints: names that begin with the first
// four letters, or contain the name without its last letter.
func prefixRule(name string, names []string) []string {
	var similar []string
	for _, t := range names {
		if strings.HasPrefix(t, name[:min(4, len(name))]) || strings.Contains(t, name[:len(name)-1]) {
			similar = append(similar, t)
		}
	}
	return similar
}

// Seed 000, D3 and AC5: the printed rule does not give the printed answer. It
// gives four names for draw_rectangle, where the seed wants one, and none for a
// slip within the first four letters.
func TestSeed000_PrefixRule(t *testing.T) {
	seed := strings.Fields(`draw_rect draw_circle draw_line draw_arc set_stroke set_fill remove_stroke remove_fill
		export_json list_entities get_entity get_scene_info list_domains list_tools get_tool_schema request_tool`)
	if got := prefixRule("draw_rectangle", seed); len(got) != 4 {
		t.Errorf("the rule of the seed gives %q", got)
	}
	if got := Names("draw_rectangle", slices.Values(seed), 3); !slices.Equal(got, []string{"draw_rect"}) {
		t.Errorf("got %q", got)
	}
	if got := prefixRule("darw_rect", seed); len(got) != 0 {
		t.Errorf("the rule of the seed gives %q", got)
	}
	if got := Names("darw_rect", slices.Values(seed), 3); len(got) == 0 || got[0] != "draw_rect" {
		t.Errorf("got %q", got)
	}
	// Behind a namespace the first four letters say nothing: one letter too
	// many at the end of each tool of a server with 40.
	var server []string
	for _, verb := range strings.Fields("create update delete list get") {
		for _, noun := range strings.Fields("issue label branch commit release review comment user") {
			server = append(server, "github__"+verb+"_"+noun)
		}
	}
	rule, ours := 0, 0
	for _, name := range server {
		rule += len(prefixRule(name+"x", server))
		got := Names(name+"x", slices.Values(server), 3)
		ours += len(got)
		if len(got) == 0 || got[0] != name {
			t.Errorf("Names(%q) = %q", name+"x", got)
		}
	}
	if rule != 40*len(server) || ours > 3*len(server) {
		t.Errorf("%d names by the rule of the seed, %d by ours", rule, ours)
	}
}
