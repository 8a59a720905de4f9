package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/proc"
)

// The reasons why no person can be asked.
var (
	ErrNone       = errors.New("no controlling terminal")
	ErrDescendant = errors.New("started by gongu")
)

// Terminal is the controlling terminal of this process.
type Terminal struct {
	In, Out *os.File
	// pending is a line that is still read after its question was withdrawn; it is
	// used where a read cannot be ended.
	pending pendingLine
}

// Open opens the terminal at which a person can be asked. Standard input is not
// used, because a script or a model may provide it. The error is [ErrDescendant]
// in a process that gongu started for a tool or a server, else [ErrNone].
func Open() (*Terminal, error) {
	if Descendant() {
		return nil, ErrDescendant
	}
	t, err := openControlling()
	if err != nil {
		return nil, ErrNone
	}
	return t, nil
}

// Attended reports whether a person can be asked.
func Attended() bool {
	t, err := Open()
	if err != nil {
		return false
	}
	t.Close()
	return true
}

// Close closes the terminal; nothing was buffered.
func (t *Terminal) Close() {
	_ = t.In.Close()
	if t.Out != t.In {
		_ = t.Out.Close()
	}
}

// Ask shows a question and reports whether the answer that is typed after it is
// yes. The secrets and the colour of the question are those of w.
func (t *Terminal) Ask(question string, w *Writer) (bool, error) {
	if err := t.discardInput(); err != nil {
		return false, fmt.Errorf("ask at the terminal: %w", err)
	}
	shown := &Writer{Out: t.Out, Secrets: w.Secrets, Colour: w.Colour}
	if _, err := io.WriteString(shown, question); err != nil {
		return false, fmt.Errorf("ask at the terminal: %w", err)
	}
	return readYes(t.In, t.Out), nil
}

// Descendant reports whether this process descends from a program that gongu
// started. Three things show it: the mark in the environment of every such program,
// the same mark in an ancestor's environment, and an ancestor that is gongu
// itself, since a program can remove variables but not its ancestors.
func Descendant() bool {
	return os.Getenv(proc.Mark) != "" || startedByGongu(ancestors(os.Getppid()))
}

// IsDescendant is [Descendant] for a process of this user that runs: the one at the
// other end of a socket.
func IsDescendant(pid int) bool {
	all := ancestors(pid)
	if len(all) == 0 {
		return false // not known on this system
	}
	// The process itself may be gongu.
	return all[0].marked || startedByGongu(all[1:])
}

func startedByGongu(all []ancestor) bool {
	own, err := os.Executable()
	if err != nil {
		own = ""
	}
	names := []string{"gongu", programName(own)}
	return slices.ContainsFunc(all, func(p ancestor) bool {
		return p.marked || p.program != "" && slices.Contains(names, programName(p.program))
	})
}

// ancestor is a process above this one.
type ancestor struct {
	program string // its executable
	marked  bool   // has proc.Mark in its environment
}

// programName is the name of an executable, also of one that was replaced while
// it ran.
func programName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), " (deleted)")
	return strings.TrimSuffix(name, ".exe")
}

// maxAncestors is far above the depth of any real tree of processes.
const maxAncestors = 1000

// readYes reads the answer to a question: one line, and no byte after it,
// because the rest of the input may be for a tool.
func readYes(in io.Reader, echo io.Writer) bool {
	var line []byte
	next := make([]byte, 1)
	for len(line) < 64 {
		n, err := in.Read(next)
		if n == 1 && next[0] == '\n' {
			break
		}
		line = append(line, next[:n]...)
		if err != nil {
			if errors.Is(err, io.EOF) {
				fmt.Fprintln(echo) // ends the line of the question
			}
			return false
		}
	}
	return IsYes(string(line))
}

// IsYes reports whether an answer is yes, in any language that gongu has.
func IsYes(answer string) bool {
	return slices.Contains([]string{"y", "yes", "예", "네"}, strings.ToLower(strings.TrimSpace(answer)))
}
