package macro

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Problem is one thing that is wrong with a definition.
type Problem struct {
	// Way leads to the place, by field names (string) and indexes (int).
	Way           []any
	Message, Hint lang.Message
}

// Path prints the way, such as steps[0].params.x.
func (p *Problem) Path() string {
	path := ""
	for _, step := range p.Way {
		switch step := step.(type) {
		case int:
			path += "[" + strconv.Itoa(step) + "]"
		case string:
			path = jsonx.JoinKey(path, step)
		}
	}
	return strings.TrimPrefix(path, ".")
}

// Error is the problem in English.
func (p *Problem) Error() string { return p.In(string(lang.English)) }

// In is the problem in a language, en or ko.
func (p *Problem) In(language string) string {
	l := lang.Of(language)
	text := p.Message.In(l)
	if path := p.Path(); path != "" {
		text = path + ": " + text
	}
	if !p.Hint.IsZero() {
		text += "\n  " + p.Hint.In(l)
	}
	return text
}

// Problems are all that is wrong with a definition.
type Problems []*Problem

// Error is all problems in English, a paragraph for each.
func (ps Problems) Error() string { return ps.In(string(lang.English)) }

// In is all problems in a language, en or ko.
func (ps Problems) In(language string) string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.In(language)
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single Problem.
func (ps Problems) Unwrap() []error {
	all := make([]error, len(ps))
	for i, p := range ps {
		all[i] = p
	}
	return all
}

// err keeps an empty list from becoming an error that is not nil.
func (ps Problems) err(name string) error {
	if len(ps) == 0 {
		return nil
	}
	if name == "" {
		return fmt.Errorf("macro: %w", ps)
	}
	return fmt.Errorf("macro %q: %w", name, ps)
}

// maxProblems limits the problems of one report.
const maxProblems = 100

// report collects problems.
type report struct {
	list Problems
	more int
}

func (r *report) add(at location, message, hint lang.Message) {
	if len(r.list) >= maxProblems {
		r.more++
		return
	}
	r.list = append(r.list, &Problem{Way: at.way(), Message: message, Hint: hint})
}

func (r *report) all() Problems {
	if r.more > 0 {
		return append(r.list, &Problem{Message: lang.MacroMoreProblem.With(r.more)})
	}
	return r.list
}

// location is the way to a value, as a chain: most are never printed.
type location struct {
	up   *location
	step any
}

func (p location) at(step any) location { return location{up: &p, step: step} }

func (p location) way() []any {
	if p.up == nil {
		return nil
	}
	return append(p.up.way(), p.step)
}
