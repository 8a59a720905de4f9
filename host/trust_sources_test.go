package host_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/host"
)

// Gemini E23, promise B11: a bundle that is not trusted starts no server, not
// even one that is to be warm.
func TestB11_NoServerWithoutTrust(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	write(t, dir, "gongu.yaml", `apiVersion: gongu/v1
kind: McpServer
metadata: { name: s }
spec:
  command: sh
  args: ["-c", "touch started; sleep 1"]
  warm: true
  cwd: project
`)
	_, err := host.Open(t.Context(), dir, &host.Options{StateRoot: t.TempDir(), Consent: &host.ConsentOptions{Records: host.Consents{Dir: t.TempDir()}}})
	if !errors.Is(err, host.ErrNoConsent) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("a server of a bundle that is not trusted was started")
	}
	h := open(t, dir, nil)
	defer h.Close()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(started); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the same server, trusted and warm, was not started: the test proves nothing")
		}
	}
}

// Gemini E28: of two sources of one name, in the bundle and in a package, the
// bundle's own is used and the other is not.
func TestPackagesWithTheSameSource(t *testing.T) {
	source := func(tool string) string {
		return "---\napiVersion: gongu/v1\nkind: ToolCommand\nmetadata: { name: same }\nspec: { discover: [echo, '[{\"name\":\"" + tool + "\"}]'], call: [echo] }\n"
	}
	const manifest = "apiVersion: gongu/v1\nkind: Package\nmetadata: { name: mine }\nspec: { version: 1.0.0%s }\n"
	dir := t.TempDir()
	write(t, dir, "gongu.yaml", fmt.Sprintf(manifest, ", dependencies: [{ name: base, version: 1.0.0 }]")+source("own"))
	write(t, filepath.Join(dir, "packages", "base", "1.0.0"), "gongu.yaml", fmt.Sprintf(manifest, "")+source("other"))
	h := open(t, dir, nil)
	h.Sources().Load(t.Context())
	if !h.Registry().Has("same__own") || h.Registry().Has("same__other") {
		t.Errorf("%+v", h.Sources().Status())
	}
}
