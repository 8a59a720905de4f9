package policy

import (
	"testing"

	"github.com/gongu-ai/gongu"
)

// P4: a caller's own mode replaces that of the process, in both directions; plan on the
// process holds for all.
func TestP4_ModeOfACaller(t *testing.T) {
	for _, tc := range []struct {
		process Mode
		own     string
		want    Mode
	}{
		{"", "", ""}, {Bypass, "", Bypass}, {Bypass, "default", Default}, {Bypass, "plan", Plan},
		{"", "edits", Edits}, {Default, "bypass", Bypass}, {Plan, "bypass", Plan}, {Edits, "everything", Default},
	} {
		if got := tc.process.For(&gongu.Principal{Permission: tc.own}); got != tc.want {
			t.Errorf("process %q, caller %q: %q, want %q", tc.process, tc.own, got, tc.want)
		}
	}
	if Bypass.For(nil) != Bypass || Plan.Stricter(Bypass) != Plan || Bypass.Stricter("") != Default {
		t.Error("the program itself, or the order")
	}
}
