package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Start starts the command under the policy; a nil policy confines nothing. The
// command gets a new session, so that it has no terminal to type into.
func (p *Policy) Start(cmd *exec.Cmd) error {
	if p == nil {
		return cmd.Start()
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setpgid = true, false
	if err := p.replaceTemp(cmd); err != nil {
		return err
	}
	if p.needsNamespaces() && len(p.Launcher) > 0 {
		return p.launch(cmd)
	}
	if err := p.settle(p.missing(p.noLauncher())); err != nil {
		return err
	}
	confined := *p
	if p.Network == NetworkLoopback {
		confined.Network = NetworkNone // a loopback without a namespace is the machine's
	}
	r, err := confined.landlock(cmd.Path)
	if err != nil {
		return err
	}
	if r != nil {
		defer r.file.Close()
	}
	return confined.confine(cmd, r)
}

// noLauncher is why a policy that is kept by one thread has no namespaces.
func (p *Policy) noLauncher() lang.Message {
	if !p.needsNamespaces() {
		return lang.Message{}
	}
	return lang.SandboxNoLauncher.With()
}

// missing lists what the system lacks for this policy. Why is empty with
// namespaces, and otherwise the reason that there are none.
func (p *Policy) missing(why lang.Message) []lang.Message {
	var list []lang.Message
	add := func(when bool, m lang.Message) {
		if when {
			list = append(list, m)
		}
	}
	version, filters, namespaces := landlockVersion(), filtersNetwork(), why.IsZero()
	add(version == 0, lang.SandboxNoFiles.With())
	add(version > 0 && version < abiTruncate, lang.SandboxTruncate.With(version))
	add(p.Network == NetworkNone && !filters && version < abiNet, lang.SandboxNoSeccomp.With())
	add(p.Network == NetworkNone && !filters && version >= abiNet, lang.SandboxTCPOnly.With())
	add(p.Network == NetworkLoopback && !namespaces && filters, lang.SandboxNoLoopback.With(why))
	add(p.Network == NetworkLoopback && !namespaces && !filters, lang.SandboxOpenLoopback.With(why))
	add(p.Processes > 0 && !namespaces, lang.SandboxNoCount.With(why))
	add(p.Namespaces && !namespaces, lang.SandboxStray.With(why))
	return list
}

// confine starts the command from a thread that has restricted itself and that
// ends afterwards. The rules may be nil.
func (p *Policy) confine(cmd *exec.Cmd, r *rules) error {
	done := make(chan error, 1)
	go p.onThread(cmd, r, done)
	return <-done
}

func (p *Policy) onThread(cmd *exec.Cmd, r *rules, done chan<- error) {
	// There is no unlock: a thread whose goroutine ends while it is locked is
	// not used again, and takes its restrictions with it.
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		// The main thread cannot end. While this goroutine holds it, another one
		// runs on another thread.
		defer runtime.UnlockOSThread()
		inner := make(chan error, 1)
		go p.onThread(cmd, r, inner)
		done <- <-inner
		return
	}
	err := p.restrict(r)
	if err == nil {
		err = p.startLimited(cmd)
	}
	done <- err
}

// restrict drops rights of this thread. They cannot be regained.
func (p *Policy) restrict(r *rules) error {
	dropCapabilities()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	if r != nil {
		if err := ll.LandlockRestrictSelf(int(r.file.Fd()), 0); err != nil {
			return fmt.Errorf("apply the rules of the sandbox: %w", err)
		}
	}
	if err := p.refuseSockets(); err != nil {
		return fmt.Errorf("confine the network: %w", err)
	}
	return nil
}

// dropCapabilities leaves a program of root what it needs to work on files and
// as other users. Without CAP_SYS_PTRACE, CAP_SYS_ADMIN and their like it cannot
// look into this process. A program of another user gets none at all.
func dropCapabilities() {
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // there are none outside a launcher
	kept := []int{
		unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID,
		unix.CAP_NET_BIND_SERVICE, unix.CAP_NET_RAW,
	}
	for capability := range unix.CAP_LAST_CAP + 1 {
		if !slices.Contains(kept, capability) && unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(capability), 0, 0, 0) == unix.EPERM {
			return // there is nothing to give up
		}
	}
}

// startLimited starts the command with its resource limits. Limits belong to a
// whole process, so they cannot be set on this thread; the command is stopped
// before its first instruction instead, as a debugger does it.
func (p *Policy) startLimited(cmd *exec.Cmd) error {
	limits := p.limits()
	if len(limits) == 0 {
		return cmd.Start()
	}
	again := *cmd
	attributes := *cmd.SysProcAttr
	cmd.SysProcAttr.Ptrace = true
	err := cmd.Start()
	if errors.Is(err, unix.EPERM) { // debugging is forbidden here
		*cmd, again.SysProcAttr = again, &attributes
		if err = cmd.Start(); err == nil {
			err = limit(cmd.Process.Pid, limits)
		}
		return err
	}
	if err != nil {
		return err
	}
	pid := cmd.Process.Pid
	var status unix.WaitStatus
	for {
		_, err = unix.Wait4(pid, &status, 0, nil)
		if err != unix.EINTR {
			break
		}
	}
	if err == nil && !status.Stopped() {
		return errors.New("the program ended before its limits were set")
	}
	if err == nil {
		err = errors.Join(limit(pid, limits), unix.PtraceDetach(pid))
	}
	if err != nil {
		_ = cmd.Process.Kill()
		return fmt.Errorf("limit the program: %w", err)
	}
	return nil
}

type limitOf struct {
	resource  int
	soft, max uint64
}

// limits are those of each process. Memory counts what a process can write to
// and shares with no one: an address space says nothing about programs that
// reserve much and use little, such as Node.
func (p *Policy) limits() []limitOf {
	var list []limitOf
	if p.Memory > 0 {
		list = append(list, limitOf{unix.RLIMIT_DATA, uint64(p.Memory), uint64(p.Memory)})
	}
	if p.CPU > 0 {
		seconds := uint64((p.CPU + time.Second - 1) / time.Second)
		list = append(list, limitOf{unix.RLIMIT_CPU, seconds, seconds + 1})
	}
	if p.Processes > 0 && unix.Getpid() == 1 {
		// In a new namespace only this program is counted.
		tasks := uint64(p.tasks())
		list = append(list, limitOf{unix.RLIMIT_NPROC, tasks, tasks})
	}
	if len(list) > 0 {
		list = append(list, limitOf{unix.RLIMIT_CORE, 0, 0})
	}
	return list
}

// tasks is how many threads the kernel may allow for the processes of the policy.
// It only holds what the launcher, which counts processes, is too slow for.
func (p *Policy) tasks() int { return 64 + 16*p.Processes }

func limit(pid int, limits []limitOf) error {
	for _, l := range limits {
		if err := unix.Prlimit(pid, l.resource, &unix.Rlimit{Cur: l.soft, Max: l.max}, nil); err != nil {
			return fmt.Errorf("set a limit: %w", err)
		}
	}
	return nil
}

// HideProcess makes this process non-dumpable: other processes of the user
// cannot read its environment and memory in /proc, nor trace it.
func HideProcess() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// KeepDescriptors keeps the descriptors that this process was started with, beside
// the standard ones, from the programs that it starts: no sandbox asks again about
// a file that is open.
func KeepDescriptors() {
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) // Linux before 5.11 cannot
}

func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }
