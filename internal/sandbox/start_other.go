//go:build !linux

package sandbox

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
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

func (p *Policy) missing() []string {
	list := []string{"files are not confined: " + runtime.GOOS + " has no mechanism that gongu uses"}
	if p.Network == NetworkNone || p.Network == NetworkLoopback {
		list = append(list, "the network is not confined")
	}
	if p.Memory > 0 {
		list = append(list, "memory is not limited")
	}
	if p.CPU > 0 && runtime.GOOS == "windows" {
		list = append(list, "processor time is not limited")
	}
	if p.Processes > 0 {
		list = append(list, "the number of processes is not limited")
	}
	return list
}

// Missing lists what this system lacks for a sandbox.
func Missing([]string) []string {
	p := Policy{Network: NetworkNone, Memory: 1, CPU: 1, Processes: 1}
	return p.missing()
}

// Namespaces returns why there are none.
func Namespaces([]string) error { return errors.New(runtime.GOOS + " has no namespaces") }

// LauncherMain does nothing: there are no launchers here.
func LauncherMain() {}

// HideProcess does nothing here.
func HideProcess() error { return nil }

// writable is only asked for sockets of Linux.
func writable(string) bool { return true }
