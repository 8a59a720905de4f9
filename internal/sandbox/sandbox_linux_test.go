package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/oldkernel"
	"golang.org/x/sys/unix"
)

const (
	escapeVariable = "GONGU_TEST_ESCAPE"
	lacksVariable  = "GONGU_TEST_LACKS"
	// noSleep: a program with the race detector sleeps before it exits.
	noSleep = "GORACE=atexit_sleep_ms=0"
)

func TestMain(m *testing.M) {
	LauncherMain()
	if lacks := os.Getenv(lacksVariable); lacks != "" {
		env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, lacksVariable) })
		fmt.Println(oldkernel.Exec("/proc/self/exe", os.Args, env, strings.Split(lacks, ",")...))
		os.Exit(1)
	}
	if what := os.Getenv(escapeVariable); what != "" {
		escape(what, os.Args[1:])
		os.Exit(0)
	}
	// As gongu does: what has a hidden process as its parent must work as well.
	if err := HideProcess(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// place is a machine in a folder: what a sandbox hides, and where it works.
type place struct {
	t                             *testing.T
	home, state, workdir, project string
	policy                        *Policy
	reported                      []string
}

// newPlace needs the kernel of a current Linux. A machine without Landlock fails
// here instead of passing in silence; the fallback has tests of its own.
func newPlace(t *testing.T) *place {
	t.Helper()
	if landlockVersion() < abiTruncate || !filtersNetwork() {
		t.Fatalf("these tests need Landlock 3 and seccomp filters; this kernel has Landlock %d, seccomp filters: %t", landlockVersion(), filtersNetwork())
	}
	// Not below the temporary folder, which programs may write to.
	home, err := os.MkdirTemp("/var/tmp", "sandbox-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	p := &place{t: t, home: home, state: filepath.Join(home, ".local/state/gongu"), project: filepath.Join(home, "project")}
	p.workdir = filepath.Join(p.state, "instances/a/workspace")
	for _, dir := range []string{p.workdir, p.project, filepath.Join(home, ".config/gongu"), filepath.Join(home, ".config/other")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(p.state, "tokens.json"), p.at(".config/gongu/trust.json"), p.at(".claude.json"), p.at(".config/other/a"), p.at("notes"), filepath.Join(p.project, "code")} {
		if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.policy = &Policy{
		ReadAll: true, Workdir: p.workdir, Hidden: []string{p.state, p.at(".config/gongu"), p.at(".claude.json"), p.at(".codex")},
		Write: []string{os.TempDir()}, Launcher: testLauncher(self),
		Report: p.report,
	}
	return p
}

func (p *place) report(missing []lang.Message) {
	for _, m := range missing {
		p.reported = append(p.reported, m.In(lang.English))
	}
}

func (p *place) at(path string) string { return filepath.Join(p.home, path) }

// run runs a program in the sandbox and returns what it printed and how it
// ended.
func (p *place) run(env []string, argv ...string) (string, error) {
	p.t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.workdir, append([]string{"PATH=" + os.Getenv("PATH"), "GOMAXPROCS=2", noSleep}, env...), &out, &out
	cmd.WaitDelay = 10 * time.Second
	if err := p.policy.Start(cmd); err != nil {
		return "", err
	}
	err := cmd.Wait()
	return out.String(), err
}

func (p *place) shell(line string) string {
	p.t.Helper()
	out, err := p.run(nil, "/bin/sh", "-c", line)
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		p.t.Fatalf("%s: %v (%v)", line, err, exit)
	}
	return out
}

// refused tries an escape and wants it to fail.
func (p *place) refused(what string, args ...string) {
	p.t.Helper()
	out, err := p.try(what, args...)
	if err != nil || !strings.HasPrefix(out, "refused:") {
		p.t.Errorf("%s %v: %q, %v; want it refused", what, args, out, err)
	}
}

func (p *place) allowed(what string, args ...string) {
	p.t.Helper()
	out, err := p.try(what, args...)
	if err != nil || out != "ESCAPED\n" {
		p.t.Errorf("%s %v: %q, %v; want it allowed", what, args, out, err)
	}
}

func (p *place) try(what string, args ...string) (string, error) {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	return p.run([]string{escapeVariable + "=" + what}, append([]string{self}, args...)...)
}

// bothWays runs a test with the restricted thread and through the launcher.
func bothWays(t *testing.T, test func(t *testing.T, p *place)) {
	for _, namespaces := range []bool{false, true} {
		t.Run(fmt.Sprintf("namespaces=%t", namespaces), func(t *testing.T) {
			p := newPlace(t)
			p.policy.Namespaces = namespaces
			test(t, p)
			if len(p.reported) > 0 {
				t.Errorf("reported as missing: %q", p.reported)
			}
		})
	}
}

// TestK16_Files: state, configuration and client files are out of reach by any
// name; the rest can be read, and only the working directory and the temporary
// folder written.
func TestK16_Files(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		token := filepath.Join(p.state, "tokens.json")
		for _, path := range []string{token, p.at(".config/gongu/trust.json"), p.at(".claude.json")} {
			p.refused("read", path)
			p.refused("write", path)
			p.refused("truncate", path)
			p.refused("remove", path)
			p.refused("rename", path, filepath.Join(p.workdir, "stolen"))
			p.refused("link", path, filepath.Join(p.workdir, "stolen"))
		}
		p.refused("read", "../../../tokens.json")
		p.refused("read", "/proc/self/cwd/../../../tokens.json")
		p.refused("read", "/proc/self/root"+token)
		if err := os.Symlink(token, filepath.Join(p.workdir, "link")); err != nil {
			t.Fatal(err)
		}
		p.refused("read", "link")
		p.refused("write", "link")

		for _, path := range []string{p.at("notes"), p.at(".config/other/a"), filepath.Join(p.project, "code"), "/etc/hostname"} {
			p.allowed("read", path)
			p.refused("write", path)
			p.refused("truncate", path)
		}
		p.refused("write", p.at("new"))
		p.refused("write", filepath.Join(p.project, "new"))
		p.refused("write", filepath.Join(p.state, "new"))
		p.refused("write", "/dev/shm/sandbox-test")
		p.refused("write", "/etc/sandbox-test")
		p.allowed("write", filepath.Join(p.workdir, "new"))
		p.allowed("write", filepath.Join(t.TempDir(), "new"))
		if got := p.shell("ls / >/dev/null && ls " + p.home + " >/dev/null && echo a >b && mkdir c && mv b c/ && cat c/b && rm -r c && echo $((1+1)) >/dev/null"); got != "a\n" {
			t.Errorf("ordinary work: %q", got)
		}
	})
}

