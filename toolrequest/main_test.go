package toolrequest_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/toolrequest"
)

// childMode makes the test binary play another process.
const childMode = "GONGU_REQUEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(playChild(mode, os.Args[len(os.Args)-1]))
	}
	goleak.VerifyTestMain(m)
}

func playChild(mode, path string) int {
	switch mode {
	case "add":
		return addForever(path)
	case "limits":
		return addUnderLimits(path)
	}
	return 2
}

// addForever says on standard output, a line each: W when the new file is being
// written, R before it takes its name, and A with an id that was acknowledged.
func addForever(path string) int {
	f := toolrequest.NewFile(path, &toolrequest.Options{MaxOpen: 1 << 20, Logger: quiet()})
	toolrequest.Watch(f, func(step fsx.Step) error {
		switch step {
		case fsx.StepWrite:
			fmt.Println("W")
		case fsx.StepRename:
			fmt.Println("R")
		}
		return nil
	})
	for i := 0; ; i++ {
		name := fmt.Sprintf("tool_%d_%d", os.Getpid(), i)
		r, already, err := f.Add(context.Background(), toolrequest.New{Name: name, Description: "does something"})
		if err != nil || already || r.Warning != "" {
			fmt.Println("E", err, already, r.Warning)
			return 1
		}
		fmt.Println("A", r.ID, name)
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// queue is a file in a folder of its own.
func queue(t testing.TB, opts *toolrequest.Options) *toolrequest.File {
	t.Helper()
	if opts == nil {
		opts = &toolrequest.Options{}
	}
	if opts.Logger == nil {
		opts.Logger = quiet()
	}
	return toolrequest.NewFile(filepath.Join(t.TempDir(), toolrequest.FileName), opts)
}

func sofa() toolrequest.New {
	return toolrequest.New{Name: "draw_curved_sofa", Description: "a curved sofa"}
}
