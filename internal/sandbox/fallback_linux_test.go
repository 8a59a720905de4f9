package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestK16_Fallback: on a kernel that lacks something, a program starts with what
// there is and the rest is named, and a required sandbox refuses to start.
func TestK16_Fallback(t *testing.T) {
	// Root and others differ in what the kernel lets them do.
	dir, err := os.MkdirTemp("/var/tmp", "sandbox-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	raw, err := os.ReadFile(testBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "sandbox.test")
	if err := errors.Join(os.WriteFile(binary, raw, 0o755), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, lacks := range []string{"landlock", "seccomp", "namespaces", "landlock,namespaces", "landlock,seccomp,namespaces", "landlock,namespaces as nobody", "seccomp as nobody"} {
		t.Run(lacks, func(t *testing.T) {
			lacks, other := strings.CutSuffix(lacks, " as nobody")
			cmd := exec.Command(binary, "-test.run=^TestInsideFallback$", "-test.v")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), lacksVariable+"="+lacks, "GONGU_TEST_INSIDE="+lacks, "TMPDIR="+dir, noSleep)
			if other && os.Getuid() == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "--- PASS: TestInsideFallback") {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}

// TestInsideFallback is run by TestK16_Fallback, on its kernel.
func TestInsideFallback(t *testing.T) {
	inside := os.Getenv("GONGU_TEST_INSIDE")
	if inside == "" {
		return // TestK16_Fallback runs it
	}
	lacks := strings.Split(inside, ",")
	home := t.TempDir()
	secret := filepath.Join(home, "state/secret")
	if err := os.MkdirAll(filepath.Dir(secret), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, home: home, workdir: home}
	p.policy = &Policy{
		ReadAll: true, Hidden: []string{filepath.Dir(secret)}, Network: NetworkNone, Namespaces: true, Processes: 50, Memory: 1 << 30,
		Launcher: testLauncher(testBinary(t)), Report: p.report,
	}
	if out := p.shell("echo works; ulimit -d"); out != "works\n1048576\n" {
		t.Errorf("a program prints %q", out)
	}
	for what, words := range map[string]string{"landlock": "files are not confined", "seccomp": "seccomp", "namespaces": "starts a new session"} {
		if slices.Contains(lacks, what) != strings.Contains(strings.Join(p.reported, "; "), words) {
			t.Errorf("without %s, reported: %q", inside, p.reported)
		}
	}
	p.policy.Memory = 0 // the race detector needs more
	if !slices.Contains(lacks, "landlock") {
		p.refused("read", secret)
	}
	// The launcher is of the same user.
	if out := p.shell("cat /proc/$PPID/environ /proc/1/environ 2>&1"); strings.Count(out, "denied") != 2 {
		t.Errorf("the environment of the launcher: %q", out)
	}
	if !slices.Contains(lacks, "seccomp") {
		p.refused("socket", "1")
	}
	for _, network := range []Network{NetworkNone, NetworkLoopback} {
		p.policy.Network = network
		if slices.Contains(lacks, "namespaces") && !slices.Contains(lacks, "seccomp") {
			p.refused("socket", "2") // a loopback that would be the machine's is none
		}
	}
	p.policy.Network, p.policy.Required = NetworkNone, true
	_, err := p.run(nil, "/bin/sh", "-c", "echo ran >"+filepath.Join(home, "ran"))
	if !errors.Is(err, ErrMissing) {
		t.Errorf("a required sandbox: %v", err)
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("the program ran without the required sandbox")
	}
}
