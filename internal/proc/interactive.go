package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// editorGrace is how long an editor has to restore the terminal and end.
const editorGrace = time.Second

// Interactive runs a program that a person has chosen, such as an editor, with a
// file at the terminal, until it ends. The program is in the group of this
// process, has its environment, and no sandbox: it is the person's, like the
// shell that started gongu. It is asked to end when ctx does.
func Interactive(ctx context.Context, command, file string, in, out *os.File) error {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "exec "+command+` "$1"`, "sh", file)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, command, file)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = editorGrace
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}
