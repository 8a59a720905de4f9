package terminal

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gongu-ai/gongu/internal/proc"
)

// discardInput drops what was typed or pasted before the question was shown.
func (t *Terminal) discardInput() error {
	return unix.IoctlSetInt(int(t.In.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}

// ancestors are a process and those above it, the nearest first.
func ancestors(pid int) []ancestor {
	var all []ancestor
	for pid > 0 && len(all) < maxAncestors {
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))     // another user's cannot be read
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // likewise
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			break
		}
		name, rest := splitStat(string(stat))
		if program == "" {
			program = name
		}
		all = append(all, ancestor{program: program, marked: hasVariable(environ, proc.Mark)})
		fields := strings.Fields(rest) // state, parent, ...
		if len(fields) < 2 {
			break
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil {
			break
		}
	}
	return all
}

// splitStat divides a line of /proc/PID/stat after the name, which is in
// parentheses and may have some itself.
func splitStat(line string) (name, rest string) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return "", ""
	}
	return line[open+1 : end], line[end+1:]
}

func hasVariable(environ []byte, name string) bool {
	prefix := []byte(name + "=")
	return bytes.HasPrefix(environ, prefix) || bytes.Contains(environ, append([]byte{0}, prefix...))
}
