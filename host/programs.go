package host

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
)

// ProgramProblem is a program that a bundle starts and that another user could
// replace.
type ProgramProblem struct {
	Resource *bundle.Meta
	// Path is where the program was found.
	Path string
	// Place is the folder or file that makes it unsafe.
	Place string
	// Why is inside or writable: the program lies where tools write, or others
	// may write it.
	Why string
}

// The reasons of a [ProgramProblem].
const (
	WhyInside   = "inside"
	WhyWritable = "writable"
)

// ResolveProgram returns where a program outside of the bundle lies. It is empty
// for one that is not found.
func ResolveProgram(word string) string {
	found, err := exec.LookPath(word)
	if err != nil {
		return ""
	}
	absolute, err := filepath.Abs(found)
	if err != nil {
		return ""
	}
	return absolute
}

func programProblems(b *bundle.Bundle, workdirs []string) []ProgramProblem {
	var all []ProgramProblem
	for _, a := range b.Abilities() {
		if !a.Starts() || a.Inside {
			continue
		}
		if p := programProblem(b, a.Words[0], workdirs); p != nil {
			p.Resource = a.Resource
			all = append(all, *p)
		}
	}
	return all
}

// programProblem checks a program outside of the bundle. Consent does not cover
// its content, so it must lie where only this user and the system write.
func programProblem(b *bundle.Bundle, word string, workdirs []string) *ProgramProblem {
	path := ResolveProgram(word)
	if path == "" {
		return nil // starting it reports that it is missing
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	for _, folder := range append([]string{b.Dir(), b.Root(), os.TempDir()}, workdirs...) {
		for _, name := range []string{path, real} {
			if within(folder, name) {
				return &ProgramProblem{Path: path, Place: folder, Why: WhyInside}
			}
		}
	}
	for _, name := range []string{path, real} {
		for at := name; ; at = filepath.Dir(at) {
			if othersWrite(at) {
				return &ProgramProblem{Path: path, Place: at, Why: WhyWritable}
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return nil
}

// within reports whether a path lies below a folder, links followed.
func within(folder, path string) bool {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// argv returns a command with the files of the bundle in the copy and a program
// outside of it where it was found. It refuses a program that another user could
// replace. Without consent that is the concern of who opened the bundle. Fill
// completes the references in the program's name; nil where they have no meaning.
func (h *Host) argv(l *loaded, m *bundle.Meta, cwd string, argv []string, fill func(string) (string, error)) ([]string, error) {
	words := l.bundle.Words(m, cwd, argv)
	if h.opts.Consent == nil || len(argv) == 0 || l.bundle.Inside(m, cwd, argv[0]) {
		return words, nil
	}
	program := words[0]
	if strings.Contains(program, "${") {
		if fill != nil {
			filled, err := fill(program)
			if err != nil {
				return words, nil //nolint:nilerr // starting it reports that
			}
			program = filled
		}
		if !filepath.IsAbs(program) && strings.Contains(filepath.ToSlash(program), "/") {
			// Where it lies depends on the folder that it starts in.
			p := &ProgramProblem{Path: argv[0], Place: l.bundle.Dir(), Why: WhyInside}
			return nil, errors.New(p.In(h.lang()))
		}
	}
	workdirs := []string{h.state}
	if h.opts.Workdir != "" {
		workdirs = append(workdirs, h.opts.Workdir)
	}
	if p := programProblem(l.bundle, program, workdirs); p != nil {
		return nil, errors.New(p.In(h.lang()))
	}
	if path := ResolveProgram(program); path != "" {
		words[0] = path // and no other that appears on PATH
		if fill != nil {
			words[0] = secret.Literal(path)
		}
	}
	return words, nil
}

// In describes the problem, with what to do about it.
func (p *ProgramProblem) In(l lang.Lang) string {
	if p.Why == WhyInside {
		return lang.HostProgramInside.In(l, p.Path, p.Place)
	}
	return lang.HostProgramWritable.In(l, p.Path, p.Place)
}
