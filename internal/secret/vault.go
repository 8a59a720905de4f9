package secret

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// MinLength is the shortest value, in bytes, that a [Vault] remembers. A shorter
// one is part of many harmless words, and replacing it would make texts
// unreadable without protecting anything.
const MinLength = 6

// Vault remembers the secrets that a program uses and replaces them in texts. Use
// one for all texts that leave the program: errors, logs, answers. A nil Vault
// and the zero value are valid; a nil one remembers and replaces nothing.
type Vault struct {
	mu     sync.Mutex
	values map[string]string // name by value
	index  atomic.Pointer[index]
}

// Expand fills in ${env:NAME}, ${env:NAME:-default}, ${file:PATH} and
// ${keyring:NAME}, and remembers the values; $${env:NAME} becomes the text
// ${env:NAME}. Relative paths begin at dir; the keyring may be nil. Errors name the
// reference and never a value.
func (v *Vault) Expand(text, dir string, keyring Keyring) (string, error) {
	return expand(text, dir, keyring, func(kind, name, value string) {
		if kind == "env" && ordinary(name) {
			return
		}
		v.Remember(name, value)
	})
}

// Remember makes [Vault.Redact] replace a value by its name. The lines of a
// longer value, such as a private key, are replaced each. Values shorter than
// [MinLength] are not remembered.
func (v *Vault) Remember(name, value string) {
	if v == nil {
		return
	}
	values := []string{value}
	if strings.ContainsAny(value, "\r\n") {
		values = append(values, strings.FieldsFunc(value, func(r rune) bool { return r == '\r' || r == '\n' })...)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	changed := false
	for _, value := range values {
		value = strings.TrimSpace(value)
		if _, known := v.values[value]; known || len(value) < MinLength {
			continue
		}
		if v.values == nil {
			v.values = map[string]string{}
		}
		v.values[value] = "[secret " + plainName(name) + "]"
		changed = true
	}
	if changed {
		v.index.Store(newIndex(v.values))
	}
}

// RememberEnvironment remembers the values of environment variables.
func (v *Vault) RememberEnvironment(names ...string) {
	for _, name := range names {
		if !ordinary(name) {
			v.Remember(name, os.Getenv(name))
		}
	}
}

// Redact returns the text with each secret replaced by [secret NAME]. It finds a
// secret also where it is encoded: in base64, percent-encoded, quoted in JSON or
// Go, escaped in HTML.
func (v *Vault) Redact(text string) string {
	if v == nil {
		return text
	}
	known := v.index.Load()
	if known == nil {
		known = emptyIndex()
		v.index.CompareAndSwap(nil, known)
	}
	return known.replace(text)
}

// RedactJSON is [Vault.Redact] for encoded JSON. Where a secret is not inside of
// a string, so that the rest would be no JSON, the whole becomes one string. A
// value without secrets is returned as it is.
func (v *Vault) RedactJSON(raw json.RawMessage) json.RawMessage {
	text := string(raw)
	redacted := v.Redact(text)
	switch {
	case redacted == text:
		return raw
	case json.Valid([]byte(redacted)):
		return json.RawMessage(redacted)
	}
	return json.RawMessage(`"` + jsonText(redacted, false) + `"`)
}

// Error returns an error whose text is redacted. An error without secrets is
// returned as it is; the cause of any other is still found by errors.Is.
func (v *Vault) Error(err error) error {
	if v == nil || err == nil {
		return err
	}
	text := err.Error()
	if redacted := v.Redact(text); redacted != text {
		return &redactedError{redacted, err}
	}
	return err
}

// redactedError has no Unwrap: errors.As would find the text that must not be
// shown.
type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) Is(target error) bool { return errors.Is(e.cause, target) }

// plainName keeps what is harmless in every text, JSON included.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_-./:~ ", r):
			return r
		}
		return '_'
	}, name)
	const longest = 80
	return name[:min(len(name), longest)]
}

// ordinary reports whether an environment variable is one that every program
// has. Its value is not a secret, and replacing it would hide paths and user names
// in messages.
func ordinary(name string) bool {
	return strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") || slices.Contains([]string{
		"HOME", "USER", "USERNAME", "USERPROFILE", "LOGNAME", "HOSTNAME", "PATH", "PWD", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ",
		"TMPDIR", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "SYSTEMROOT", "NODE_ENV",
	}, strings.ToUpper(name))
}
