package jsurl_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/gongu-ai/gongu/internal/jsurl"
)

func href(t *testing.T, text string, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var parts struct{ Href string }
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		t.Fatal(err)
	}
	return parts.Href
}

func arguments(t *testing.T, list ...string) string {
	t.Helper()
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestParse: the same as new URL(input, base).href in a browser.
func TestParse(t *testing.T) {
	for input, want := range map[[2]string]string{
		{"HTTP://EXAMPLE.com:80/a/../b?x=1#f", ""}: "http://example.com/b?x=1#f",
		{"https://example.com", ""}:                "https://example.com/",
		{" https://e.com/a b ", ""}:                "https://e.com/a%20b",
		{"../c?q", "https://e.com/a/b"}:            "https://e.com/c?q",
		{"mailto:a@b.c", ""}:                       "mailto:a@b.c",
	} {
		text, err := jsurl.Parse(arguments(t, input[0], input[1]))
		if got := href(t, text, err); got != want {
			t.Errorf("%q: %s, want %s", input, got, want)
		}
	}
	for _, input := range [][2]string{{"a/b", ""}, {"http://", ""}, {"x", "mailto:a@b.c"}} {
		_, err := jsurl.Parse(arguments(t, input[0], input[1]))
		if _, ok := errors.AsType[*jsurl.Error](err); !ok {
			t.Errorf("%q: %v", input, err)
		}
	}
}

// TestSet: an invalid value changes nothing.
func TestSet(t *testing.T) {
	const before = "https://u@e.com:8080/a?q#h"
	for change, want := range map[[2]string]string{
		{"host", "x.org:1"}:   "https://u@x.org:1/a?q#h",
		{"hostname", "x.org"}: "https://u@x.org:8080/a?q#h",
		{"port", "443"}:       "https://u@e.com/a?q#h",
		{"pathname", "b?c"}:   "https://u@e.com:8080/b%3Fc?q#h",
		{"search", "?r#s"}:    "https://u@e.com:8080/a?r%23s#h",
		{"hash", "#z"}:        "https://u@e.com:8080/a?q#z",
		{"port", "no"}:        before,
		{"nothing", "x"}:      before,
	} {
		text, err := jsurl.Set(arguments(t, before, change[0], change[1]))
		if got := href(t, text, err); got != want {
			t.Errorf("%q: %s, want %s", change, got, want)
		}
	}
}
