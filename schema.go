package gongu

import (
	"crypto/sha256"
	"encoding/hex"
)

// Schema is a JSON Schema as text. It is a string so that it is immutable and
// reaches the model byte for byte.
type Schema string

// anyObject is the schema of a tool without one.
const anyObject Schema = `{"type":"object","properties":{}}`

// OrAnyObject returns the schema, or that of any object if it is empty.
func (s Schema) OrAnyObject() Schema {
	if s == "" {
		return anyObject
	}
	return s
}

// Digest returns the SHA-256 of the schema's text, in hex.
func (s Schema) Digest() string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// MarshalJSON returns the schema unchanged, or null if it is empty.
func (s Schema) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return []byte(s), nil
}

// UnmarshalJSON keeps the text unchanged.
func (s *Schema) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*s = ""
		return nil
	}
	*s = Schema(raw)
	return nil
}
