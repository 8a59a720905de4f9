// Package oldkernel runs a program as if the kernel lacked what a sandbox needs,
// for tests of what happens then. A seccomp filter answers the system calls the
// way a kernel without them does, so the tested program needs no switch.
package oldkernel

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a kernel can lack.
const (
	Landlock   = "landlock"
	Seccomp    = "seccomp"
	Namespaces = "namespaces"
)

const (
	allow = 0x7fff0000
	errno = 0x00050000
)

// Exec replaces this process by a program on a kernel that lacks something. It
// returns only an error.
func Exec(path string, argv, env []string, lacks ...string) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("oldkernel: %w", err)
	}
	var filter []unix.SockFilter
	for _, what := range lacks {
		part, ok := parts()[what]
		if !ok {
			return fmt.Errorf("oldkernel: a kernel cannot lack %q here", what)
		}
		filter = append(filter, part...)
	}
	filter = append(filter, give(allow))
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return fmt.Errorf("oldkernel: %w", err)
	}
	if err := syscall.Exec(path, argv, env); err != nil {
		return &os.PathError{Op: "exec", Path: path, Err: err}
	}
	return nil
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func give(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }

// refuse answers a system call with an error.
func refuse(number uint32, code unix.Errno) []unix.SockFilter {
	return []unix.SockFilter{load(0), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: number}, give(errno | uint32(code))}
}

// refuseWith answers a system call whose first argument passes a test.
func refuseWith(number uint32, code unix.Errno, test uint16, argument uint32) []unix.SockFilter {
	return []unix.SockFilter{
		load(0), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: number},
		load(16), {Code: unix.BPF_JMP | test | unix.BPF_K, Jf: 1, K: argument}, give(errno | uint32(code)),
	}
}

func parts() map[string][]unix.SockFilter {
	join := func(lists ...[]unix.SockFilter) (all []unix.SockFilter) {
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	return map[string][]unix.SockFilter{
		Landlock: join(refuse(unix.SYS_LANDLOCK_CREATE_RULESET, unix.ENOSYS), refuse(unix.SYS_LANDLOCK_ADD_RULE, unix.ENOSYS),
			refuse(unix.SYS_LANDLOCK_RESTRICT_SELF, unix.ENOSYS)),
		Seccomp: join(refuse(unix.SYS_SECCOMP, unix.ENOSYS), refuseWith(unix.SYS_PRCTL, unix.EINVAL, unix.BPF_JEQ, unix.PR_SET_SECCOMP)),
		Namespaces: join(refuse(unix.SYS_CLONE3, unix.ENOSYS), refuseWith(unix.SYS_CLONE, unix.EPERM, unix.BPF_JSET, unix.CLONE_NEWUSER),
			refuseWith(unix.SYS_UNSHARE, unix.EPERM, unix.BPF_JSET, unix.CLONE_NEWUSER)),
	}
}
