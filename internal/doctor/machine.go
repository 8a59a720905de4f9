package doctor

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// posixShell and scriptShell are what the bash tools start.
const (
	posixShell  = "/bin/sh"
	scriptShell = "/bin/bash"
)

// checkMachine looks for programs.
func (o *Options) checkMachine() []Check {
	checks := []Check{
		{Name: "gongu", Status: OK, Detail: o.Version + " (" + runtime.Version() + ")"},
		{Name: "system", Status: OK, Detail: runtime.GOOS + "/" + runtime.GOARCH},
		o.checkShell("sh", posixShell), o.checkShell("bash", scriptShell),
	}
	for _, program := range []struct {
		name string
		hint lang.Text
	}{
		{"git", lang.CLIDoctorGitHint},
		{"node", lang.CLIDoctorNodeHint},
		{"bun", lang.CLIDoctorBunHint},
	} {
		c := Check{Name: program.name, Status: OK}
		path, err := exec.LookPath(program.name)
		if c.Detail = path; err != nil {
			c.Status, c.Detail = Missing, lang.CLIDoctorNotFound.In(o.Lang)
			c.Next = program.hint.In(o.Lang)
		}
		checks = append(checks, c)
	}
	return checks
}

func (o *Options) checkShell(name, path string) Check {
	if fsx.IsFile(path) {
		return Check{Name: name, Status: OK, Detail: path}
	}
	hint := lang.CLIDoctorShellFix.In(o.Lang, path)
	if runtime.GOOS == "windows" {
		hint = lang.CLIDoctorShellHint.In(o.Lang)
	}
	return Check{Name: name, Status: Missing, Detail: lang.CLIDoctorShellNone.In(o.Lang, path), Next: hint}
}

// checkFolders looks at the folders that gongu writes to.
func (o *Options) checkFolders() []Check {
	checks := o.checkState()
	if config, err := o.Config(); err != nil {
		checks = append(checks, Check{
			Name: "config", Status: Problem,
			Detail: lang.CLIDoctorNoConfig.In(o.Lang, err), Next: lang.CLIDoctorConfigHint.In(o.Lang),
		})
	} else {
		checks = append(checks, o.checkWritable("config", config, lang.CLIDoctorConfigHint))
	}
	return append(checks, o.checkTemp())
}

// checkState looks at the state root, and for one that an earlier version left in
// the bundle.
func (o *Options) checkState() []Check {
	state, err := o.State()
	if e, ok := errors.AsType[*lang.Error](err); ok {
		return []Check{{Name: "state", Status: Problem, Detail: terminal.Visible(e.Message(string(o.Lang))), Next: terminal.Visible(e.Hint(string(o.Lang)))}}
	}
	checks := []Check{o.checkWritable("state", state, lang.CLIDoctorStateHint)}
	if old, there := statedir.Old(o.Folder); there {
		checks = append(checks, Check{
			Name: "old state", Status: Missing, Detail: lang.CLIDoctorOldState.In(o.Lang, terminal.Visible(old)),
			Next: lang.CLIDoctorOldStateHint.In(o.Lang, o.Commands.StateMove),
		})
	}
	return checks
}

// checkWritable writes to the folder, or to the nearest above it that exists: a
// check must not make the folders that gongu makes on demand.
func (o *Options) checkWritable(name, dir string, hint lang.Text) Check {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = tryWrite(dir)
	}
	if err != nil {
		detail := lang.CLIDoctorUnwritable.In(o.Lang, dir, fsx.Cause(err))
		return Check{Name: name, Status: Problem, Detail: detail, Next: hint.In(o.Lang)}
	}
	return Check{Name: name, Status: OK, Detail: dir}
}

func tryWrite(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return errors.New(dir + " is not a folder")
		}
		if err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return err
		}
		dir = parent
	}
	file, err := os.CreateTemp(dir, ".gongu-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// leastSpace is what a build of a script and a few long outputs take.
const leastSpace = 100 << 20

func (o *Options) checkTemp() Check {
	dir := os.TempDir()
	c := o.checkWritable("temp", dir, lang.CLIDoctorSpaceHint)
	free, known := freeSpace(dir)
	if c.Status != OK || !known {
		return c
	}
	c.Detail = lang.CLIDoctorSpace.In(o.Lang, dir, free>>20)
	if free < leastSpace {
		c.Status, c.Next = Problem, lang.CLIDoctorSpaceHint.In(o.Lang)
	}
	return c
}
