package gongu

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
)

const (
	nameSeparator = "__"
	// maxNameLength is what every model provider accepts.
	maxNameLength = 64
	minNameLimit  = 32
	// hashLength is the hex digits that keep shortened names apart.
	hashLength = 8
)

// BuildName joins a resource and an export to the name a model calls, such as
// bash__exec.
func BuildName(resource, export string) (string, error) {
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
	name := resource + nameSeparator + export
	if len(name) > maxNameLength {
		return "", fmt.Errorf("tool name %q has %d characters, at most %d are allowed", name, len(name), maxNameLength)
	}
	return name, nil
}

// ParseName takes a name apart again. It is for reading names people typed;
// the owner of a tool is its [Source] and is never parsed from a string.
func ParseName(name string) (resource, export string, ok bool) {
	resource, export, ok = strings.Cut(name, nameSeparator)
	if !ok {
		return "", "", false
	}
	if built, err := BuildName(resource, export); err != nil || built != name {
		return "", "", false
	}
	return resource, export, true
}

func checkPart(what, part string) error {
	if part == "" {
		return fmt.Errorf("%s name is empty", what)
	}
	if strings.Contains(part, nameSeparator) {
		return fmt.Errorf("%s name %q must not contain %q", what, part, nameSeparator)
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

// checkToolName refuses a name that some provider would refuse, or that would
// not say whose tool it is.
func checkToolName(name string, source Source) error {
	switch {
	case name == "":
		return errors.New("is empty")
	case len(name) > maxNameLength:
		return fmt.Errorf("has %d characters, at most %d are allowed", len(name), maxNameLength)
	}
	if err := checkCharset(name); err != nil {
		if dotted := strings.ReplaceAll(name, ".", nameSeparator); dotted != name {
			if _, _, ok := ParseName(dotted); ok {
				return fmt.Errorf("%w: write %q", err, dotted)
			}
		}
		return err
	}
	if _, _, ok := ParseName(name); ok {
		return nil
	}
	if strings.Contains(name, nameSeparator) {
		return fmt.Errorf("%q stands once, between resource and export", nameSeparator)
	}
	if mayBePlain(name, source) {
		return nil
	}
	return fmt.Errorf("a tool of %s needs the form resource%sexport", source.Identity(), nameSeparator)
}

// mayBePlain holds for tools whose owner is the program itself or a person,
// and for an upstream that is served under its own names, legal or mapped.
func mayBePlain(name string, source Source) bool {
	switch source.Type {
	case "go", "macro":
		return true
	case "mcp", "command":
		return source.Original == name || strings.HasSuffix(name, hashOf("", source.Original))
	}
	return false
}

// NameMap gives upstream tools names that every provider accepts, and finds
// the upstream's own name again. The same input always gives the same name,
// whatever was imported before it. The zero value is ready.
type NameMap struct {
	// Max is the longest name to give: 64 by default, at least 32, because
	// the hash that keeps names apart needs its room.
	Max int

	mu        sync.RWMutex
	originals map[string]imported
}

type imported struct{ resource, name string }

// Import returns the name for an upstream's tool. A legal name is kept; one
// that had to be changed or cut ends in a hash of the original.
func (m *NameMap) Import(resource, name string) (string, error) {
	if name == "" {
		return "", errors.New("the upstream tool has no name")
	}
	mapped := m.mapName(resource, name)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.originals == nil {
		m.originals = make(map[string]imported)
	}
	original := imported{resource, name}
	if other, taken := m.originals[mapped]; taken && other != original {
		return "", fmt.Errorf("tool %q would get the name %q, which %q of %q already has", name, mapped, other.name, other.resource)
	}
	m.originals[mapped] = original
	return mapped, nil
}

// Original returns what an imported name stands for.
func (m *NameMap) Original(mapped string) (resource, name string, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	original, ok := m.originals[mapped]
	return original.resource, original.name, ok
}

func (m *NameMap) mapName(resource, name string) string {
	limit := maxNameLength
	if m.Max > 0 {
		limit = max(minNameLimit, min(m.Max, maxNameLength))
	}
	if resource == "" {
		if len(name) <= limit && checkToolName(name, Source{Type: "go"}) == nil {
			return name
		}
		if dotted := strings.Replace(name, ".", nameSeparator, 1); len(dotted) <= limit {
			if _, _, ok := ParseName(dotted); ok {
				return dotted
			}
		}
		return hashed("", name, limit)
	}
	if built, err := BuildName(resource, name); err == nil && len(built) <= limit {
		return built
	}
	return hashed(resource, name, limit)
}

// hashed makes a legal name from an illegal or long one. The hash is of the
// original, so two originals that clean up to the same text stay apart.
func hashed(resource, name string, limit int) string {
	suffix := hashOf(resource, name)
	prefix := ""
	if resource != "" {
		prefix = clean(resource, limit/2) + nameSeparator
	}
	return prefix + clean(name, limit-len(prefix)-len(suffix)) + suffix
}

// hashOf ends the name that is given in place of an illegal or long one.
func hashOf(resource, name string) string {
	sum := sha256.Sum256([]byte(resource + "\x00" + name))
	return "_" + hex.EncodeToString(sum[:])[:hashLength]
}

// clean keeps the legal characters, one "_" for each run of others.
func clean(s string, limit int) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case isNameRune(r) && r != '_':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() >= limit {
			break
		}
	}
	if cleaned := strings.Trim(b.String(), "_"); cleaned != "" {
		return cleaned
	}
	return "x"
}
