// Package toolname builds, checks and takes apart the names of tools, and gives
// the tools of other programs names that every model provider accepts.
package toolname

import (
	"errors"
	"fmt"
	"strings"
)

const (
	separator = "__"
	// maxLength is what every model provider accepts.
	maxLength = 64
)

// Build joins a resource and an export to the name a model calls, such as
// bash__exec.
func Build(resource, export string) (string, error) {
	if err := checkPart("resource", resource); err != nil {
		return "", err
	}
	if err := checkPart("export", export); err != nil {
		return "", err
	}
	if strings.HasSuffix(resource, "_") {
		return "", fmt.Errorf("resource name %q must not end in \"_\"", resource)
	}
	if strings.HasPrefix(export, "_") {
		return "", fmt.Errorf("export name %q must not start with \"_\"", export)
	}
	name := resource + separator + export
	if len(name) > maxLength {
		return "", fmt.Errorf("tool name %q has %d characters, at most %d are allowed", name, len(name), maxLength)
	}
	return name, nil
}

// Parse takes a name apart again. It is for reading names people typed;
// the owner of a tool is its source and is never parsed from a string.
func Parse(name string) (resource, export string, ok bool) {
	resource, export, ok = strings.Cut(name, separator)
	if !ok {
		return "", "", false
	}
	if built, err := Build(resource, export); err != nil || built != name {
		return "", "", false
	}
	return resource, export, true
}

func checkPart(what, part string) error {
	if part == "" {
		return fmt.Errorf("%s name is empty", what)
	}
	if strings.Contains(part, separator) {
		return fmt.Errorf("%s name %q must not contain %q", what, part, separator)
	}
	return checkCharset(part)
}

func checkCharset(s string) error {
	for _, r := range s {
		if !isNameRune(r) {
			return fmt.Errorf("%q contains %q; use letters, digits, \"_\" and \"-\"", s, r)
		}
	}
	return nil
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// ErrPlain is the error of [Check] for a name without a separator.
var ErrPlain = errors.New("name has no resource part")

// Check refuses a name that some provider would refuse. A legal name without a
// resource part is [ErrPlain]: it depends on the tool's owner whether it may
// have one.
func Check(name string) error {
	switch {
	case name == "":
		return errors.New("is empty")
	case len(name) > maxLength:
		return fmt.Errorf("has %d characters, at most %d are allowed", len(name), maxLength)
	}
	if err := checkCharset(name); err != nil {
		if dotted := strings.ReplaceAll(name, ".", separator); dotted != name {
			if _, _, ok := Parse(dotted); ok {
				return fmt.Errorf("%w: write %q", err, dotted)
			}
		}
		return err
	}
	if _, _, ok := Parse(name); ok {
		return nil
	}
	if strings.Contains(name, separator) {
		return fmt.Errorf("%q stands once, between resource and export", separator)
	}
	return ErrPlain
}

// IsMapped reports whether name is one that [Map.Import] made of an upstream's
// original name without a resource.
func IsMapped(name, original string) bool {
	return strings.HasSuffix(name, hashOf("", original))
}
