package secret_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/secret"
)

type ring map[string]string

func (r ring) Secret(name string) (string, error) {
	if value, ok := r[name]; ok {
		return value, nil
	}
	return "", errors.New("no such secret")
}

func TestExpand(t *testing.T) {
	t.Setenv("GONGU_TEST_SECRET", "from-env")
	dir := t.TempDir()
	for name, content := range map[string]string{"token": "from-file\r\n", "big": strings.Repeat("x", 65<<10)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"plain":                                "plain",
		"$HOME ${other}":                       "$HOME ${other}",
		"a ${env:GONGU_TEST_SECRET} b":         "a from-env b",
		"${env:GONGU_TEST_UNSET:-fallback}":    "fallback",
		"${file:token}":                        "from-file",
		"${file:" + dir + "/token}":            "from-file",
		"${keyring:k}${env:GONGU_TEST_SECRET}": "from-ringfrom-env",
	} {
		if got, err := new(secret.Vault).Expand(text, dir, ring{"k": "from-ring"}); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"${env:GONGU_TEST_UNSET}": "GONGU_TEST_UNSET is not set",
		"${file:missing}":         "missing",
		"${file:big}":             "no small file",
		"${file:.}":               "no small file",
		"${keyring:other}":        "no such secret",
	} {
		if _, err := new(secret.Vault).Expand(text, dir, ring{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := new(secret.Vault).Expand("${keyring:k}", dir, nil); err == nil || !strings.Contains(err.Error(), "no keyring") {
		t.Error(err)
	}
}

func TestWithoutURL(t *testing.T) {
	_, err := http.Get("http://127.0.0.1:0/?key=hidden")
	if err == nil || !strings.Contains(err.Error(), "hidden") {
		t.Fatalf("net/http has changed: %v", err)
	}
	if got := secret.WithoutURL(err); got == nil || strings.Contains(got.Error(), "hidden") {
		t.Error(got)
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]bool{
		"API_KEY": true, "api-key": true, "apiKey": true, "GITHUB_TOKEN": true, "GITHUBTOKEN": true, "Authorization": true, "X-Auth": true,
		"PASSWORD": true, "client_secret": true, "OPENAIKEY": false, "MONKEY": false, "KEYBOARD": false, "PATH": false, "TOKEN_FILE": false, "AUTH_URL": false,
		"KEY_PATH": false, "LEVEL": false, "": false,
	} {
		if got := secret.Named(name); got != want {
			t.Errorf("%q: %t, want %t", name, got, want)
		}
	}
}