// TestK16_Later: a hidden folder that is made while a program runs is hidden, too.
func TestK16_Later(t *testing.T) {
	p := newPlace(t)
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(p.workdir, "ready")); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		_ = os.Mkdir(p.at(".codex"), 0o755)
		_ = os.WriteFile(p.at(".codex/config.toml"), []byte("secret"), 0o600)
		_ = os.WriteFile(filepath.Join(p.workdir, "go"), nil, 0o600)
	}()
	out := p.shell("echo >ready; i=0; while [ ! -e go ] && [ $i -lt 500 ]; do sleep 0.01; i=$((i+1)); done; cat " + p.at(".codex/config.toml"))
	if strings.Contains(out, "secret") || !strings.Contains(out, "denied") {
		t.Errorf("a file of a folder that was made later: %q", out)
	}
}

// TestK16_SwappedLink: a declared folder that becomes a link into the state
// gives nothing, however often it is swapped during starts.
func TestK16_SwappedLink(t *testing.T) {
	p := newPlace(t)
	declared, good, bad := p.at("data"), p.at("good"), p.at("bad")
	for _, dir := range []string{good, bad} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(p.state, filepath.Join(bad, "to")); err != nil {
		t.Fatal(err)
	}
	p.policy.Write = append(p.policy.Write, declared)
	stop := make(chan struct{})
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := []string{good, p.state, bad + "/to"}[i%3]
			temporary := p.at("next")
			_ = os.Remove(temporary)
			if os.Symlink(next, temporary) == nil {
				_ = os.Rename(temporary, declared)
			}
		}
	}()
	for range 15 {
		p.refused("read", filepath.Join(p.state, "tokens.json"))
		p.refused("write", filepath.Join(p.state, "planted"))
	}
	close(stop)
	<-swapped
}

