package state

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// networkFileSystem returns the kind of network file system that a path is on,
// or nothing.
func networkFileSystem(path string) (kind string, err error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return "", &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	return networkKind(uint32(stat.Type), func() string { return mountedAs(path) }), nil
}

// networkKind names a file system by its number. FUSE has one number for all, so
// the mount says what it is.
func networkKind(number uint32, mounted func() string) string {
	const fuse = 0x65735546
	names := map[uint32]string{
		0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x5346414f: "AFS", 0x73757245: "Coda",
		0x564c: "NCP", 0x01021997: "9P", 0x00c36400: "Ceph", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS", 0x786f4256: "VirtualBox",
	}
	if number != fuse {
		return names[number]
	}
	kind := mounted()
	for _, remote := range []string{"sshfs", "s3fs", "rclone", "gluster", "ceph", "davfs", "gcsfuse", "goofys", "nfs", "smb", "juicefs"} {
		if strings.Contains(kind, remote) {
			return kind
		}
	}
	return ""
}

// mountedAs returns the type of the mount that has a path, such as fuse.sshfs.
func mountedAs(path string) string {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	kind, longest := "", 0
	for line := range strings.Lines(string(data)) {
		left, right, ok := strings.Cut(line, " - ")
		fields := strings.Fields(left)
		if !ok || len(fields) < 5 {
			continue
		}
		at := strings.TrimSuffix(fields[4], "/")
		if (path == at || strings.HasPrefix(path, at+"/")) && len(at) >= longest {
			kind, _, _ = strings.Cut(right, " ")
			longest = len(at)
		}
	}
	return kind
}
