package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
)

// A bundle that was read already is used as it is, and is read again by a reload.
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
	h, err := host.Open(t.Context(), dir, &host.Options{StateRoot: t.TempDir(), Loaded: loaded})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if h.Bundle() != loaded {
		t.Error("another bundle is open")
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
