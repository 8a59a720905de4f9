package sandbox

import (
	"testing"

	"golang.org/x/sys/unix"
)

// verdict runs a filter on one system call, as the kernel does.
func verdict(t *testing.T, filter []unix.SockFilter, arch, number, arg0 uint32) uint32 {
	t.Helper()
	data := map[uint32]uint32{dataArch: arch, dataNumber: number, dataArg0: arg0}
	var value uint32
	for i := 0; i < len(filter); i++ {
		f := filter[i]
		holds := false
		switch f.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			value = data[f.K]
			continue
		case unix.BPF_RET | unix.BPF_K:
			return f.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			holds = value == f.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			holds = value >= f.K
		default:
			t.Fatalf("instruction %d has code %#x", i, f.Code)
		}
		if holds {
			i += int(f.Jt)
		} else {
			i += int(f.Jf)
		}
	}
	t.Fatal("the filter ends without a verdict")
	return 0
}

// TestK16_SocketFilter: sockets, io_uring and calls by other numbers are refused,
// and nothing else.
func TestK16_SocketFilter(t *testing.T) {
	const refuse = seccompErrno | uint32(unix.EACCES)
	none, loopback := socketFilter(), socketFilter(unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)
	for _, c := range []struct {
		name              string
		filter            []unix.SockFilter
		arch, number, arg uint32
		want              uint32
	}{
		{"none, inet", none, auditArch(), unix.SYS_SOCKET, unix.AF_INET, refuse},
		{"none, unix", none, auditArch(), unix.SYS_SOCKET, unix.AF_UNIX, refuse},
		{"none, pair", none, auditArch(), unix.SYS_SOCKETPAIR, unix.AF_UNIX, seccompAllow},
		{"none, read", none, auditArch(), unix.SYS_READ, 2, seccompAllow},
		{"none, io_uring", none, auditArch(), unix.SYS_IO_URING_SETUP, 1, refuse},
		{"loopback, inet", loopback, auditArch(), unix.SYS_SOCKET, unix.AF_INET, seccompAllow},
		{"loopback, inet6", loopback, auditArch(), unix.SYS_SOCKET, unix.AF_INET6, seccompAllow},
		{"loopback, netlink", loopback, auditArch(), unix.SYS_SOCKET, unix.AF_NETLINK, seccompAllow},
		{"loopback, unix", loopback, auditArch(), unix.SYS_SOCKET, unix.AF_UNIX, refuse},
		{"loopback, vsock", loopback, auditArch(), unix.SYS_SOCKET, unix.AF_VSOCK, refuse},
		{"loopback, io_uring", loopback, auditArch(), unix.SYS_IO_URING_SETUP, 1, refuse},
		{"32 bit", none, unix.AUDIT_ARCH_I386, 102, 1, refuse},
		{"x32", none, auditArch(), x32Bit | unix.SYS_SOCKET, unix.AF_INET, refuse},
	} {
		if got := verdict(t, c.filter, c.arch, c.number, c.arg); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}