// TestK16_ReadList: with a list of folders, nothing else of the user is read.
func TestK16_ReadList(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		p.policy.ReadAll, p.policy.Read = false, []string{p.project, p.at(".config/gongu"), filepath.Dir(testBinary(t))}
		p.allowed("read", filepath.Join(p.project, "code"))
		p.allowed("read", "/etc/hostname")
		p.refused("read", p.at("notes"))
		p.refused("read", p.at(".config/gongu/trust.json"))
		p.refused("write", filepath.Join(p.project, "code"))
		if got := p.shell("echo works"); got != "works\n" {
			t.Errorf("a shell prints %q", got)
		}
	})
}

// testLauncher is this binary as a launcher.
func testLauncher(self string) []string { return []string{"/usr/bin/env", noSleep, self} }

func testBinary(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// TestK16_ParentProcess (attack 15): environment, memory, files and root of the
// process that started the program are out of reach, and so is ending it.
func TestK16_ParentProcess(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		parent := fmt.Sprintf("/proc/%d", os.Getpid())
		for _, file := range []string{"environ", "mem", "root/etc/hostname", "cwd/go.mod", "maps", "auxv"} {
			p.refused("read", filepath.Join(parent, file))
		}
		p.refused("ptrace", strconv.Itoa(os.Getpid()))
		if landlockVersion() >= abiScope {
			p.refused("kill", strconv.Itoa(os.Getpid()))
		}
		p.refused("privileges")
		p.refused("tty")
		if out := p.shell("cut -d' ' -f1,6 /proc/$$/stat"); !p.policy.Namespaces {
			if pid, session, _ := strings.Cut(strings.TrimSpace(out), " "); pid == "" || pid != session {
				t.Errorf("process and session: %q, want a session of its own", out)
			}
		}
	})
}

// TestK16_Root: what a user with all rights could do on top.
func TestK16_Root(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		p.refused("mount", p.workdir)
		p.refused("chroot", p.workdir)
		p.refused("mknod", filepath.Join(p.workdir, "disk"))
		p.refused("unshare")
		p.policy.Write = append(p.policy.Write, "/") // as --root / does
		device := filepath.Join("/dev/shm", filepath.Base(p.home))
		if err := os.WriteFile(device, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(device)
		p.refused("read", device)
		p.refused("read", filepath.Join(p.state, "tokens.json"))
		if out := p.shell("cat /dev/vda 2>&1 | head -c 10; grep CapEff /proc/self/status"); strings.Contains(out, "CapEff:\t000001ff") {
			t.Errorf("all capabilities are left: %s", out)
		}
	})
}

// TestK16_NetworkNone: no socket of any kind, by the filter alone and with a
// namespace.
func TestK16_NetworkNone(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		p.policy.Network = NetworkNone
		for _, target := range listeners(t) {
			p.refused("dial", target.Network(), target.String())
		}
		for _, family := range []int{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_VSOCK, unix.AF_ALG} {
			p.refused("socket", strconv.Itoa(family))
		}
		p.refused("listen")
	})
}

// TestK16_NetworkAll is what the others are compared with: everything is reached.
func TestK16_NetworkAll(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		for _, target := range listeners(t) {
			p.allowed("dial", target.Network(), target.String())
		}
		p.allowed("listen")
	})
}

// TestK16_NetworkLoopback: the program reaches itself, and not the machine.
func TestK16_NetworkLoopback(t *testing.T) {
	p := newPlace(t)
	p.policy.Network = NetworkLoopback
	for _, target := range listeners(t) {
		if target.Network() == "udp" {
			continue // sending succeeds; nothing arrives, see below
		}
		p.refused("dial", target.Network(), target.String())
	}
	p.allowed("listen")
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	if _, err := p.try("dial", "udp", udp.LocalAddr().String()); err != nil {
		t.Fatal(err)
	}
	_ = udp.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	if n, _, err := udp.ReadFrom(make([]byte, 16)); err == nil {
		t.Errorf("%d bytes arrived over UDP", n)
	}
}

