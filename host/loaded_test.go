package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
)

// A bundle that was read already is used as it is, must be approved, and is
// read again by a reload.
func TestOpenLoaded(t *testing.T) {
	dir := t.TempDir()
	write := func(tool string) {
		t.Helper()
		yaml := "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: " + tool + "}\nspec:\n  entry: builtin:text-transform\n  exports:\n    - {name: case}\n"
		if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	loaded, diagnostics := bundle.Load(dir, nil)
	if loaded == nil {
		t.Fatal(diagnostics)
	}
	write("second")
	var asked []*bundle.Bundle
	h, err := host.Open(t.Context(), dir, &host.Options{
		StateRoot: t.TempDir(), Loaded: loaded, Approve: func(b *bundle.Bundle) error { asked = append(asked, b); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if h.Bundle() != loaded || len(asked) != 1 || asked[0] != loaded {
		t.Errorf("another bundle is open, or was approved: %v", asked)
	}
	if _, ok := h.Registry().Get("first__case"); !ok {
		t.Error("the tool of the loaded bundle is missing")
	}
	if result := h.Reload(t.Context()); result.Err != nil {
		t.Fatal(result.Err)
	}
	if _, ok := h.Registry().Get("second__case"); !ok {
		t.Error("a reload did not read the files")
	}
}
