package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkStart is a bash call without a sandbox, with the default one, with
// limits, and through the launcher.
func BenchmarkStart(b *testing.B) {
	home, err := os.UserHomeDir()
	if err != nil {
		b.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	byDefault := &Policy{
		ReadAll: true, Workdir: b.TempDir(), Write: []string{os.TempDir()}, Launcher: []string{self},
		Hidden: []string{filepath.Join(home, ".config/gongu"), filepath.Join(home, ".local/state/gongu"), filepath.Join(home, ".claude.json"), filepath.Join(home, ".codex/config.toml")},
	}
	limited, launched := *byDefault, *byDefault
	limited.Memory, limited.Network = 1<<30, NetworkNone
	launched.Namespaces = true
	for _, c := range []struct {
		name   string
		policy *Policy
	}{{"none", nil}, {"default", byDefault}, {"limits", &limited}, {"launcher", &launched}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command("/bin/sh", "-lc", "true")
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
				if err := c.policy.Start(cmd); err != nil {
					b.Fatal(err)
				}
				if err := cmd.Wait(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