// listeners are servers of the machine: TCP, UDP, a Unix socket with a path and
// one without.
func listeners(t *testing.T) []net.Addr {
	t.Helper()
	var list []net.Addr
	for _, at := range [][2]string{{"tcp", "127.0.0.1:0"}, {"tcp", "[::1]:0"}, {"unix", filepath.Join(t.TempDir(), "s")}, {"unix", "@" + filepath.Base(t.TempDir()) + t.Name()}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		list = append(list, l.Addr())
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = udp.Close() })
	return append(list, udp.LocalAddr())
}

// TestK16_Memory: a balloon is refused, and with namespaces also one of several
// processes, each within its limit.
func TestK16_Memory(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		p.policy.Memory = 200 << 20
		if out, err := p.run(nil, "/bin/sh", "-c", `x=a; while :; do x="$x$x"; done`); err == nil {
			t.Errorf("a balloon: %.200q, %v", out, err)
		}
		if out := p.shell("head -c 50000000 /dev/zero | tail -c 40000000 | wc -c"); out != "40000000\n" {
			t.Errorf("less than the limit: %q", out)
		}
		several := "for i in 1 2 3 4; do (head -c 110000000 /dev/zero; sleep 3) | tail -c 100000000 >/dev/null & done; wait; echo survived"
		if out := p.shell(several); p.policy.Namespaces && (strings.Contains(out, "survived") || !strings.Contains(out, "bytes of memory")) {
			t.Errorf("several processes: %q", out)
		}
		if out := p.shell("ulimit -c; ulimit -d"); out != "0\n204800\n" {
			t.Errorf("limits: %q", out)
		}
	})
}

func TestK16_CPU(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		p.policy.CPU = time.Second
		began := time.Now()
		out, err := p.try("spin")
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || strings.Contains(out, "ESCAPED") {
			t.Fatalf("%q, %v after %s", out, err, time.Since(began))
		}
		if status, ok := exit.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
			t.Errorf("it ended with %v, want SIGKILL of the limit", err)
		}
	})
}

// TestK16_Processes: a fork bomb ends, and nothing of it is left.
func TestK16_Processes(t *testing.T) {
	p := newPlace(t)
	p.policy.Processes = 20
	out, err := p.try("forks", "500")
	if err == nil || strings.Contains(out, "ESCAPED") {
		t.Errorf("%q, %v; want it ended", out, err)
	}
	out, err = p.run(nil, "/bin/sh", "-c", "b() { b | b & }; b; sleep 3")
	if !strings.Contains(out, "more than 20 processes") && !strings.Contains(out, "Cannot fork") {
		t.Errorf("fork bomb: %.300q, %v", out, err)
	}
	p.allowed("listen") // and a few are fine
	if len(p.reported) > 0 {
		t.Errorf("reported as missing: %q", p.reported)
	}
}

// TestK16_Stray: with a PID namespace, a process that left the group ends with
// the program.
func TestK16_Stray(t *testing.T) {
	p := newPlace(t)
	p.policy.Namespaces = true
	p.shell("setsid sh -c 'while :; do date +%N >beat; sleep 0.02; done' >/dev/null 2>&1 & while [ ! -e beat ]; do sleep 0.01; done")
	time.Sleep(100 * time.Millisecond)
	before, err := os.ReadFile(filepath.Join(p.workdir, "beat"))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if after, _ := os.ReadFile(filepath.Join(p.workdir, "beat")); !bytes.Equal(before, after) {
		t.Error("a process with a session of its own outlived the program")
	}
}

// TestK16_Ends: the launcher ends the way the program does.
func TestK16_Ends(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		for line, want := range map[string]string{
			"exit 0": "", "exit 7": "exit status 7", "kill -TERM $$": "signal: terminated", "kill -KILL $$": "signal: killed", "kill -USR1 $$": "signal: user defined signal 1",
			"kill -SEGV $$": "signal: segmentation fault",
		} {
			_, err := p.run(nil, "/bin/sh", "-c", line)
			if got := fmt.Sprint(err); err != nil && got != want || err == nil && want != "" {
				t.Errorf("%s: %v, want %q", line, err, want)
			}
		}
		if _, err := p.run(nil, "/nowhere/program"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a missing program: %v", err)
		}
	})
}

