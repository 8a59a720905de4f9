package pin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// Definition is a tool as a source describes it.
type Definition struct {
	// Name is the name of the tool at its source.
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema,omitempty"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
	// Extra are all other members, such as icons, as one object. They are passed
	// on to clients, so they are pinned and read like the rest.
	Extra json.RawMessage `json:"-"`
	// Meta is the member _meta. Servers put what differs from list to list
	// there, so it is read by the scanner and not pinned.
	Meta json.RawMessage `json:"-"`
	// Raw is all of it, byte for byte.
	Raw json.RawMessage `json:"-"`

	// sum is the digest of one that was parsed.
	sum string
}

// ParseDefinition reads a tool of an MCP list. Names of members count as they
// are written: a reader that takes Description for description would see
// another text than those who pass the definition on. What could be read in two
// ways, such as a name that is there twice, is refused.
func ParseDefinition(raw json.RawMessage) (Definition, error) {
	d := Definition{Raw: bytes.Clone(raw)}
	err := d.read()
	if err == nil && d.Name == "" {
		err = errors.New("there is no name")
	}
	if err != nil {
		return Definition{}, fmt.Errorf("definition: %w", err)
	}
	if len(d.Meta) > 0 {
		meta := jsontext.Value(bytes.Clone(d.Meta))
		if err := meta.Canonicalize(); err != nil {
			return Definition{}, fmt.Errorf("definition %q: _meta: %w", d.Name, err)
		}
	}
	if d.sum, err = d.Digest(); err != nil {
		return Definition{}, err
	}
	return d, nil
}

// read takes Raw apart. The decoder refuses names that are there twice, at any
// depth.
func (d *Definition) read() error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(d.Raw), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadValue(); err != nil {
		return err
	}
	if len(bytes.TrimSpace(d.Raw[dec.InputOffset():])) > 0 {
		return errors.New("there is text after it")
	}
	var extra []byte
	err := rawjson.Members(d.Raw, func(literal, value json.RawMessage) (err error) {
		name := rawjson.Text(literal)
		switch name {
		case "name":
			err = json.Unmarshal(value, &d.Name)
		case "title":
			err = json.Unmarshal(value, &d.Title)
		case "description":
			err = json.Unmarshal(value, &d.Description)
		case "inputSchema":
			d.Input = value
		case "outputSchema":
			d.Output = value
		case "annotations":
			d.Annotations = value
		case "_meta":
			d.Meta = value
		default:
			extra = append(appendName(extra, name), value...)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if errors.Is(err, rawjson.ErrKind) {
		return errors.New("it is not a JSON object")
	}
	if extra != nil {
		d.Extra = append(extra, '}')
	}
	return err
}

// appendName begins the next member of an object.
func appendName(object []byte, name string) []byte {
	if object == nil {
		object = append(object, '{')
	} else {
		object = append(object, ',')
	}
	// A broken rune becomes the replacement character.
	object, _ = jsontext.AppendQuote(object, name)
	return append(object, ':')
}

// Canonical is what the pin covers, in the one form that equal definitions
// share: keys sorted, numbers and strings as RFC 8785 writes them.
func (d Definition) Canonical() ([]byte, error) {
	encoded, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("definition %q: %w", d.Name, err)
	}
	if len(d.Extra) > 0 {
		encoded = append(append(encoded[:len(encoded)-1], ','), d.Extra[1:]...)
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
	return digestText(canonical), nil
}

// digestV1 is the fingerprint that format 1 of the lock file has, which covers
// _meta as well.
func (d Definition) digestV1() string {
	if len(d.Meta) > 0 {
		d.Extra = append(append(appendName(bytes.TrimSuffix(bytes.Clone(d.Extra), []byte("}")), "_meta"), d.Meta...), '}')
	}
	sum, _ := d.Digest() // it was parsed, so it has a canonical form
	return sum
}

func digestText(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// bytes returns Raw, or the canonical form where there is none.
func (d Definition) bytes() (json.RawMessage, error) {
	if len(d.Raw) > 0 {
		return d.Raw, nil
	}
	return d.Canonical()
}
