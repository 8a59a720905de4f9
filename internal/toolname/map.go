package toolname

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
)

const (
	minLimit = 32
	// hashLength is the hex digits that keep shortened names apart.
	hashLength = 8
)

// Map gives upstream tools names that every provider accepts, and finds
// the upstream's own name again. The same input always gives the same name,
// whatever was imported before it. The zero value is ready.
type Map struct {
	// Max is the longest name to give: 64 by default, at least 32, because
	// the hash that keeps names apart needs its room.
	Max int

	mu        sync.RWMutex
	originals map[string]imported
}

type imported struct{ resource, name string }

// Import returns the name for an upstream's tool. A legal name is kept; one
// that had to be changed or cut ends in a hash of the original.
func (m *Map) Import(resource, name string) (string, error) {
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

// Original returns the resource and the upstream's name of an imported name.
func (m *Map) Original(mapped string) (resource, name string, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	original, ok := m.originals[mapped]
	return original.resource, original.name, ok
}

func (m *Map) mapName(resource, name string) string {
	limit := maxLength
	if m.Max > 0 {
		limit = max(minLimit, min(m.Max, maxLength))
	}
	if resource == "" {
		if err := Check(name); len(name) <= limit && (err == nil || errors.Is(err, ErrPlain)) {
			return name
		}
		if dotted := strings.Replace(name, ".", separator, 1); len(dotted) <= limit {
			if _, _, ok := Parse(dotted); ok {
				return dotted
			}
		}
		return hashed("", name, limit)
	}
	if built, err := Build(resource, name); err == nil && len(built) <= limit {
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
		prefix = clean(resource, limit/2) + separator
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
