package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ready is the first line of an inner launcher. One whose namespaces give it no
// rights, as under AppArmor's restriction of them, says why instead and ends.
const ready = "ready\n"

// LauncherMain makes this process a launcher when [Policy.Start] started it as
// one, and then does not return. Call it first in the program that a policy
// names as its launcher.
func LauncherMain() {
	stage, number := os.Getenv(launcherVariable), 0
	for _, prefix := range []string{stageOuter, stageInner} {
		if text, ok := strings.CutPrefix(stage, prefix); ok {
			number, _ = strconv.Atoi(text)
		}
	}
	if number < 3 {
		return
	}
	// Signals to the group are for the program; the launcher sees how it ends.
	signal.Notify(make(chan os.Signal, 1))
	l := &launcher{first: number}
	if err := l.open(); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(1)
	}
	if strings.HasPrefix(stage, stageInner) {
		os.Exit(l.inner())
	}
	os.Exit(l.outer())
}

// launcher is one stage in its process.
type launcher struct {
	first  int // its first descriptor; those before are the program's
	config launchConfig
	policy Policy
	answer *os.File
	rules  *rules
	ending *os.File // the inner stage tells the outer one how the program ended
	noProc bool     // /proc is that of other namespaces
}

func (l *launcher) open() error {
	for fd := 3; fd < l.first+4; fd++ {
		unix.CloseOnExec(fd)
	}
	file := os.NewFile(uintptr(l.first), "config")
	raw, err := io.ReadAll(io.NewSectionReader(file, 0, 64<<20))
	if err == nil {
		err = json.Unmarshal(raw, &l.config)
	}
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	c := &l.config
	l.policy = Policy{Network: c.Network, Memory: c.Memory, CPU: c.CPU, Processes: c.Processes, Namespaces: c.Contain, Required: c.Required}
	l.answer = os.NewFile(uintptr(l.first+1), "answer")
	next := l.first + 2
	if c.Rules {
		l.rules = &rules{file: os.NewFile(uintptr(next), "rules"), handled: handledFiles(landlockVersion(), c.Network)}
		next++
	}
	l.ending = os.NewFile(uintptr(next), "ending")
	return nil
}

// tell answers the process that wants the program started.
func (l *launcher) tell(s launchStatus) {
	_ = json.NewEncoder(l.answer).Encode(s) // without a reader there is nobody to tell
	_ = l.answer.Close()
}

// outer starts the inner stage, or the program itself where there are no
// namespaces.
func (l *launcher) outer() int {
	runtime.LockOSThread() // the inner stage is killed when this thread ends
	status := l.startInner()
	if l.config.Required {
		l.tell(status)
		return 1
	}
	if l.policy.Network == NetworkLoopback {
		l.policy.Network = NetworkNone
	}
	return l.run(status)
}

// startInner runs the inner stage and ends like the program. It returns only
// when there are no namespaces, with the reason.
func (l *launcher) startInner() launchStatus {
	ending, theirs, err := os.Pipe()
	if err != nil {
		return launchStatus{Why: err.Error()}
	}
	inner := l.command("/proc/self/exe", os.Args, append(os.Environ(), launcherVariable+"="+stageInner+strconv.Itoa(l.first)))
	inner.ExtraFiles = append(inner.ExtraFiles, os.NewFile(uintptr(l.first), "config"), l.answer)
	if l.rules != nil {
		inner.ExtraFiles = append(inner.ExtraFiles, l.rules.file)
	}
	inner.ExtraFiles = append(inner.ExtraFiles, theirs)
	inner.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:                 syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC,
		UidMappings:                mappings("/proc/self/uid_map", os.Getuid()),
		GidMappings:                mappings("/proc/self/gid_map", os.Getgid()),
		GidMappingsEnableSetgroups: os.Getuid() == 0,
		Pdeathsig:                  syscall.SIGKILL,
		// The rights in the new namespaces; a program that is not of root loses
		// them when it is executed otherwise.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP},
	}
	if l.policy.Network == NetworkLoopback || l.policy.Network == NetworkNone {
		inner.SysProcAttr.Cloneflags |= syscall.CLONE_NEWNET
	}
	if err := inner.Start(); err != nil {
		return launchStatus{Why: err.Error()}
	}
	_ = theirs.Close()
	told := bufio.NewReader(ending)
	if first, _ := told.ReadString('\n'); first != ready {
		_ = inner.Wait() // it has ended
		return launchStatus{Why: strings.TrimSpace(first), Rights: true}
	}
	releasePipes()
	raw, _ := io.ReadAll(told) // it ends with the inner stage
	_ = inner.Wait()           // how the program ended was told
	how, number, _ := strings.Cut(string(raw), " ")
	n, _ := strconv.Atoi(number)
	switch how {
	case "exit":
		os.Exit(n)
	case "signal":
		dieOf(syscall.Signal(n))
	}
	dieOf(syscall.SIGKILL)
	return launchStatus{}
}

// mappings keeps all ids for root and its own id for another user.
func mappings(path string, id int) []syscall.SysProcIDMap {
	raw, err := os.ReadFile(path)
	if err != nil || os.Getuid() != 0 {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	}
	var list []syscall.SysProcIDMap
	for line := range strings.Lines(string(raw)) {
		var inside, outside, size int
		if _, err := fmt.Sscan(line, &inside, &outside, &size); err == nil {
			list = append(list, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
		}
	}
	return list
}

// command is a program with this process's descriptors and the program's own.
func (l *launcher) command(path string, args, env []string) *exec.Cmd {
	cmd := &exec.Cmd{Path: path, Args: args, Env: env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, SysProcAttr: &syscall.SysProcAttr{}}
	for fd := 3; fd < l.first; fd++ {
		cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(fd), "extra"))
	}
	return cmd
}

// dieOf ends this process by a signal, so that its parent sees what ended the
// program.
func dieOf(number syscall.Signal) {
	runtime.LockOSThread()
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	var byDefault [4]uint64 // struct sigaction of the kernel
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(number), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), number) // to this thread, so that it is not late
	os.Exit(128 + int(number))
}
