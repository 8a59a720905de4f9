package fsx_test

import (
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// promise B1: distinct keys never share a folder, also where case is ignored.
func TestB1SafeKeysAreDistinctFolderNames(t *testing.T) {
	keys := []string{
		"default", "a", "A", "a-b", "a b", "a/b", "a:b", "..", ".", "", "-a", "한글", "a~b", "con",
		strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 66), "a\x00b", "a\xff",
	}
	seen := map[string]string{}
	for _, key := range keys {
		name := fsx.SafeKey(key)
		if other, taken := seen[strings.ToLower(name)]; taken {
			t.Errorf("%q and %q share %s", key, other, name)
		}
		seen[strings.ToLower(name)] = key
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\:\x00") || len(name) > 80 {
			t.Errorf("%q became %q", key, name)
		}
	}
	if fsx.SafeKey("room_1-a") != "room_1-a" {
		t.Errorf("a plain key became %q", fsx.SafeKey("room_1-a"))
	}
}
