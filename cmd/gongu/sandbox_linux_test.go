package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/oldkernel"
)

// oldKernelMain runs a program as on a kernel that lacks parts of a sandbox:
// oldkernel landlock,namespaces gongu doctor.
func oldKernelMain() {
	path, err := exec.LookPath(os.Args[2])
	if err == nil {
		err = oldkernel.Exec(path, os.Args[2:], os.Environ(), strings.Split(os.Args[1], ",")...)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestK16_Hidden (attack 15): other processes of the user can read neither the
// environment nor the memory of gongu, also those without a sandbox. What is in
// /proc of such a process belongs to root.
func TestK16_Hidden(t *testing.T) {
	dir, err := os.MkdirTemp("/var/tmp", "gongu-hidden-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "gongu")
	source, err := exec.LookPath("gongu")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(program, raw, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	// It waits for arguments on its standard input.
	cmd := exec.Command(program, "call", "wait__seconds", "-")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "GONGU_STATE_ROOT="+filepath.Join(dir, "state"))
	if os.Getuid() == 0 {
		// Root's own processes belong to root either way.
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stdin.Close()
		_ = cmd.Wait() // the call is wrong on purpose
	}()
	environ := fmt.Sprintf("/proc/%d/environ", cmd.Process.Pid)
	for range 500 {
		var stat syscall.Stat_t
		if err := syscall.Stat(environ, &stat); err != nil {
			t.Fatalf("it has ended: %v", err)
		}
		if stat.Uid == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s belongs to the user: every process of the user can read it", environ)
}

// TestK16_DoctorDocker: a docker socket is reported as root.
func TestK16_DoctorDocker(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "d.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Setenv("DOCKER_HOST", "unix://"+socket)
	cmd := exec.Command("gongu", "doctor")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil || !regexp.MustCompile(`(?m)^note +docker +\S+ can be written: .* is root$`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// K16: a file that the caller of gongu left open does not reach the programs that
// gongu starts: their sandbox does not cover what is open already.
func TestK16_DescriptorsAreNotPassedOn(t *testing.T) {
	dir := t.TempDir()
	bundle := "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: bash}\nspec: {entry: 'builtin:bash', exports: [{name: exec}]}\n"
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(bundle), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := exec.LookPath("gongu")
	if err != nil {
		t.Fatal(err)
	}
	open, err := os.Create(filepath.Join(t.TempDir(), "left-open"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	cmd := exec.Command(source, "call", "--permission", "bypass", "bash__exec", `{"command":"ls -l /proc/self/fd"}`)
	cmd.Dir, cmd.ExtraFiles = dir, []*os.File{open}
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GONGU_STATE_ROOT="+filepath.Join(home, "state"), "CONSENT=auto")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "/proc/") || strings.Contains(string(out), "left-open") {
		t.Errorf("%v %s", err, out)
	}
}
