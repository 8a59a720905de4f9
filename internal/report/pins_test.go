package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/pin"
)

// S4: the question of pins accept shows all that the pin covers, also of a tool
// that is new while its source is started differently, and of one whose accepted
// text is not known.
func TestS4_AcceptShowsTheWholeDefinition(t *testing.T) {
	d := pin.Definition{
		Name: "x", Title: "the title", Description: "the description", Input: json.RawMessage(`{"in":1}`), Output: json.RawMessage(`{"out":1}`),
		Annotations: json.RawMessage(`{"readOnlyHint":true}`), Extra: json.RawMessage(`{"icons":["the icon"]}`),
	}
	moved := []pin.Change{{Path: pin.LaunchPath + "command", Was: json.RawMessage(`"a"`), Now: json.RawMessage(`"b"`)}}
	for name, v := range map[string]pin.Verdict{
		"new":                      {State: pin.New},
		"flagged":                  {State: pin.Flagged},
		"new and moved":            {State: pin.Moved, Changes: moved},
		"moved without a text":     {State: pin.Moved, Changes: moved, Pinned: "sha256:other"},
		"changed without its text": {State: pin.Changed, Pinned: "sha256:other"},
	} {
		v.Source, v.Name, v.Listed, v.Show = "McpServer/s", "x", "sha256:listed", d
		shown := (&Texts{}).PinDiff([]pin.Verdict{v})
		for _, part := range []string{"the title", "the description", `{"in":1}`, `{"out":1}`, `{"readOnlyHint":true}`, "the icon"} {
			if !strings.Contains(shown, part) {
				t.Errorf("%s: no %s in\n%s", name, part, shown)
			}
		}
	}
}
