package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gongu": main})
}

// TestScripts drives the real program; see testdata.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// A program built with the race detector sleeps for a second
			// before it exits, unless told not to.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			// One byte more than the program takes, too much for an archive.
			large := `{"text":"` + strings.Repeat("a", maxStdin+1-len(`{"text":""}`)) + `"}`
			return os.WriteFile(filepath.Join(env.WorkDir, "large.json"), []byte(large), 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"validjson": validJSON,
		},
	})
}

// exits runs a program and wants one exit status: exits 2 gongu nonsense.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit status %d, want %d", code, want)
	}
}

// validJSON wants a file, or stdout, to be one line of JSON.
func validJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: validjson FILE")
	}
	text := ts.ReadFile(args[0])
	if !json.Valid([]byte(text)) || strings.Count(text, "\n") != 1 {
		ts.Fatalf("%s is not one line of JSON", args[0])
	}
}
