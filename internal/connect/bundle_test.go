package connect

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu/bundle"
)

func testOptions() *Options {
	return &Options{
		Getenv: func(string) string { return "" },
		Load: func(path string) (*bundle.Bundle, error) {
			b, diagnostics := bundle.Load(path, nil)
			return b, diagnostics.Err()
		},
	}
}

// A file that somebody else changed between reading and writing is not
// overwritten.
func TestReplaceFileKeepsOthersChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		old     string
		existed bool
	}{{"what we read", true}, {"", false}} {
		if err := replaceFile(path, []byte(test.old), test.existed, []byte("ours"), 0o600); !errors.Is(err, errChangedMeanwhile) {
			t.Errorf("%+v: got %v", test, err)
		}
	}
	gone := filepath.Join(t.TempDir(), "gone.json")
	if err := replaceFile(gone, []byte("x"), true, []byte("ours"), 0o600); !errors.Is(err, errChangedMeanwhile) {
		t.Errorf("a file that went away: got %v", err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "theirs" {
		t.Errorf("%q, %v", raw, err)
	}
}

// A bundle that would not load with the new resources is put back.
func TestWriteChangesRestores(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // nothing is left on this machine
	dir := t.TempDir()
	path := filepath.Join(dir, bundleFile)
	before := "# mine\napiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: one}\nspec: {command: one}\n"
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	o := testOptions()
	for _, existed := range []bool{true, false} {
		if !existed {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		target, err := o.targetOf(dir)
		if err != nil {
			t.Fatal(err)
		}
		plan := &importPlan{target: target, added: []*candidate{{kind: kindServer, name: "not__allowed", spec: serverSpec{Command: "x"}}}}
		_, err = o.apply(plan)
		if _, ok := errors.AsType[*WriteError](err); !ok {
			t.Errorf("got %v", err)
		}
		raw, err := os.ReadFile(path)
		if existed && (err != nil || string(raw) != before) {
			t.Errorf("%q, %v", raw, err)
		}
		if !existed && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the new file is still there: %q, %v", raw, err)
		}
	}
}
