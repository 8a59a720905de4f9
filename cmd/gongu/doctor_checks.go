package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
)

// posixShell and scriptShell are what the bash tools start.
const (
	posixShell  = "/bin/sh"
	scriptShell = "/bin/bash"
)

// checkMachine looks for programs.
func (a *app) checkMachine() []check {
	b := thisBuild()
	checks := []check{
		{Name: "gongu", Status: checkOK, Detail: b.Version + " (" + b.Go + ")"},
		{Name: "system", Status: checkOK, Detail: b.OS + "/" + b.Arch},
		a.checkShell("sh", posixShell), a.checkShell("bash", scriptShell),
	}
	for _, program := range []struct {
		name string
		hint lang.Text
	}{
		{"git", lang.CLIDoctorGitHint},
		{"node", lang.CLIDoctorNodeHint},
		{"bun", lang.CLIDoctorBunHint},
	} {
		c := check{Name: program.name, Status: checkOK}
		path, err := exec.LookPath(program.name)
		if c.Detail = path; err != nil {
			c.Status, c.Detail = checkMissing, lang.CLIDoctorNotFound.In(a.lang)
			c.Next = program.hint.In(a.lang)
		}
		checks = append(checks, c)
	}
	return checks
}

func (a *app) checkShell(name, path string) check {
	if isFile(path) {
		return check{Name: name, Status: checkOK, Detail: path}
	}
	hint := lang.CLIDoctorShellFix.In(a.lang, path)
	if runtime.GOOS == "windows" {
		hint = lang.CLIDoctorShellHint.In(a.lang)
	}
	return check{Name: name, Status: checkMissing, Detail: lang.CLIDoctorShellNone.In(a.lang, path), Next: hint}
}

// checkFolders looks at the folders that gongu writes to.
func (a *app) checkFolders() []check {
	checks := a.checkState()
	if config, err := a.configFolder(); err != nil {
		checks = append(checks, check{
			Name: "config", Status: checkProblem,
			Detail: lang.CLIDoctorNoConfig.In(a.lang, err), Next: lang.CLIDoctorConfigHint.In(a.lang),
		})
	} else {
		checks = append(checks, a.checkWritable("config", config, lang.CLIDoctorConfigHint))
	}
	return append(checks, a.checkTemp())
}

// checkState looks at the state root, and for one that an earlier version left in
// the bundle.
func (a *app) checkState() []check {
	state, err := a.statePath()
	if e, ok := errors.AsType[*lang.Error](err); ok {
		return []check{{Name: "state", Status: checkProblem, Detail: visible(e.Message(string(a.lang))), Next: visible(e.Hint(string(a.lang)))}}
	}
	checks := []check{a.checkWritable("state", state, lang.CLIDoctorStateHint)}
	if old, there := statedir.Old(a.bundleFolder()); there {
		checks = append(checks, check{
			Name: "old state", Status: checkMissing, Detail: lang.CLIDoctorOldState.In(a.lang, visible(old)),
			Next: lang.CLIDoctorOldStateHint.In(a.lang, a.againWords("state", "move")),
		})
	}
	return checks
}

func (a *app) configFolder() (string, error) {
	if dir := a.getenv("GONGU_CONFIG_DIR"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "gongu"), err
}

// checkWritable tries the folder, or the nearest above it that exists: what
// gongu makes on demand must not be made by looking.
func (a *app) checkWritable(name, dir string, hint lang.Text) check {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = tryWrite(dir)
	}
	if err != nil {
		detail := lang.CLIDoctorUnwritable.In(a.lang, dir, fsx.Cause(err))
		return check{Name: name, Status: checkProblem, Detail: detail, Next: hint.In(a.lang)}
	}
	return check{Name: name, Status: checkOK, Detail: dir}
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

func (a *app) checkTemp() check {
	dir := os.TempDir()
	c := a.checkWritable("temp", dir, lang.CLIDoctorSpaceHint)
	free, known := freeSpace(dir)
	if c.Status != checkOK || !known {
		return c
	}
	c.Detail = lang.CLIDoctorSpace.In(a.lang, dir, free>>20)
	if free < leastSpace {
		c.Status, c.Next = checkProblem, lang.CLIDoctorSpaceHint.In(a.lang)
	}
	return c
}

// checkBundle looks at the bundle that the other commands would use.
func (a *app) checkBundle(read doctored) []check {
	dir, b := read.dir, read.bundle
	if !read.present {
		shown, err := filepath.Abs(dir)
		if err != nil {
			shown = dir
		}
		return []check{{
			Name: "bundle", Status: checkMissing,
			Detail: lang.CLIDoctorNoBundle.In(a.lang, shown), Next: lang.CLIDoctorInitHint.In(a.lang),
		}}
	}
	if b == nil {
		failures := a.countErrors(len(read.diagnostics.Only(bundle.SeverityError)))
		return []check{{
			Name: "bundle", Status: checkProblem,
			Detail: lang.CLIDoctorBroken.In(a.lang, dir, failures),
			Next:   lang.CLIDoctorCheckHint.In(a.lang, a.commandOn("validate", dir)),
		}}
	}
	valid := check{Name: "bundle", Status: checkOK, Detail: lang.CLIDoctorBundle.In(a.lang, b.Dir(), a.kindList(b))}
	return []check{valid, a.checkTrust(dir, b)}
}

func (a *app) checkTrust(dir string, b *bundle.Bundle) check {
	c := check{Name: "trust", Status: checkOK, Detail: lang.CLIDoctorNoTrust.In(a.lang)}
	p, err := a.propose(dir, b)
	switch {
	case err == nil && !p.Decided():
	case err != nil:
		c.Status, c.Detail = checkProblem, err.Error()
		c.Next = lang.CLIDoctorCheckHint.In(a.lang, a.commandOn("trust", dir))
	case p.Needed() && p.Consent != nil:
		c.Status, c.Detail = checkMissing, lang.CLIDoctorChangeHeld.In(a.lang, len(p.Changes))
		c.Next = lang.CLIDoctorCheckHint.In(a.lang, a.commandOn("trust", dir))
	case p.Needed():
		c.Status, c.Detail = checkMissing, lang.CLIDoctorUntrusted.In(a.lang)
		c.Next = lang.CLIDoctorCheckHint.In(a.lang, a.commandOn("trust", dir))
	default:
		c.Detail = lang.CLIDoctorTrusted.In(a.lang)
	}
	return c
}
