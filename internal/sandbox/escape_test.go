//go:build linux

package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// escape is what this test binary does inside a sandbox: it tries to get out
// and prints what it reached. No other program is needed for it, and the C
// library does not get in between.
func escape(what string, args []string) {
	attempt := escapes()[what]
	if attempt == nil {
		fmt.Println("there is no escape", what)
		os.Exit(3)
	}
	if err := attempt(args); err != nil {
		fmt.Println("refused:", err)
		return
	}
	fmt.Println("ESCAPED")
}

func escapes() map[string]func([]string) error {
	return map[string]func([]string) error{
		"read":     func(a []string) error { _, err := os.ReadFile(a[0]); return err },
		"write":    func(a []string) error { return os.WriteFile(a[0], []byte("planted"), 0o600) },
		"truncate": func(a []string) error { return os.Truncate(a[0], 0) },
		"rename":   func(a []string) error { return os.Rename(a[0], a[1]) },
		"link":     func(a []string) error { return os.Link(a[0], a[1]) },
		"remove":   func(a []string) error { return os.Remove(a[0]) },
		"dial": func(a []string) error {
			c, err := net.DialTimeout(a[0], a[1], 2*time.Second)
			if err != nil {
				return err
			}
			_, err = c.Write([]byte("hello"))
			return err
		},
		"socket": func(a []string) error { return openSocket(a[0]) },
		"listen": listenAndDial,
		"spin":   func([]string) error { return spin() },
		"forks":  func(a []string) error { return forks(a[0]) },
		"ptrace": func(a []string) error {
			pid, _ := strconv.Atoi(a[0])
			return unix.PtraceAttach(pid)
		},
		"kill": func(a []string) error {
			pid, _ := strconv.Atoi(a[0])
			return syscall.Kill(pid, 0)
		},
		"mknod":   func(a []string) error { return unix.Mknod(a[0], unix.S_IFBLK|0o600, 254<<8) },
		"mount":   func(a []string) error { return unix.Mount("tmpfs", a[0], "tmpfs", 0, "") },
		"chroot":  func(a []string) error { return unix.Chroot(a[0]) },
		"unshare": func([]string) error { return unshareAndMount() },
		"tty":     func([]string) error { _, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); return err },
		"privileges": func([]string) error {
			raw, err := os.ReadFile("/proc/self/status")
			if err == nil && strings.Contains(string(raw), "NoNewPrivs:\t1") {
				err = fmt.Errorf("no new privileges")
			}
			return err
		},
	}
}

func openSocket(family string) error {
	number, _ := strconv.Atoi(family)
	fd, err := unix.Socket(number, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// listenAndDial talks to itself over loopback.
func listenAndDial([]string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		if c, err := l.Accept(); err == nil {
			_ = c.Close()
		}
	}()
	_, err = net.DialTimeout("tcp", l.Addr().String(), 2*time.Second)
	return err
}

func spin() error {
	signal.Ignore(syscall.SIGXCPU)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
	}
	return nil
}

// forks starts processes that stay.
func forks(count string) error {
	n, _ := strconv.Atoi(count)
	for range n {
		cmd := exec.Command("/bin/sleep", "30")
		if err := cmd.Start(); err != nil {
			return err
		}
	}
	time.Sleep(5 * time.Second)
	return nil
}

func unshareAndMount() error {
	cmd := exec.Command("/proc/self/exe", "mount", "/mnt")
	cmd.Env = []string{escapeVariable + "=mount"}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if err == nil && !strings.Contains(string(out), "ESCAPED") {
		err = fmt.Errorf("%s", out)
	}
	return err
}
