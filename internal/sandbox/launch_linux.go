package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// launcherVariable tells a started launcher its stage and the first of its
// descriptors.
const launcherVariable = "GONGU_SANDBOX"

// The stages of a launcher. The outer one stays in the namespaces of this
// process, makes new ones and ends the way the program ended. The inner one is
// the first process in them, so that all others end with it.
const (
	stageOuter = "outer:"
	stageInner = "inner:"
)

// launchConfig is what a launcher is told, in a file without a name.
type launchConfig struct {
	Path      string        `json:"path"`
	Args      []string      `json:"args"`
	Env       []string      `json:"env"`
	Extra     int           `json:"extra"` // descriptors of the program beyond the standard ones
	Rules     bool          `json:"rules"`
	Network   Network       `json:"network"`
	Memory    int64         `json:"memory"`
	CPU       time.Duration `json:"cpu"`
	Processes int           `json:"processes"`
	Contain   bool          `json:"contain"`
	Required  bool          `json:"required"`
}

// launchStatus is what a launcher answers once.
type launchStatus struct {
	// Error is why the program was not started.
	Error   string   `json:"error,omitempty"`
	Missing []string `json:"missing,omitempty"`
}

// launch starts the command through the launcher and waits until it runs.
func (p *Policy) launch(cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	if filepath.IsAbs(cmd.Path) {
		if _, err := os.Stat(cmd.Path); err != nil {
			return err
		}
	}
	launcher, err := exec.LookPath(p.Launcher[0])
	if err != nil {
		return fmt.Errorf("find the launcher: %w", err)
	}
	r, err := p.landlock()
	if err != nil {
		return err
	}
	config, err := p.describe(cmd, r != nil)
	if err != nil {
		return err
	}
	answer, told, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	defer answer.Close()
	theirs := []*os.File{config, told}
	if r != nil {
		theirs = append(theirs, r.file)
	}
	first := 3 + len(cmd.ExtraFiles)
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs...)
	cmd.Path, cmd.Args = launcher, p.Launcher
	cmd.Env = []string{launcherVariable + "=" + stageOuter + strconv.Itoa(first)}
	err = cmd.Start()
	for _, file := range theirs {
		_ = file.Close() // the launcher has its own
	}
	if err != nil {
		return fmt.Errorf("start the launcher: %w", err)
	}
	return p.await(cmd, answer)
}

// await reads the launcher's answer. Without a good one nothing is left running.
func (p *Policy) await(cmd *exec.Cmd, answer io.Reader) error {
	var status launchStatus
	err := json.NewDecoder(answer).Decode(&status)
	switch {
	case err != nil:
		err = fmt.Errorf("the launcher of the sandbox ended without an answer: %w", err)
	case status.Error != "":
		err = errors.New(status.Error)
	default:
		err = p.settle(status.Missing)
	}
	if err != nil {
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		_ = cmd.Wait() // the error is above
	}
	return err
}

// describe writes the configuration to a file in memory.
func (p *Policy) describe(cmd *exec.Cmd, rules bool) (*os.File, error) {
	raw, err := json.Marshal(launchConfig{
		Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Extra: len(cmd.ExtraFiles), Rules: rules,
		Network: p.Network, Memory: p.Memory, CPU: p.CPU, Processes: p.Processes, Contain: p.Namespaces, Required: p.Required,
	})
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("sandbox", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a file for the launcher: %w", err)
	}
	file := os.NewFile(uintptr(fd), "sandbox")
	if _, err := file.WriteAt(raw, 0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Namespaces tries the namespaces through the launcher and returns why they are
// not available, or nil.
func Namespaces(launcher []string) error {
	if len(launcher) == 0 {
		return errors.New("no launcher is known")
	}
	p := Policy{ReadAll: true, Namespaces: true, Network: NetworkLoopback, Launcher: launcher}
	var missing []string
	p.Report = func(list []string) { missing = list }
	cmd := exec.Command("/bin/sh", "-c", ":")
	if err := p.Start(cmd); err != nil {
		return err
	}
	_ = cmd.Wait() // whether it started is the question
	if len(missing) > 0 && len(missing) > len(p.missing(true, "")) {
		return errors.New(missing[len(missing)-1])
	}
	return nil
}

// Missing lists what this system lacks for a sandbox with everything in it.
func Missing(launcher []string) []string {
	p := Policy{Network: NetworkNone, Processes: 1, Namespaces: true}
	if err := Namespaces(launcher); err != nil {
		return p.missing(false, err.Error())
	}
	return p.missing(true, "")
}
