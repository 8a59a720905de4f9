package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// The rights on files. Making device files is in none: with one a root user
// could read the disk itself.
const (
	rightsRead  = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	rightsFile  = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
	rightsWrite = rightsRead | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir |
		ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer
	rightsDevice = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
)

// The versions of Landlock that brought something: truncate (Linux 6.2), TCP
// (6.7), ioctl (6.10), scopes (6.12), Unix sockets by path.
const (
	abiRefer    = 2
	abiTruncate = 3
	abiNet      = 4
	abiIoctl    = 5
	abiScope    = 6
	abiUnix     = 9
)

// landlockVersion is 0 where the kernel has no Landlock or does not permit it.
func landlockVersion() int {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}

// handledFiles are the rights that a version of Landlock knows.
func handledFiles(version int, network Network) uint64 {
	handled := uint64(ll.AccessFSMakeSym<<1 - 1)
	for _, right := range []struct {
		since int
		bit   uint64
	}{{abiRefer, ll.AccessFSRefer}, {abiTruncate, ll.AccessFSTruncate}, {abiIoctl, ll.AccessFSIoctlDev}} {
		if version >= right.since {
			handled |= right.bit
		}
	}
	if version >= abiUnix && network == NetworkNone {
		handled |= ll.AccessFSResolveUnix
	}
	return handled
}

// rules builds a Landlock ruleset.
type rules struct {
	file    *os.File
	handled uint64
	hidden  []string // without links
}

// landlock returns the ruleset of the policy for a program, which may read
// itself, or nil without Landlock.
func (p *Policy) landlock(program string) (*rules, error) {
	version := landlockVersion()
	if version == 0 {
		return nil, nil
	}
	attr := ll.RulesetAttr{HandledAccessFS: handledFiles(version, p.Network)}
	if version >= abiNet && p.Network == NetworkNone {
		attr.HandledAccessNet = ll.AccessNetBindTCP | ll.AccessNetConnectTCP
	}
	if version >= abiScope {
		attr.Scoped = ll.ScopeSignal // it could end this process otherwise
		if p.Network == NetworkNone || p.Network == NetworkLoopback {
			attr.Scoped |= ll.ScopeAbstractUnixSocket
		}
	}
	fd, err := ll.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return nil, fmt.Errorf("make the rules of the sandbox: %w", err)
	}
	unix.CloseOnExec(fd)
	r := &rules{file: os.NewFile(uintptr(fd), "landlock"), handled: attr.HandledAccessFS}
	for _, path := range p.Hidden {
		r.hidden = append(r.hidden, real(path))
	}
	if err := r.fill(p, program); err != nil {
		return nil, errors.Join(err, r.file.Close())
	}
	return r, nil
}

func (r *rules) fill(p *Policy, program string) error {
	var failures []error
	allow := func(rights uint64, hidden []string, paths ...string) {
		for _, path := range paths {
			bounds := hidden
			if !within(real(path), deviceFolder) {
				bounds = append(slices.Clone(hidden), deviceFolder) // a disk has all files
			}
			failures = append(failures, r.allow(path, rights, bounds))
		}
	}
	if p.ReadAll {
		// Names everywhere, so that listings work. Contents follow.
		failures = append(failures, r.allow("/", ll.AccessFSReadDir, nil))
		allow(rightsRead, r.hidden, "/")
	} else {
		allow(rightsRead, r.hidden, append(systemFolders(), program)...)
	}
	allow(rightsRead, r.hidden, p.Read...)
	allow(rightsDevice, nil, devices()...)
	allow(rightsWrite, r.hidden, p.Write...)
	for _, path := range p.Copies {
		allow(rightsRead, outside(r.hidden, real(path)), path)
	}
	if p.Workdir != "" {
		allow(rightsWrite, outside(r.hidden, real(p.Workdir)), p.Workdir)
	}
	return errors.Join(failures...)
}

// allow opens the path, follows links and adds a rule for what was opened. What
// counts is where the descriptor leads: a link that is swapped between the check
// and the rule changes nothing. A path that does not exist or cannot be opened
// has no rule.
func (r *rules) allow(path string, rights uint64, hidden []string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // less is allowed, nothing more
	}
	defer unix.Close(fd)
	where, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return fmt.Errorf("find %s: %w", path, err)
	}
	return r.add(fd, where, rights, hidden)
}

// add adds a rule for an open file. A folder that contains a hidden path gets
// none; what is in it is looked at instead.
func (r *rules) add(fd int, where string, rights uint64, hidden []string) error {
	contains := false
	for _, h := range hidden {
		if within(where, h) {
			return nil
		}
		contains = contains || within(h, where)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("look at %s: %w", where, err)
	}
	isDir := stat.Mode&unix.S_IFMT == unix.S_IFDIR
	if isDir && contains {
		return r.addInside(fd, where, rights, hidden)
	}
	if !isDir {
		rights &= rightsFile
	}
	rights &= r.handled
	if rights == 0 || stat.Mode&unix.S_IFMT == unix.S_IFLNK {
		return nil
	}
	if err := ll.LandlockAddPathBeneathRule(int(r.file.Fd()), &ll.PathBeneathAttr{AllowedAccess: rights, ParentFd: fd}, 0); err != nil {
		return fmt.Errorf("allow %s: %w", where, err)
	}
	return nil
}

// addInside adds a rule for each entry of a folder. Links are not followed:
// where they lead has another rule, or none.
func (r *rules) addInside(fd int, where string, rights uint64, hidden []string) error {
	listing, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // a folder that we cannot list has no rules
	}
	dir := os.NewFile(uintptr(listing), where)
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return fmt.Errorf("list %s: %w", where, err)
	}
	for _, name := range names {
		child, err := unix.Openat(listing, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // gone meanwhile
		}
		err = r.add(child, filepath.Join(where, name), rights, hidden)
		_ = unix.Close(child) // it was only looked at
		if err != nil {
			return err
		}
	}
	return nil
}
