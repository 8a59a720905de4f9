package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
)

// replaceTemp gives the command another folder for temporary files when the
// system's contains a hidden path: nothing can be made directly in it then.
func (p *Policy) replaceTemp(cmd *exec.Cmd) error {
	dir := os.TempDir()
	resolved := real(dir)
	if !slices.Contains(p.Write, dir) || !slices.ContainsFunc(p.Hidden, func(h string) bool { return within(real(h), resolved) }) {
		return nil
	}
	own := filepath.Join(resolved, fmt.Sprintf("gongu-programs-%d", os.Getuid()))
	if err := os.Mkdir(own, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("make a folder for temporary files: %w", err)
	}
	info, err := os.Lstat(own)
	if err != nil {
		return fmt.Errorf("make a folder for temporary files: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a folder of this user; remove it", own)
	}
	cmd.Env = append(cmd.Env, "TMPDIR="+own)
	return nil
}
