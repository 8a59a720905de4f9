package gongu

import (
	"crypto/sha256"
	"encoding/hex"
)

// Schema is a JSON Schema as text. Being a string it cannot be changed by
// whoever was handed it, and it reaches the model byte for byte.
type Schema string

// anyObject is declared for a tool that says nothing about its arguments.
const anyObject Schema = `{"type":"object","properties":{}}`

// OrAnyObject returns the schema to declare: itself, or the schema of any
// object when empty.
func (s Schema) OrAnyObject() Schema {
	if s == "" {
		return anyObject
	}
	return s
}

// Digest is the SHA-256 of the schema's text, in hex.
func (s Schema) Digest() string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// MarshalJSON writes the schema as it is.
func (s Schema) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return []byte(s), nil
}

// UnmarshalJSON keeps the text as it is.
func (s *Schema) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*s = ""
		return nil
	}
	*s = Schema(raw)
	return nil
}
