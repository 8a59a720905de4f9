package shellword_test

import (
	"os/exec"
	"testing"

	"github.com/gongu-ai/gongu/internal/shellword"
)

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"my-bundle": "my-bundle", "./a/b.yaml": "./a/b.yaml", "": "''", "a b": "'a b'",
		"it's": `'it'\''s'`, "$HOME": "'$HOME'", "a;b": "'a;b'", "번들": "번들", "*": "'*'",
	} {
		if got := shellword.Quote(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}

// A shell gets back every word that it was given.
func TestJoin(t *testing.T) {
	for _, word := range []string{"a", "", "a b", "it's", "x`id`", "$(id)", "a|b", "a;b", "a&b", "a>b", "#a", `a\b`, "*", "{a,b}", "!x", "a\nb", "한글/폴더", "-b"} {
		out, err := exec.Command("sh", "-c", "printf '%s.' "+shellword.Join("gongu", word)).Output()
		if err != nil || string(out) != "gongu."+word+"." {
			t.Errorf("%q became %q, %v", word, out, err)
		}
	}
}
