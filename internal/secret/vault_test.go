package secret_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/secret"
)

// canary has characters that every encoding changes.
const canary = `c4n/ry+"quo\te" <&> päss=word`

// K13: a secret is found in the encodings that programs write.
func TestRedactEncodings(t *testing.T) {
	var v secret.Vault
	v.Remember("KEY", canary)
	quoted, err := json.Marshal(canary)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(string(quoted))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain":        canary,
		"bearer":       "Authorization: Bearer " + canary,
		"query":        url.QueryEscape(canary),
		"path":         url.PathEscape(canary),
		"lower hex":    strings.NewReplacer("%2F", "%2f", "%2B", "%2b", "%5C", "%5c", "%3C", "%3c", "%3E", "%3e", "%C3", "%c3", "%A4", "%a4", "%3D", "%3d").Replace(url.QueryEscape(canary)),
		"json":         string(quoted),
		"json twice":   string(twice),
		"go":           strconv.Quote(canary),
		"html":         html.EscapeString(canary),
		"base64":       base64.StdEncoding.EncodeToString([]byte(canary)),
		"base64 url":   base64.RawURLEncoding.EncodeToString([]byte(canary)),
		"basic":        base64.StdEncoding.EncodeToString([]byte("user:" + canary)),
		"basic longer": base64.StdEncoding.EncodeToString([]byte("users:" + canary)),
		"basic short":  base64.StdEncoding.EncodeToString([]byte("u:" + canary + "more")),
	} {
		got := v.Redact("before " + text + " after")
		if !strings.Contains(got, "[secret KEY]") || strings.Contains(got, text) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("%s: %s became %s", name, text, got)
		}
	}
}

// K13: what is remembered and what is not.
func TestRemember(t *testing.T) {
	var v secret.Vault
	v.Remember("short", "12345")
	v.Remember("six", "123456")
	v.Remember("longer", "1234567890")
	v.Remember(`odd "name"`+"\n", "odd-name-value")
	v.Remember("pem", "-----BEGIN KEY-----\r\nMIIabcdefgh\r\nxx\r\n-----END KEY-----")
	for text, want := range map[string]string{
		"a 12345 b":                        "a 12345 b",
		"a 123456 b":                       "a [secret six] b",
		"a 1234567890123456":               "a [secret longer][secret six]",
		"odd-name-value":                   "[secret odd _name__]",
		"line: MIIabcdefgh.":               "line: [secret pem].",
		"gongu_" + strings.Repeat("a", 43): "[secret gongu token]",
		"gongu_" + strings.Repeat("a", 42): "gongu_" + strings.Repeat("a", 42),
		"gongu_tool_count 3":               "gongu_tool_count 3",
		"":                                 "",
	} {
		if got := v.Redact(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	var none *secret.Vault
	none.Remember("x", "123456789")
	if none.Redact("123456789") != "123456789" || none.Logger(nil) != nil || none.Error(nil) != nil {
		t.Error("a nil vault does something")
	}
}

// K13: what was expanded is remembered, under the name of the reference.
func TestVaultExpand(t *testing.T) {
	t.Setenv("GONGU_TEST_SECRET", "value-of-variable")
	t.Setenv("XDG_CONFIG_HOME", "/home/somebody")
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("value-of-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var v secret.Vault
	filled, err := v.Expand("${env:GONGU_TEST_SECRET} ${file:"+file+"} ${keyring:k} ${env:XDG_CONFIG_HOME} ${env:UNSET:-just-a-default}", "", ring{"k": "value-of-keyring"})
	if err != nil {
		t.Fatal(err)
	}
	want := "[secret GONGU_TEST_SECRET] [secret " + file + "] [secret k] /home/somebody just-a-default"
	if got := v.Redact(filled); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// K9: the text of a reference is not filled in, and every text can be written so
// that it comes out as it is.
func TestLiteral(t *testing.T) {
	t.Setenv("GONGU_TEST_SECRET", "value-of-variable")
	for _, text := range []string{
		"${env:GONGU_TEST_SECRET}", "a ${file:/etc/passwd} $b", "$${env:GONGU_TEST_SECRET}", "$$${env:X}", "$HOME", "${other}", "${env:A}${env:B}", "$${", "plain",
	} {
		got, err := new(secret.Vault).Expand(secret.Literal(text), "", nil)
		if err != nil || got != text {
			t.Errorf("%s became %s (%v)", text, got, err)
		}
		if found := secret.References(secret.Literal(text)); len(found) > 0 {
			t.Errorf("%s still refers to %v", secret.Literal(text), found)
		}
	}
	if got := fmt.Sprint(secret.References("${env:A} $${env:B} ${file:c/d}")); got != "[env:A file:c/d]" {
		t.Error(got)
	}
}

func TestRedactJSON(t *testing.T) {
	var v secret.Vault
	v.Remember("PIN", "12345678")
	for text, want := range map[string]string{
		`{"a":"x"}`:          `{"a":"x"}`,
		`{"a":"x 12345678"}`: `{"a":"x [secret PIN]"}`,
		`{"a":12345678}`:     `"{\"a\":[secret PIN]}"`,
	} {
		if got := string(v.RedactJSON(json.RawMessage(text))); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestRedactError(t *testing.T) {
	var v secret.Vault
	v.Remember("PIN", "12345678")
	err := v.Error(fmt.Errorf("no 12345678: %w", io.ErrUnexpectedEOF))
	if err.Error() != "no [secret PIN]: unexpected EOF" || !errors.Is(err, io.ErrUnexpectedEOF) || errors.Unwrap(err) != nil {
		t.Errorf("%v", err)
	}
	if err := v.Error(io.EOF); err != io.EOF {
		t.Error(err)
	}
}

// K13: logs.
func TestLogger(t *testing.T) {
	var v secret.Vault
	v.Remember("PIN", "12345678")
	var out bytes.Buffer
	logger := v.Logger(slog.New(slog.NewTextHandler(&out, nil)))
	if v.Logger(logger) != logger {
		t.Error("a logger is wrapped twice")
	}
	logger.With("with", "12345678").WithGroup("g").Info("msg 12345678", "error", errors.New("e 12345678"), "list", []string{"12345678"},
		"raw", json.RawMessage(`"12345678"`), "bytes", []byte("12345678"), slog.Group("in", "key", "12345678"), "n", 7, "plain", []int{1})
	text := out.String()
	if strings.Contains(text, "12345678") || strings.Count(text, "[secret PIN]") != 7 || !strings.Contains(text, "plain=[1]") {
		t.Error(text)
	}
}

// BenchmarkRedact shows what a text without secrets costs, against the
// replacer of the standard library.
func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog, 0123456789. ", 2000)
	var v secret.Vault
	var pairs []string
	for i := range 200 {
		value := fmt.Sprintf("sk-%d-%x", i, i*7919*104729)
		v.Remember("KEY", value)
		pairs = append(pairs, value, "[secret KEY]")
	}
	b.Run("vault", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			v.Redact(text)
		}
	})
	b.Run("strings.Replacer", func(b *testing.B) {
		replacer := strings.NewReplacer(pairs...)
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			replacer.Replace(text)
		}
	})
}
