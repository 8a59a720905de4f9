package mcpclient

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Keyring gives the secret that a name stands for, from wherever the owner
// keeps secrets.
type Keyring interface {
	Secret(name string) (string, error)
}

// secretFiles are small; a larger one was named by mistake.
const maxSecretFile = 64 << 10

var placeholder = regexp.MustCompile(`\$\{(env|file|keyring):([^}]*)\}`)

// expand fills in ${env:NAME}, ${env:NAME:-default}, ${file:PATH} and
// ${keyring:NAME}. Errors name the reference and never a value.
func expand(text string, dir string, keyring Keyring) (string, error) {
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

// Expand fills in the references of one text; see [Config].
func Expand(text, dir string, keyring Keyring) (string, error) { return expand(text, dir, keyring) }

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

// expandAll fills in a whole configuration.
func expandAll(c Config, dir string, keyring Keyring) (Config, error) {
	var failed error
	fill := func(text string) string {
		out, err := expand(text, dir, keyring)
		failed = errors.Join(failed, err)
		return out
	}
	c.Command, c.Cwd, c.URL = fill(c.Command), fill(c.Cwd), fill(c.URL)
	args := make([]string, len(c.Args))
	for i, arg := range c.Args {
		args[i] = fill(arg)
	}
	c.Args = args
	c.Env, c.Headers = fillMap(c.Env, fill), fillMap(c.Headers, fill)
	if c.OAuth != nil {
		own := *c.OAuth
		own.ClientID, own.ClientSecret = fill(own.ClientID), fill(own.ClientSecret)
		c.OAuth = &own
	}
	if failed == nil && c.URL != "" {
		failed = checkURL(c.URL)
	}
	return c, failed
}

func fillMap(in map[string]string, fill func(string) string) map[string]string {
	out := make(map[string]string, len(in))
	for key, value := range in {
		out[key] = fill(value)
	}
	return out
}
