//go:build unix

package auth_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/auth"
)

func TestTokensRefuseOpenFiles(t *testing.T) {
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o601, 0o644} {
		tokens, secret := openTokens(t, auth.NewToken{}, &auth.TokensOptions{Logger: quiet()})
		// The first use is written down; the second one remembers the file.
		for range 2 {
			if !known(t, tokens, secret) {
				t.Fatal("not known")
			}
		}
		if err := os.Chmod(tokens.Path(), mode); err != nil {
			t.Fatal(err)
		}
		_, err := auth.OpenTokens(tokens.Path(), nil)
		if e, ok := errors.AsType[*auth.Error](err); !ok || !errors.Is(err, auth.ErrStorage) || !strings.Contains(e.Hint("en"), "chmod 600 "+tokens.Path()) {
			t.Errorf("%o: got %v", mode, err)
		}
		// A server that runs notices, too, and nothing is written to it.
		if _, ok, err := tokens.Identify(t.Context(), secret); ok || err == nil {
			t.Errorf("%o: still good", mode)
		}
		if _, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "more"}); !errors.Is(err, auth.ErrStorage) {
			t.Errorf("%o: got %v", mode, err)
		}
	}
}

// A new file is never open to others, whatever the mask of the process.
func TestTokensNewFileIsClosed(t *testing.T) {
	tokens, _ := openTokens(t, auth.NewToken{}, nil)
	for range 2 {
		info, err := os.Stat(tokens.Path())
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("got %v, %v", info.Mode(), err)
		}
		if _, _, err := tokens.Create(t.Context(), auth.NewToken{}); err != nil {
			t.Fatal(err)
		}
	}
}

// A link is followed to read and never written through or replaced.
func TestTokensBehindALink(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{}, nil)
	link := filepath.Join(t.TempDir(), auth.TokensName)
	if err := os.Symlink(tokens.Path(), link); err != nil {
		t.Fatal(err)
	}
	linked, err := auth.OpenTokens(link, &auth.TokensOptions{Logger: quiet()})
	if err != nil || !known(t, linked, secret) {
		t.Fatalf("got %v", err)
	}
	if _, _, err := linked.Create(t.Context(), auth.NewToken{Name: "more"}); !errors.Is(err, auth.ErrStorage) {
		t.Errorf("got %v", err)
	}
	if _, err := auth.OpenTokens(filepath.Dir(link), nil); !errors.Is(err, auth.ErrStorage) {
		t.Errorf("a folder: %v", err)
	}
}
