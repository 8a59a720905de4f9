// Package secret fills references to secrets into texts of configuration.
package secret

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Keyring returns the secret of a name.
type Keyring interface {
	Secret(name string) (string, error)
}

// maxSecretFile bounds a file with a secret; a larger one was named by mistake.
const maxSecretFile = 64 << 10

var placeholder = regexp.MustCompile(`\$\{(env|file|keyring):([^}]*)\}`)

// Expand fills in ${env:NAME}, ${env:NAME:-default}, ${file:PATH} and
// ${keyring:NAME}. Relative paths begin at dir; the keyring may be nil. Errors
// name the reference and never a value.
func Expand(text, dir string, keyring Keyring) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var failed error
	out := placeholder.ReplaceAllStringFunc(text, func(reference string) string {
		parts := placeholder.FindStringSubmatch(reference)
		value, err := lookup(parts[1], parts[2], dir, keyring)
		if err != nil {
			failed = errors.Join(failed, err)
		}
		return value
	})
	return out, failed
}

func lookup(kind, name, dir string, keyring Keyring) (string, error) {
	switch kind {
	case "env":
		name, fallback, hasFallback := strings.Cut(name, ":-")
		if value, ok := os.LookupEnv(name); ok {
			return value, nil
		}
		if hasFallback {
			return fallback, nil
		}
		return "", fmt.Errorf("the environment variable %s is not set; set it before the start, or write ${env:%s:-default}", name, name)
	case "file":
		return secretFile(name, dir)
	}
	if keyring == nil {
		return "", fmt.Errorf("${keyring:%s}: no keyring is set up here; use ${env:} or ${file:}", name)
	}
	value, err := keyring.Secret(name)
	if err != nil {
		return "", fmt.Errorf("${keyring:%s}: %w", name, err)
	}
	return value, nil
}

// secretFile reads a file without the line end that editors add.
func secretFile(name, dir string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("${file:%s}: %w", name, err)
		}
		name = filepath.Join(home, rest)
	} else if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return "", fmt.Errorf("${file:}: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxSecretFile:
		return "", fmt.Errorf("${file:%s} is no small file", name)
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("${file:}: %w", err)
	}
	return strings.TrimRight(string(raw), "\r\n"), nil
}

// WithoutURL removes the address from an error of net/http: it may contain a
// token, and models and logs get errors.
func WithoutURL(err error) error {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		return inner.Err
	}
	return err
}
