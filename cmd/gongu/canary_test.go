//go:build linux

package main

import (
	"crypto/rand"
	"encoding/base64"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// canaries are secrets that a test plants, and then searches for in all that was
// written (K13). Any test of faults can use them: plant, run, search.
type canaries struct {
	t      testing.TB
	values map[string]string // by name
}

func newCanaries(t testing.TB) *canaries { return &canaries{t, map[string]string{}} }

// plant makes a secret. The names are for messages only.
func (c *canaries) plant(name string) string {
	c.values[name] = "Cn" + rand.Text()
	return c.values[name]
}

// add searches for a secret that somebody else has made.
func (c *canaries) add(name, value string) { c.values[name] = value }

// canaryPart is how much of a secret must not be found: one that was cut before
// it was replaced has leaked as well.
const canaryPart = 12

// search fails the test when a text contains a secret, or a part of one, plain or
// in base64. It is deliberately independent of the code that redacts.
func (c *canaries) search(where, text string) {
	c.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		for _, form := range canaryForms(c.values[name]) {
			for i := 0; i+canaryPart <= len(form); i++ {
				if at := strings.Index(text, form[i:i+canaryPart]); at >= 0 {
					c.t.Errorf("the secret %s is in %s: …%s…", name, where, text[max(0, at-120):min(len(text), at+120)])
					return
				}
			}
		}
	}
}

// canaryForms are a secret, and the base64 that it becomes at each position.
func canaryForms(value string) []string {
	forms := []string{value}
	for lead, skip := range []int{0, 2, 3} {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", lead) + value))
		forms = append(forms, encoded[skip:len(encoded)-1])
	}
	return forms
}

// searchFolder searches the names and contents of all files but those that hold
// secrets by design, which are given by the end of their paths.
func (c *canaries) searchFolder(dir string, byDesign ...string) {
	c.t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		c.search("the name of "+path, strings.TrimPrefix(path, dir))
		if slices.ContainsFunc(byDesign, func(end string) bool { return strings.HasSuffix(path, end) }) {
			info, err := entry.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				c.t.Errorf("%s holds secrets, and its mode is %v", path, info.Mode())
			}
			return err
		}
		raw, err := os.ReadFile(path)
		c.search(path, string(raw))
		return err
	})
	if err != nil {
		c.t.Error(err)
	}
}

// K13: the searcher finds what it must.
func TestCanariesAreFound(t *testing.T) {
	value := newCanaries(t).plant("x")
	for _, text := range []string{
		value, "a " + value[3:3+canaryPart] + " b", base64.StdEncoding.EncodeToString([]byte("user:" + value)),
		base64.StdEncoding.EncodeToString([]byte("u:" + value + "more")), base64.URLEncoding.EncodeToString([]byte(value)),
	} {
		quiet := &quietly{TB: t}
		found := &canaries{quiet, map[string]string{"x": value}}
		if found.search("a text", text); !quiet.failed {
			t.Errorf("not found in %s", text)
		}
	}
}

// quietly notes that a test has failed, and does not fail it.
type quietly struct {
	testing.TB
	failed bool
}

func (q *quietly) Errorf(string, ...any) { q.failed = true }
