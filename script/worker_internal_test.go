package script

import (
	"slices"
	"testing"
)

// K2: bun reads bunfig.toml and .env of the folder that it starts in, and installs
// what a module imports, unless its command line forbids it. The folder is the
// caller's, and consent does not cover it.
func TestK2_BunReadsNoSettingsOfTheFolder(t *testing.T) {
	got := workerCommand(RuntimeBun, "bun", "source", 64<<20)
	for _, flag := range []string{"--no-install", "--no-env-file", "--config=/dev/null"} {
		if i := slices.Index(got, flag); i < 1 || i > slices.Index(got, "-e") {
			t.Errorf("%s is missing, or is after the program: %q", flag, got)
		}
	}
}
