// Package secret fills references to secrets into texts of configuration,
// remembers what it filled in, and replaces it in texts that others read.
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

// placeholder is a reference. With a second dollar sign before it, it is the
// text of a reference, which is not filled in.
var placeholder = regexp.MustCompile(`\$?\$\{(env|file|keyring):([^}]*)\}`)

// literal is how the text of a reference begins.
const literal = "$${"

// expand fills in references for [Vault.Expand]. It reports each value that it
// looked up; a default is not one.
func expand(text, dir string, keyring Keyring, found func(kind, name, value string)) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var failed error
	out := placeholder.ReplaceAllStringFunc(text, func(reference string) string {
		if strings.HasPrefix(reference, literal) {
			return reference[1:]
		}
		parts := placeholder.FindStringSubmatch(reference)
		name, fallback, hasFallback := strings.Cut(parts[2], ":-")
		if _, set := os.LookupEnv(name); parts[1] == "env" && !set && hasFallback {
			return fallback
		} else if parts[1] != "env" {
			name = parts[2]
		}
		value, err := lookup(parts[1], name, dir, keyring)
		if err != nil {
			failed = errors.Join(failed, err)
			return ""
		}
		found(parts[1], name, value)
		return value
	})
	return out, failed
}

// References returns the references of a text, such as env:NAME, in their order.
func References(text string) []string {
	var found []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[0], literal) {
			found = append(found, m[1]+":"+m[2])
		}
	}
	return found
}

// Literal returns a text that [Expand] turns into the given one, without filling
// anything in.
func Literal(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(reference string) string { return "$" + reference })
}

func lookup(kind, name, dir string, keyring Keyring) (string, error) {
	switch kind {
	case "env":
		if value, ok := os.LookupEnv(name); ok {
			return value, nil
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
