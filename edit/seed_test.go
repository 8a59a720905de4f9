package edit

import (
	"strings"
	"testing"
)

// Seed 004: passes are tried from strict to loose, and the first that matches
// wins: a place that needs less overlooked is edited although a later pass
// would find another one as well.
func TestSeed004_StrictestPassWins(t *testing.T) {
	for _, tc := range []struct {
		tier    Tolerance
		content string // has the place of the tier, and one of a looser pass
		old     string
	}{
		{Exact, "x = a+b;\nx = a + b;\n", "x = a + b;"},
		{LineEnding, "if a {\n\tgo(a)  \n}\nif a {\r\n\tgo(a)\r\n}\r\n", "if a {\n\tgo(a)\n}\n"},
		{LineWhitespace, "if a {\n    go(a)\n}\nif a {\n\tgo(a)  \n}\n", "if a {\n\tgo(a)\n}"},
		{Indent, "if a {\n\tgo(a,b)\n}\nif a {\n    go(a, b)\n}\n", "if a {\n\tgo(a, b)\n}"},
		{CollapseSpaces, "x = f(a,b)\ny = 2\nx  =  f(a, b)\ny = 2\n", "x = f(a, b)\ny = 2"},
		{Tokens, "x = call(a) // later\ny = 2\nx=call(a) // soon\ny = 2\n", "x = call(a) // soon\ny = 2"},
	} {
		t.Run(tc.tier.String(), func(t *testing.T) {
			out := apply1(t, tc.content, tc.old, tc.old+"?", nil)
			if !out.OK || out.Tier != tc.tier {
				t.Fatalf("ok %v, code %q, tier %s, want %s", out.OK, out.Code, out.Tier, tc.tier)
			}
			// The place of the stricter pass is the last one in each text.
			first, _, _ := strings.Cut(tc.content, "\n")
			if !strings.HasPrefix(string(out.Content), first+"\n") || strings.Count(string(out.Content), "?") != 1 {
				t.Errorf("got %q", out.Content)
			}
		})
	}
}
