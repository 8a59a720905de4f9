//go:build !linux

package sandbox

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Start starts the command with the resource limits that the system has; a nil
// policy confines nothing. Files and network are not confined here.
func (p *Policy) Start(cmd *exec.Cmd) error {
	if p == nil {
		return cmd.Start()
	}
	if err := p.settle(p.missing()); err != nil {
		return err
	}
	if cmd.Err == nil && runtime.GOOS != "windows" {
		p.limit(cmd)
	}
	return cmd.Start()
}

// limit lets the shell set the limits: they belong to the process that sets
// them and to what it starts.
func (p *Policy) limit(cmd *exec.Cmd) {
	var lines []string
	if p.CPU > 0 {
		lines = append(lines, fmt.Sprintf("ulimit -t %d", (p.CPU+time.Second-1)/time.Second))
	}
	if len(lines) == 0 {
		return
	}
	lines = append(lines, "ulimit -c 0", `exec "$@"`)
	cmd.Args = append([]string{"sh", "-c", strings.Join(lines, " && "), "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
}

func (p *Policy) missing() []lang.Message {
	list := []lang.Message{lang.SandboxSystem.With(runtime.GOOS)}
	if p.Memory > 0 {
		list = append(list, lang.SandboxNoMemory.With())
	}
	if p.CPU > 0 && runtime.GOOS == "windows" {
		list = append(list, lang.SandboxNoCPU.With())
	}
	if p.Processes > 0 {
		list = append(list, lang.SandboxNoCount.With(runtime.GOOS))
	}
	return list
}

// Missing lists what this system lacks for a sandbox.
func Missing([]string) []lang.Message {
	p := Policy{Memory: 1, CPU: 1, Processes: 1}
	return p.missing()
}

// LauncherMain does nothing: there are no launchers here.
func LauncherMain() {}

// HideProcess does nothing here.
func HideProcess() error { return nil }

// KeepDescriptors does nothing here.
func KeepDescriptors() {}

// writable is only asked for sockets of Linux.
func writable(string) bool { return true }
