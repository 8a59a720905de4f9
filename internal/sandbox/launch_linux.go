package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gongu-ai/gongu/internal/lang"
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

// launchConfig is the configuration of a launcher, in a file without a name.
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
	Error string `json:"error,omitempty"`
	// Why is why there are no namespaces, and Rights that there are, without
	// rights in them. NoProc: a new /proc is not permitted.
	Why    string `json:"why,omitempty"`
	Rights bool   `json:"rights,omitempty"`
	NoProc bool   `json:"noProc,omitempty"`
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
	r, err := p.landlock(cmd.Path)
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

// launchTime bounds the launcher's work. A program that is not a launcher would never
// answer.
const launchTime = 30 * time.Second

// await reads the launcher's answer. Without a good one nothing is left running.
func (p *Policy) await(cmd *exec.Cmd, answer *os.File) error {
	var status launchStatus
	err := answer.SetReadDeadline(time.Now().Add(launchTime))
	if err == nil {
		err = json.NewDecoder(answer).Decode(&status)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("the launcher of the sandbox gave no answer: %w", err)
	case status.Error != "":
		err = errors.New(status.Error)
	default:
		err = p.settle(p.lacking(&status))
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

// lacking lists what is missing by the answer of a launcher.
func (p *Policy) lacking(s *launchStatus) []lang.Message {
	var why lang.Message
	switch {
	case s.Why != "" && s.Rights:
		why = lang.SandboxNoRights.With(s.Why)
	case s.Why != "":
		why = lang.SandboxNoNamespaces.With(s.Why)
	}
	list := p.missing(why)
	if s.NoProc && p.Processes > 0 {
		list = append(list, lang.SandboxThreads.With())
	}
	return list
}

// Missing lists what this system lacks for a sandbox with everything in it. It
// starts the launcher to see.
func Missing(launcher []string) []lang.Message {
	var missing []lang.Message
	p := Policy{ReadAll: true, Network: NetworkNone, Processes: 8, Namespaces: true, Launcher: launcher}
	p.Report = func(list []lang.Message) { missing = list }
	cmd := exec.Command("/bin/sh", "-c", ":")
	if err := p.Start(cmd); err != nil {
		return p.missing(lang.SandboxNoNamespaces.With(err))
	}
	_ = cmd.Wait() // whether it started is the question
	return missing
}
