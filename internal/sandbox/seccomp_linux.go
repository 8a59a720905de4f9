package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The values of seccomp that x/sys does not have.
const (
	seccompAllow = 0x7fff0000
	seccompErrno = 0x00050000
	// Offsets in struct seccomp_data.
	dataNumber = 0
	dataArch   = 4
	dataArg0   = 16 // the lower half, on the little-endian systems we know
	// x32 calls have this bit and other numbers.
	x32Bit = 0x40000000
)

// auditArch is what the kernel calls this architecture, 0 for one without a
// filter.
func auditArch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

// filtersNetwork reports whether this kernel has seccomp filters that we can
// write.
func filtersNetwork() bool {
	if auditArch() == 0 {
		return false
	}
	// A filter at no address: a kernel that has filters says EFAULT.
	_, _, errno := unix.Syscall6(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, 0, 0, 0, 0)
	return errno == unix.EFAULT
}

// socketFilter refuses sockets of all families but the given ones. It also
// refuses calls of another architecture, which have other numbers, and
// io_uring, which makes sockets without a call.
func socketFilter(families ...uint32) []unix.SockFilter {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	jump := func(kind uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | kind | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	give := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	denied := give(seccompErrno | uint32(unix.EACCES))
	filter := []unix.SockFilter{
		load(dataArch), jump(unix.BPF_JEQ, auditArch(), 1, 0), denied,
		load(dataNumber), jump(unix.BPF_JGE, x32Bit, 0, 1), denied,
		jump(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, 0, 1), denied,
		jump(unix.BPF_JEQ, unix.SYS_SOCKET, 1, 0), give(seccompAllow),
		load(dataArg0),
	}
	for _, family := range families {
		filter = append(filter, jump(unix.BPF_JEQ, family, 0, 1), give(seccompAllow))
	}
	return append(filter, denied)
}

// refuseSockets applies the filter of the policy to this thread, which must not
// be able to gain privileges.
func (p *Policy) refuseSockets() error {
	var filter []unix.SockFilter
	switch p.Network {
	case NetworkNone:
		filter = socketFilter()
	case NetworkLoopback:
		filter = socketFilter(unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)
	default:
		return nil
	}
	if !filtersNetwork() {
		return nil // reported by missing
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}
