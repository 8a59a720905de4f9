package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
)

// The starter bundle holds the same resources in both languages; what people
// and models read may differ.
func TestStarterInBothLanguages(t *testing.T) {
	type summary struct {
		Identity, Entry, Workdir, Model string
		Labels                          map[string]string
		Limit                           int
		Tools                           []string
	}
	read := func(l lang.Lang) []summary {
		path := filepath.Join(t.TempDir(), bundleFile)
		if err := writeNew(path, lang.Starter(l)); err != nil {
			t.Fatal(err)
		}
		b, diagnostics := bundle.Load(path, &bundle.Options{Strict: true, Builtins: host.Builtins()})
		if b == nil || len(diagnostics.Only(bundle.SeverityInfo)) < len(diagnostics) {
			t.Fatalf("%s: %v", l, diagnostics)
		}
		var all []summary
		for _, item := range b.Items() {
			s := summary{Identity: item.Head().Identity(), Labels: item.Head().Labels}
			switch r := item.(type) {
			case *bundle.Tool:
				s.Entry, s.Limit = r.Spec.Entry, r.Spec.ErrorMessageLimit
				for _, export := range r.Spec.Exports {
					s.Tools = append(s.Tools, export.Name)
				}
			case *bundle.Agent:
				s.Workdir = r.Spec.Workdir
				for _, tool := range r.Spec.Tools {
					s.Tools = append(s.Tools, tool.String())
				}
				if r.System == "" {
					t.Errorf("%s: the agent has no prompt", l)
				}
			case *bundle.Model:
				s.Model = r.Spec.Provider + " " + r.Spec.Model
			}
			all = append(all, s)
		}
		return all
	}
	if diff := cmp.Diff(read(lang.English), read(lang.Korean)); diff != "" {
		t.Errorf("en and ko differ (-en +ko):\n%s", diff)
	}
}
