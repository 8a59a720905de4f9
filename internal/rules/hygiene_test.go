package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// machinePath matches an absolute path into a folder that only exists on the
// machine where it was written; a path that merely contains the word is fine.
var machinePath = regexp.MustCompile(`(?:^|[^\w.\-/}]|//)/(?:work|root)/\w`)

// registryHosts are the hosts that packages are downloaded from. They are put
// together here so that this file does not name one.
var registryHosts = []string{
	"proxy." + "golang" + ".org",
	"sum." + "golang" + ".org",
	"go" + "proxy" + ".io",
	"registry." + "npmjs" + ".org",
	"registry." + "yarnpkg" + ".com",
	"files." + "pythonhosted" + ".org",
	"py" + "pi" + ".org",
	"index." + "crates" + ".io",
	"static." + "crates" + ".io",
	"ruby" + "gems" + ".org",
	"repo." + "maven" + ".apache.org",
	"registry-1." + "docker" + ".io",
	"deb." + "debian" + ".org",
	"security." + "debian" + ".org",
	"archive." + "ubuntu" + ".com",
	"dl-cdn." + "alpinelinux" + ".org",
}

func TestNothingOfThisMachine(t *testing.T) {
	var problems []string
	for _, name := range repositoryFiles(t) {
		b, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, machineTraces(name, string(b))...)
	}
	report(t, problems,
		"a path or a download host of one machine is wrong on every other, and a mirror or an offline build cannot change what is written in a file",
		"use a relative path, t.TempDir or an option; leave the choice of registry to the tools' own settings")
}

// repositoryFiles lists what git tracks or would track: a fault should be seen
// before the commit. Without git (a source archive) it is every file there is.
func repositoryFiles(t *testing.T) []string {
	t.Helper()
	// The checkout may belong to another user, as in a container; listing its
	// files is harmless.
	out, err := run(t, root(t), nil, "git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err == nil {
		return regularFiles(t, strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"))
	}
	t.Logf("walking the folder instead of asking git: %v", err)
	var names []string
	err = fs.WalkDir(os.DirFS(root(t)), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (name == ".git" || name == "bin" || name == "dist") {
			return fs.SkipDir
		}
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return regularFiles(t, names)
}

func regularFiles(t *testing.T, names []string) []string {
	t.Helper()
	var files []string
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(root(t), filepath.FromSlash(name)))
		if err == nil && info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	return files
}

func machineTraces(name, text string) []string {
	var problems []string
	for i, line := range strings.Split(text, "\n") {
		if m := machinePath.FindString(line); m != "" {
			problems = append(problems, fmt.Sprintf("%s:%d: path of a machine: %s…", name, i+1, strings.TrimSpace(m)))
		}
		for _, host := range registryHosts {
			if strings.Contains(line, host) {
				problems = append(problems, fmt.Sprintf("%s:%d: host of a package registry: %s", name, i+1, host))
			}
		}
	}
	return problems
}

func TestNothingOfThisMachineCanFail(t *testing.T) {
	work, home := "/wo"+"rk/", "/ro"+"ot/"
	for line, want := range map[string]int{
		"cd " + work + "main":                 1,
		home + ".cache":                       0,
		`"` + home + `go"`:                    1,
		"file://" + home + "x":                1,
		"GOPROXY=https://" + registryHosts[0]: 1,
		"instances" + work + "space":          0,
		"." + work + "main":                   0,
		"${dir}" + home + "x":                 0,
		"the " + work + " folder":             0,
		"https://go.dev/dl/":                  0,
	} {
		if got := machineTraces("f", line); len(got) != want {
			t.Errorf("%q: got %q, want %d problems", line, got, want)
		}
	}
}
