package proc

import (
	"bytes"
	"fmt"
	"os"
	ossignal "os/signal"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// AdoptStrays makes this process the parent of processes whose parents end below
// it. Those of a program with a sandbox end with the program, also after setsid or
// a double fork; those of others are only waited for. It is for the whole process,
// all of whose children [Start] has started, so a program calls it and not a
// library.
func AdoptStrays() error {
	if _, err := adopted(); err != nil {
		return fmt.Errorf("list the children of this process: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopt stray processes: %w", err)
	}
	family.mu.Lock()
	defer family.mu.Unlock()
	if !family.adopts {
		family.adopts = true
		ended := make(chan os.Signal, 1)
		ossignal.Notify(ended, unix.SIGCHLD)
		go family.follow(ended)
	}
	return nil
}

// busyPause is the time to the next look at the children when one was not possible.
const busyPause = 100 * time.Millisecond

// follow waits for adopted processes as they end, for the life of this process.
func (c *children) follow(ended <-chan os.Signal) {
	for range ended {
		for {
			if _, done := c.pass(); done {
				break
			}
			time.Sleep(busyPause)
		}
	}
}

// adopted lists the children of the main thread. The kernel gives it the processes
// that lost their parents; of the others it has those that it started itself, or
// whose threads have ended.
func adopted() ([]int, error) {
	pid := strconv.Itoa(os.Getpid())
	raw, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
	if err != nil {
		return nil, err
	}
	var pids []int
	for field := range strings.FieldsSeq(string(raw)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// pass waits for adopted processes that have ended and kills those that belong to
// no running program. It returns how many it killed. It does nothing while a
// program is being started, which cannot be told from a stray one.
func (c *children) pass() (killed int, done bool) {
	if !c.starting.TryLock() {
		return 0, false
	}
	defer c.starting.Unlock()
	pids, err := adopted()
	if err != nil {
		return 0, true
	}
	for _, pid := range pids {
		if c.known(pid) {
			continue
		}
		state, confined := statusOf(pid)
		switch {
		case state == 'Z':
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // its end matters to no call
		case confined && !c.isRunning(markOf(pid)):
			_ = unix.Kill(pid, unix.SIGKILL) // it may just have ended
			killed++
		}
	}
	return killed, true
}

// statusOf returns the state of a process and whether it can get no new
// privileges, which holds for everything below a sandbox and cannot be undone.
func statusOf(pid int) (state byte, confined bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, false
	}
	if _, rest, ok := bytes.Cut(raw, []byte("\nState:\t")); ok && len(rest) > 0 {
		state = rest[0]
	}
	return state, bytes.Contains(raw, []byte("\nNoNewPrivs:\t1\n"))
}

// markOf returns the mark in the environment of a process. One that removed it, or
// that cannot be read, has none. While a process executes another program its
// environment is empty for a moment.
func markOf(pid int) string {
	for range 5 {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil {
			return ""
		}
		for variable := range bytes.SplitSeq(raw, []byte{0}) {
			if value, ok := bytes.CutPrefix(variable, []byte(Mark+"=")); ok {
				return string(value)
			}
		}
		if len(raw) > 0 {
			return ""
		}
		time.Sleep(strayPause)
	}
	return ""
}
