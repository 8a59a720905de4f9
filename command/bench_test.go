package command_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/command"
)

// BenchmarkParse reads 10,000 tools and puts them into a registry.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, `{"name":"tool_%d","description":"Does the thing with the number %d and says how it went.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Where it is."},"count":{"type":"integer","minimum":0}},"required":["path"]}}`+"\n", i, i)
	}
	list := []byte(text.String())
	array := []byte("[" + strings.TrimSuffix(strings.ReplaceAll(text.String(), "\n", ","), ",") + "]")
	for name, form := range map[string][]byte{"lines": list, "array": array} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				listing, err := command.Parse("prog", form)
				if err != nil || len(listing.Tools) != 10_000 {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("registry", func(b *testing.B) {
		listing, _ := command.Parse("prog", list)
		for b.Loop() {
			if err := gongu.NewRegistry(nil).Add(listing.Tools...); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDiscovered is the way from a program that lists 10,000 tools to a
// registry that has them, beside the program alone.
func BenchmarkDiscovered(b *testing.B) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, `{"name":"tool_%d","description":"Does the thing with the number %d and says how it went.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Where it is."},"count":{"type":"integer","minimum":0}},"required":["path"]}}`+"\n", i, i)
	}
	list := filepath.Join(b.TempDir(), "list.jsonl")
	if err := os.WriteFile(list, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("program", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if out, err := exec.CommandContext(b.Context(), "cat", list).Output(); err != nil || len(out) != text.Len() {
				b.Fatal(err)
			}
		}
	})
	b.Run("discovered", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			source, err := command.New(command.Config{Name: "prog", Discover: []string{"cat", list}, Call: []string{"cat"}})
			if err != nil {
				b.Fatal(err)
			}
			listing, err := source.Discover(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			registry := gongu.NewRegistry(nil)
			if err := registry.Add(listing.Tools...); err != nil || registry.Len() != 10_000 {
				b.Fatal(err, registry.Len())
			}
		}
	})
}
