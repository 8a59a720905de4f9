package state

import (
	"strings"
	"testing"
)

// R1: SQLite's locks do not hold on network file systems.
func TestR1_NetworkFileSystems(t *testing.T) {
	t.Parallel()
	for number, want := range map[uint32]string{
		0xef53: "", 0x01021994: "", 0x9123683e: "", 0x58465342: "", 0x794c7630: "", // ext4, tmpfs, btrfs, xfs, overlay
		0x6969: "NFS", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x01021997: "9P", 0x00c36400: "Ceph",
	} {
		if got := networkKind(number, func() string { t.Error("the mount is not asked"); return "" }); got != want {
			t.Errorf("%x: %q, want %q", number, got, want)
		}
	}
	for mounted, want := range map[string]string{"fuse.sshfs": "fuse.sshfs", "fuse.rclone": "fuse.rclone", "fuseblk": "", "fuse.gocryptfs": ""} {
		if got := networkKind(0x65735546, func() string { return mounted }); got != want {
			t.Errorf("%s: %q, want %q", mounted, got, want)
		}
	}
	if kind := mountedAs("/proc/self"); kind != "proc" {
		t.Errorf("the mount of /proc/self is %q", kind)
	}
	if kind, err := networkFileSystem(t.TempDir()); err != nil || kind != "" {
		t.Errorf("a local folder: %q, %v", kind, err)
	}
	if _, err := networkFileSystem("/none"); err == nil || !strings.Contains(err.Error(), "/none") {
		t.Error(err)
	}
}
