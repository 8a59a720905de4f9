//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/secondid"
)

// otherUser is the id of another user.
const otherUser = 65534

// publicProgram copies this program to where every user can start it as gongu.
func publicProgram(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("gongu")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	dir := publicDir(t)
	to := filepath.Join(dir, "gongu")
	if err = errors.Join(err, os.WriteFile(to, raw, 0o755), os.Chmod(to, 0o755)); err != nil {
		t.Fatal(err)
	}
	return to
}

// publicDir is a folder that every user can enter.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "gongu-public")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// asOther runs a program as another user, whose home is a folder of its own.
func asOther(t *testing.T, home string, program string, args ...string) (out string, status int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + home, "GORACE=atexit_sleep_ms=0", "CONSENT=auto"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
	raw, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	return string(raw), cmd.ProcessState.ExitCode()
}

// TestHoldLocks is run as another user by the test of attack 13: it locks what it
// can open below some folders until its input ends.
func TestHoldLocks(t *testing.T) {
	places := os.Getenv("HOLD_LOCKS")
	if places == "" {
		return // a part of another test
	}
	held := 0
	for _, place := range filepath.SplitList(places) {
		_ = filepath.WalkDir(place, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == "gongu.lock" || !strings.Contains(entry.Name(), ".lock") {
				return nil
			}
			if file, err := os.Open(path); err == nil && syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
				held++ // the file stays open
			}
			return nil
		})
	}
	fmt.Printf("HELD %d\n", held)
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// attack 13: another user can hold no lock of ours, so revoking a token, changing
// pins and filing a request go on.
func TestAttack13_OtherUserHoldsNoLock(t *testing.T) {
	if !secondid.Here(t) {
		return
	}
	program := publicProgram(t)
	before := syscall.Umask(0) // the most that others could be given
	defer syscall.Umask(before)
	dir := publicDir(t)
	home := filepath.Join(dir, "home")
	bundle := filepath.Join(dir, "bundle")
	if err := errors.Join(os.Mkdir(home, 0o755), os.Mkdir(bundle, 0o755), os.WriteFile(filepath.Join(bundle, "gongu.yaml"), []byte(stateBundle), 0o644)); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command(program, append(args, "-b", bundle)...)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + home, "GORACE=atexit_sleep_ms=0", "CONSENT=auto"}
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if _, err := asPerson(cmd, "y"); err != nil {
			t.Errorf("gongu %v: %v: %s", args, err, &out)
		}
		return out.String()
	}
	run("tools") // makes the cache, and with it the state root
	run("token", "new", "--name", "stolen")
	run("call", "request_tool", `{"name":"one","description":"d"}`)
	// The test's program holds what it can.
	copied := filepath.Join(dir, "test")
	raw, err := os.ReadFile(os.Args[0])
	if err = errors.Join(err, os.WriteFile(copied, raw, 0o755)); err != nil {
		t.Fatal(err)
	}
	holder := exec.Command(copied, "-test.run=^TestHoldLocks$")
	holder.Dir = "/"
	holder.Env = []string{"HOLD_LOCKS=" + dir + string(filepath.ListSeparator) + bundle}
	holder.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}, Pdeathsig: syscall.SIGKILL}
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = holder.Wait() }()
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "HELD") {
	}
	if lines.Text() != "HELD 0" {
		t.Errorf("another user: %q", lines.Text())
	}
	began := time.Now()
	run("token", "revoke", "stolen")
	run("call", "request_tool", `{"name":"two","description":"d"}`)
	run("tools", "--refresh")
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("took %s", took)
	}
}

