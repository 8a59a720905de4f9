package gongu

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	strict "github.com/go-json-experiment/json"
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

// requireObjectRoot is what every provider demands of parameters.
func (s Schema) requireObjectRoot() error {
	// Not encoding/json, which would take "Type" for "type".
	var root struct {
		Type any `json:"type"`
	}
	if err := strict.Unmarshal([]byte(s), &root); err != nil {
		return fmt.Errorf("must be a JSON object with a JSON Schema: %w", err)
	}
	if root.Type != "object" {
		return errors.New(`root must have "type": "object"; wrap the value in an object property`)
	}
	return nil
}
