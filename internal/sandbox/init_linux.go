package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watchEvery is how often the inner launcher counts processes and memory.
const watchEvery = 20 * time.Millisecond

// inner is the first process of new namespaces: it sets them up, runs the
// program and ends with it, which ends everything else in them.
func (l *launcher) inner() int {
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, "")
	if err == nil && l.policy.Network == NetworkLoopback {
		err = raiseLoopback()
	}
	if err != nil {
		fmt.Fprintln(l.ending, err)
		return 1
	}
	fmt.Fprint(l.ending, ready)
	// A container that hides parts of /proc does not permit a new one.
	l.noProc = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "") != nil
	if l.rules != nil && !l.noProc {
		if err := l.rules.allow("/proc", rightsRead, nil); err != nil {
			l.tell(launchStatus{Error: err.Error()})
			return 1
		}
	}
	if l.config.Processes > 0 && !l.noProc {
		// RLIMIT_NPROC does not hold root; since Linux 6.14 this does. The
		// kernel takes no less than 301.
		_ = os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.Itoa(max(301, l.policy.tasks()))), 0)
	}
	status := launchStatus{NoProc: l.noProc}
	if l.config.Required && len(l.policy.lacking(&status)) > 0 {
		l.tell(status)
		return 1
	}
	return l.run(status)
}

// run starts the program and ends the way it ends.
func (l *launcher) run(status launchStatus) int {
	_ = HideProcess() // the program is of the same user, and must not take this one over
	program := l.command(l.config.Path, l.config.Args, l.config.Env)
	if err := l.policy.confine(program, l.rules); err != nil {
		l.tell(launchStatus{Error: err.Error()})
		return 1
	}
	l.tell(status)
	releasePipes()
	first := unix.Getpid() == 1
	if first && !l.noProc && (l.config.Processes > 0 || l.config.Memory > 0) {
		go l.watch()
	}
	for {
		var end unix.WaitStatus
		pid, err := unix.Wait4(-1, &end, 0, nil)
		if err != nil && err != unix.EINTR {
			return 1
		}
		if pid != program.Process.Pid || end.Stopped() || end.Continued() {
			continue // an orphan
		}
		switch {
		case first && end.Signaled():
			fmt.Fprintf(l.ending, "signal %d", end.Signal())
		case first:
			fmt.Fprintf(l.ending, "exit %d", end.ExitStatus())
		case end.Signaled():
			dieOf(end.Signal())
		}
		return end.ExitStatus()
	}
}

// releasePipes closes this process's ends of the program's pipes, so that their
// other ends see what the program does. Standard error stays, for what watch
// has to say.
func releasePipes() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	for _, fd := range []int{0, 1} {
		_ = unix.Dup3(int(null.Fd()), fd, 0) // without it a pipe closes later
	}
}

// watch ends the namespaces when their processes are too many or use too much
// memory together, which no resource limit covers.
func (l *launcher) watch() {
	for {
		time.Sleep(watchEvery)
		reason := l.exceeded()
		if reason == "" {
			continue
		}
		fmt.Fprintf(l.ending, "signal %d", unix.SIGKILL)
		fmt.Fprintln(os.Stderr, "sandbox: ended the program: "+reason)
		os.Exit(1)
	}
}

// exceeded returns the limit that the processes of the namespace exceed. It
// counts first: while a fork bomb runs, this process gets little time.
func (l *launcher) exceeded() string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return ""
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		pid, err := strconv.Atoi(e.Name())
		return err != nil || pid == 1
	})
	if limit := l.config.Processes; limit > 0 && len(entries) > limit {
		return fmt.Sprintf("more than %d processes", limit)
	}
	if l.config.Memory == 0 {
		return ""
	}
	var memory int64
	for _, entry := range entries {
		raw, err := os.ReadFile("/proc/" + entry.Name() + "/statm")
		if fields := strings.Fields(string(raw)); err == nil && len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			memory += pages * int64(os.Getpagesize())
		}
	}
	if memory > l.config.Memory {
		return fmt.Sprintf("more than %d bytes of memory", l.config.Memory)
	}
	return ""
}

// raiseLoopback brings up the loopback device of a new network namespace.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bring up loopback: %w", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(request))); errno != 0 {
		return fmt.Errorf("bring up loopback: %w", errno)
	}
	return nil
}