// K1: where the bundle cannot be written, the lock file and the requests go to the
// state root: they begin with what the bundle has, and begin again when that
// changes.
func TestK1_ReadOnlyBundle(t *testing.T) {
	if !secondid.Here(t) {
		return
	}
	program := publicProgram(t)
	dir := publicDir(t)
	home, bundle := filepath.Join(dir, "home"), filepath.Join(dir, "bundle")
	committed := `{"version":1,"sources":{}}` + "\n"
	lock := filepath.Join(bundle, "gongu.lock")
	if err := errors.Join(os.Mkdir(home, 0o700), os.Chown(home, otherUser, otherUser), os.Mkdir(bundle, 0o755),
		os.WriteFile(filepath.Join(bundle, "gongu.yaml"), []byte(stateBundle), 0o644)); err != nil {
		t.Fatal(err)
	}
	gongu := func(args ...string) string {
		t.Helper()
		out, status := asOther(t, home, program, append(args, "-b", bundle)...)
		if status != exitOK {
			t.Errorf("gongu %v: status %d: %s", args, status, out)
		}
		return out
	}
	gongu("call", "request_tool", `{"name":"wanted","description":"d"}`)
	gongu("tools")
	if out := gongu("requests", "list"); !strings.Contains(out, "wanted") {
		t.Errorf("%s", out)
	}
	if entries, err := os.ReadDir(bundle); err != nil || len(entries) != 1 {
		t.Errorf("the bundle has %v, %v", entries, err)
	}
	root := strings.TrimSpace(gongu("state", "path"))
	private(t, root)
	for _, name := range []string{"tool-requests.json", "gongu.lock"} {
		if !exists(filepath.Join(root, name)) {
			t.Errorf("%s is not in the state root", name)
		}
	}
	for _, text := range []string{committed, committed + "\n"} {
		if err := os.WriteFile(lock, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(lock, 0, 0); err != nil {
			t.Fatal(err)
		}
		gongu("pins", "list")
		if got, err := os.ReadFile(filepath.Join(root, "gongu.lock")); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	gongu("tools", "--refresh")
	gongu("pins", "list")
	if got, err := os.ReadFile(filepath.Join(root, "gongu.lock")); err != nil || !strings.Contains(string(got), "counted") {
		t.Errorf("what was pinned here is lost: %q, %v", got, err)
	}
}

// K1: a state root that cannot be written, or that belongs to another user, ends
// with status 2 and names the flag.
func TestK1_UnusableStateRoot(t *testing.T) {
	if !secondid.Here(t) {
		return
	}
	program := publicProgram(t)
	dir := publicDir(t)
	closed, foreign := filepath.Join(dir, "closed"), filepath.Join(dir, "foreign")
	if err := errors.Join(os.Mkdir(closed, 0o755), os.Mkdir(foreign, 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"a home that cannot be written":   {"call", "text-transform__case", `{"text":"a","to":"upper"}`},
		"a folder that cannot be written": {"serve", "--http", "127.0.0.1:0", "--state-root", filepath.Join(closed, "state")},
		"a folder of another user":        {"tools", "--state-root", foreign},
		"tokens of another user":          {"token", "list", "--state-root", foreign},
		"a planted default":               {"token", "list", "--lang", "ko"},
	} {
		home := closed
		if name == "a planted default" {
			home = publicDir(t)
			planted := filepath.Join(home, ".local", "state", "gongu")
			if err := os.MkdirAll(planted, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if out, status := asOther(t, home, program, args...); status != exitUsage || !strings.Contains(out, "--state-root") {
			t.Errorf("%s: status %d: %s", name, status, out)
		}
	}
	if out, status := asOther(t, "", program, "tools"); status != exitUsage || !strings.Contains(out, "--state-root") {
		t.Errorf("without a home: status %d: %s", status, out)
	}
}

// K1, K11: a full disk and a read-only file system end in errors that say so, never
// in a half-written file.
func TestK1_FullDisk(t *testing.T) {
	if exec.Command("unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=256k none /mnt").Run() != nil {
		t.Skip("no file system can be mounted here") //rules:skip a small file system takes the right to mount
	}
	bundle := t.TempDir()
	if err := os.WriteFile(filepath.Join(bundle, "gongu.yaml"), []byte(stateBundle), 0o600); err != nil {
		t.Fatal(err)
	}
	inMount := func(script string) string {
		cmd := exec.Command("unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=256k none /mnt && "+script)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "B="+bundle, "XDG_RUNTIME_DIR=", "CONSENT=auto")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_, err := asPerson(cmd, "y")
		return fmt.Sprintf("%s%v", &out, err)
	}
	full := inMount(`gongu token new --name first -b $B --state-root /mnt/s >/dev/null 2>&1; cp /mnt/s/tokens.json /tmp/before.$$;
dd if=/dev/zero of=/mnt/fill bs=1k 2>/dev/null; gongu token new --name second -b $B --state-root /mnt/s; echo status $?;
cmp /mnt/s/tokens.json /tmp/before.$$ && echo unchanged; rm /tmp/before.$$; gongu token list -b $B --state-root /mnt/s;
timeout 20 gongu serve -b $B --state-root /mnt/s --http 127.0.0.1:0 </dev/null & sleep 3; kill $!; wait $!; ls -A /mnt/s /mnt/s/servers`)
	if !strings.Contains(full, "no space left") || !strings.Contains(full, "unchanged") || !strings.Contains(full, "first") || strings.Contains(full, "panic") {
		t.Errorf("full: %s", full)
	}
	if _, left, _ := strings.Cut(full, "/mnt/s:\n"); strings.Contains(left, ".tmp") || strings.Contains(left, "attach.key") {
		t.Errorf("something was left: %s", left)
	}
	readOnly := inMount(`mkdir -m 700 /mnt/s && mount -o remount,ro /mnt; gongu call -b $B --state-root /mnt/s file-system__write '{"path":"a","content":"x"}'; echo status $?`)
	if !strings.Contains(readOnly, "status 2") || !strings.Contains(readOnly, "--state-root") || !strings.Contains(readOnly, "read-only") {
		t.Errorf("read-only: %s", readOnly)
	}
}
