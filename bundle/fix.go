package bundle

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Fix adds the apiVersion to the files of a bundle for which the diagnostics say
// that it is missing, and returns those that it changed. It does not change
// installed packages.
func Fix(path string, diagnostics Diagnostics) (fixed []string, err error) {
	dir := path
	if !fsx.IsDir(path) {
		dir = filepath.Dir(path)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("fix %s: %w", path, err)
	}
	for _, d := range diagnostics {
		if d.Code != CodeUnsupportedAPIVersion || slices.Contains(fixed, d.File) {
			continue
		}
		changed, err := fixFile(dir, d.File)
		if err != nil {
			return fixed, fmt.Errorf("fix %s: %w", d.File, err)
		}
		if changed {
			fixed = append(fixed, d.File)
		}
	}
	return fixed, nil
}

func fixFile(dir, name string) (changed bool, err error) {
	place, err := fsx.Space{Workdir: dir}.At(filepath.FromSlash(name))
	if err != nil {
		return false, err
	}
	defer func() { _ = place.Close() }() // what was written is complete by then
	if _, err := place.Stat(); os.IsNotExist(err) {
		return false, nil // the file of a package
	}
	raw, _, more, err := place.Head(maxFileBytes)
	if err != nil || more {
		return false, err
	}
	raw, changed = addAPIVersion(raw)
	if !changed {
		return false, nil
	}
	_, err = place.Write(raw)
	return err == nil, err
}

// CodeNotChecked marks checks that only running a module could make.
const CodeNotChecked = "I_CONFIG_NOT_CHECKED"

// NotChecked reports the checks of seed 001 §15 that a load does not make: what a
// script exports is known only when it runs, and a load runs nothing.
func (b *Bundle) NotChecked(language string) Diagnostics {
	l := lang.Of(language)
	var notes Diagnostics
	note := func(m *Meta, message string) {
		at := m.Position
		notes = append(notes, Diagnostic{
			Code: CodeNotChecked, Severity: SeverityInfo, Message: message,
			Path: at.Path, File: at.File, Line: at.Line, Column: at.Column,
			Suggestion: lang.CLIHintNotChecked.In(l),
		})
	}
	for _, item := range b.items {
		switch r := item.(type) {
		case *Tool:
			if r.Module.Builtin == "" {
				var names []string
				for _, export := range r.Spec.Exports {
					names = append(names, export.Name)
				}
				note(&r.Meta, lang.CLINotChecked.In(l, r.Module.Path, strings.Join(names, ", ")))
			}
		case *Extension:
			if r.Module.Builtin == "" {
				note(&r.Meta, lang.CLINotCheckedExt.In(l, r.Module.Path))
			}
		}
	}
	return notes
}

// addAPIVersion writes the apiVersion into the resources of a file that lack
// one, and changes nothing else. It reports whether it changed anything; a
// file that is not valid YAML is left alone.
func addAPIVersion(src []byte) ([]byte, bool) {
	if len(src) > maxFileBytes {
		return src, false
	}
	r := &reporter{}
	docs, whole := parse(r, "", src, nil)
	if !whole {
		return src, false
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	changed := false
	// From the end, so that the lines before keep their numbers.
	for _, doc := range slices.Backward(docs) {
		n := doc.value()
		if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
			continue
		}
		first := n.Content[0]
		if field(n, "kind") == nil || hasKey(n, "apiVersion") || first.Line < 1 || first.Line > len(lines) {
			continue
		}
		line := strings.Repeat(" ", first.Column-1) + "apiVersion: " + APIVersion + "\n"
		lines = slices.Insert(lines, first.Line-1, []byte(line))
		changed = true
	}
	return bytes.Join(lines, nil), changed
}

// hasKey also finds a field without a value.
func hasKey(n *yaml.Node, name string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if deref(n.Content[i]).Value == name {
			return true
		}
	}
	return false
}
