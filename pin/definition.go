package pin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Definition is a tool as a source describes it.
type Definition struct {
	// Name is the source's own.
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema,omitempty"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
	// Raw is all of it, byte for byte.
	Raw json.RawMessage `json:"-"`

	// sum is the digest of one that was kept and has been compared with it.
	sum string
}

// ParseDefinition reads a tool of an MCP list. Fields it does not know are
// kept in Raw and are not part of the pin.
func ParseDefinition(raw json.RawMessage) (Definition, error) {
	var d Definition
	if err := json.Unmarshal(raw, &d); err != nil {
		return Definition{}, fmt.Errorf("definition: %w", err)
	}
	if d.Name == "" {
		return Definition{}, errors.New("definition: there is no name")
	}
	d.Raw = bytes.Clone(raw)
	return d, nil
}

// Canonical is what the pin covers, in the one form that equal definitions
// share: keys sorted, numbers and strings as RFC 8785 writes them.
func (d Definition) Canonical() ([]byte, error) {
	encoded, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("definition %q: %w", d.Name, err)
	}
	value := jsontext.Value(encoded)
	if err := value.Canonicalize(); err != nil {
		return nil, fmt.Errorf("definition %q: %w", d.Name, err)
	}
	return value, nil
}

// Digest is the fingerprint that the lock file has.
func (d Definition) Digest() (string, error) {
	canonical, err := d.Canonical()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// bytes is Raw, or what stands for it when the source has a form of its own.
func (d Definition) bytes() (json.RawMessage, error) {
	if len(d.Raw) > 0 {
		return d.Raw, nil
	}
	return d.Canonical()
}

// Launch is how a source is reached. Values of the environment are secrets and
// are not part of it.
type Launch struct {
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Env     []string `json:"env,omitempty"`
	URL     string   `json:"url,omitempty"`
}

func (l Launch) equal(other Launch) bool {
	a, errA := json.Marshal(l)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