// restrictedThreads returns the state of the threads of this process that cannot
// gain rights any more.
func restrictedThreads(t *testing.T) (restricted []string) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(tasks) == 0 {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if raw, err := os.ReadFile(task); err == nil && !strings.Contains(string(raw), "NoNewPrivs:\t0") {
			restricted = append(restricted, string(raw))
		}
	}
	return restricted
}

// TestThreadsKeepTheirRights: only the thread that starts a program is
// restricted, and it does not come back.
func TestThreadsKeepTheirRights(t *testing.T) {
	p := newPlace(t)
	p.policy.Network = NetworkNone
	for range 30 {
		p.shell("true")
	}
	// A thread that has started its program may still be on its way out.
	deadline := time.Now().Add(10 * time.Second)
	for restricted := restrictedThreads(t); len(restricted) > 0; restricted = restrictedThreads(t) {
		if time.Now().After(deadline) {
			t.Fatalf("restricted:\n%s", strings.Join(restricted, "\n"))
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := os.ReadFile(filepath.Join(p.state, "tokens.json")); err != nil {
		t.Error(err)
	}
}

// TestK16_TemporaryFolder: with a hidden path in the temporary folder, programs
// get another one and still cannot reach the path.
func TestK16_TemporaryFolder(t *testing.T) {
	p := newPlace(t)
	t.Setenv("TMPDIR", p.home)
	p.policy.Write = []string{os.TempDir()}
	if out := p.shell("f=$(mktemp) && echo works >$f && cat $f && rm $f; echo $TMPDIR"); !strings.HasPrefix(out, "works\n"+p.home+"/gongu-programs-") {
		t.Errorf("a temporary file: %q", out)
	}
	p.refused("write", p.at("new"))
	p.refused("read", p.at(".claude.json"))
}

// TestK16_Pipes: a launcher does not hold the pipes that its program closes.
func TestK16_Pipes(t *testing.T) {
	p := newPlace(t)
	p.policy.Namespaces = true
	cmd := exec.Command("/bin/sh", "-c", "echo out; exec >&-; sleep 20")
	cmd.Dir, cmd.Env = p.workdir, []string{"PATH=" + os.Getenv("PATH")}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.policy.Start(cmd); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	raw, err := io.ReadAll(out)
	if string(raw) != "out\n" || err != nil || time.Since(began) > 10*time.Second {
		t.Errorf("%q, %v after %s", raw, err, time.Since(began))
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if err := cmd.Wait(); err == nil {
		t.Error("it was not killed")
	}
}

// TestK16_DockerSocket: a socket of Docker that can be written is found.
func TestK16_DockerSocket(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "d.sock")
	t.Setenv("DOCKER_HOST", "unix://"+socket)
	before := DockerSocket()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := DockerSocket(); before == "" && got != socket || got == "" {
		t.Errorf("%q, and %q before there was one", got, before)
	}
}

// TestK16_Copies: the bundle is readable below a hidden folder, and nothing
// beside it.
func TestK16_Copies(t *testing.T) {
	bothWays(t, func(t *testing.T, p *place) {
		p.policy.Copies = []string{p.at(".config/gongu/bundle")}
		if err := os.MkdirAll(p.at(".config/gongu/bundle"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.at(".config/gongu/bundle/tool"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
		p.allowed("read", p.at(".config/gongu/bundle/tool"))
		p.refused("write", p.at(".config/gongu/bundle/tool"))
		p.refused("read", p.at(".config/gongu/trust.json"))
	})
}

// TestK16_NoLauncher: without a launcher a loopback is no network, not the
// machine's.
func TestK16_NoLauncher(t *testing.T) {
	p := newPlace(t)
	p.policy.Launcher, p.policy.Network = nil, NetworkLoopback
	for _, target := range listeners(t) {
		p.refused("dial", target.Network(), target.String())
	}
	if len(p.reported) == 0 || !strings.Contains(p.reported[0], "no network instead of a loopback") {
		t.Errorf("reported as missing: %q", p.reported)
	}
	p.policy.Required = true
	if _, err := p.try("listen"); !errors.Is(err, ErrMissing) {
		t.Errorf("required: %v", err)
	}
}
