// Package sandbox confines a program that gongu starts: the files it can read
// and write, the network, memory, processor time and processes.
//
// On Linux, [Policy.Start] restricts one thread with Landlock and seccomp,
// starts the program from it and lets the thread end: the program inherits the
// restrictions, this process keeps its own rights, and no second program is
// needed in between. Namespaces cannot be entered that way. Only a policy that
// needs them is started through a launcher, which is this package again in a
// process of its own ([LauncherMain]).
//
// Landlock has no rule that takes a right away inside a folder that has it, so
// the rules are made anew at each start from a listing: a folder that contains
// a hidden path is not allowed itself, but what lies beside the path is.
//
// Other systems have less; see [Missing].
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Network is what a program can reach of the network.
type Network string

const (
	// NetworkAll is the network of the user.
	NetworkAll Network = "all"
	// NetworkLoopback is a loopback that only the program and what it starts
	// can see; the machine's own is out of reach.
	NetworkLoopback Network = "loopback"
	// NetworkNone is none: no TCP, UDP, Unix or other sockets.
	NetworkNone Network = "none"
)

// Policy is what a program may do. Start does not change it.
type Policy struct {
	// ReadAll lets the program read all files but Hidden. Without it the program
	// reads the folders of the system, Read and what it may write.
	ReadAll     bool
	Read, Write []string
	// Workdir can be read and written, and Copies (the bundle, what was consented
	// to) can be read, also when they lie below a hidden path. They come from the
	// host, never from a bundle.
	Workdir string
	Copies  []string
	// Hidden are files and folders whose content no program gets to read or to
	// change, whatever the other fields allow.
	Hidden []string
	// Network is empty for all.
	Network Network
	// Memory is in bytes. It and CPU bound each process; with namespaces Memory
	// also bounds all processes together. Processes is how many may exist.
	Memory    int64
	CPU       time.Duration
	Processes int
	// Namespaces asks for a PID namespace, so that nothing which the program
	// started outlives it, although no other field needs one.
	Namespaces bool
	// Required refuses to start the program where the system lacks something.
	// Otherwise the program starts with what is available, and Report is called.
	Required bool
	// Launcher is the command line of a program that calls [LauncherMain]
	// first. Without one there are no namespaces.
	Launcher []string
	// Report is called with what is missing, at each start. It may be nil.
	Report func(missing []lang.Message)
}

// ErrMissing is wrapped by the error of a required sandbox that the system
// cannot provide.
var ErrMissing = errors.New("the sandbox is required, and this system lacks a part of it")

// In returns the policy with another working directory; an empty one changes
// nothing.
func (p *Policy) In(workdir string) *Policy {
	if p == nil || workdir == "" {
		return p
	}
	with := *p
	with.Workdir = workdir
	return &with
}

// needsNamespaces reports whether the policy cannot be kept by one thread.
func (p *Policy) needsNamespaces() bool {
	return p.Namespaces || p.Network == NetworkLoopback || p.Processes > 0
}

// settle refuses or reports what is missing.
func (p *Policy) settle(missing []lang.Message) error {
	if len(missing) == 0 {
		return nil
	}
	if !p.Required {
		if p.Report != nil {
			p.Report(missing)
		}
		return nil
	}
	var texts []string
	for _, m := range missing {
		texts = append(texts, m.In(lang.English))
	}
	return fmt.Errorf("%w: %s; gongu doctor shows what there is, and without required: true the program starts with less", ErrMissing, strings.Join(texts, "; "))
}

// real returns the path without links. The part that does not exist is kept as
// it is: it may be made while the program runs.
func real(path string) string {
	path = filepath.Clean(path)
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(real(parent), filepath.Base(path))
}

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// outside returns the hidden paths that do not contain the folder itself.
func outside(hidden []string, folder string) []string {
	return slices.DeleteFunc(slices.Clone(hidden), func(h string) bool { return within(folder, h) })
}

// systemFolders are what programs need to run at all: programs, libraries,
// settings and certificates of the system, and nothing of a user.
func systemFolders() []string {
	return []string{
		"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/opt", "/nix", "/snap", "/proc", "/sys",
		"/run/systemd/resolve", "/run/current-system", "/var/lib/dpkg", "/var/lib/ca-certificates",
	}
}

const deviceFolder = "/dev"

// devices are the files of /dev that programs use. Disks, memory and terminals
// are not among them.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
}

// DockerSocket returns the path of a docker socket that this user can write to:
// who can, is root. It is empty when there is none.
func DockerSocket() string {
	sockets := []string{"/var/run/docker.sock", "/run/podman/podman.sock"}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		sockets = append(sockets, filepath.Join(dir, "docker.sock"))
	}
	if host, ok := strings.CutPrefix(os.Getenv("DOCKER_HOST"), "unix://"); ok {
		sockets = append(sockets, host)
	}
	for _, path := range sockets {
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 && writable(path) {
			return path
		}
	}
	return ""
}
