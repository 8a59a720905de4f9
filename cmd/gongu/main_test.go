package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gongu-ai/gongu"
)

func TestMain(m *testing.M) {
	// Tests that run commands in this process start it as their child, which must
	// not run the tests again.
	if isChild(os.Args[1:]) {
		os.Exit(runChild(os.Stdin, os.Stdout, os.Stderr))
	}
	if strings.Contains(filepath.Base(os.Args[0]), ".test") {
		leaveTerminal() // so that no program asks whoever runs the tests
	}
	testscript.Main(m, map[string]func(){"gongu": consentedMain, upstreamProgram: upstreamMain, leakProgram: leakMain, evilProgram: evilMain, floodProgram: floodMain, "oldkernel": oldKernelMain})
}

// callsAllowed is a policy of a user who is not asked about calls of commands and of
// clients on stdio. Scripts have no terminal to answer at.
const callsAllowed = `apiVersion: gongu/v1
kind: Policy
metadata: {name: tests}
spec:
  rules:
    - {name: scripts, match: 'principal.kind in ["cli", "stdio"]', effect: allow}
`

// allowCalls writes callsAllowed, unless the script is about rules and questions.
func allowCalls(dir string) error {
	script := strings.TrimPrefix(filepath.Base(dir), "script-")
	for _, about := range []string{"approval", "ask", "callers", "doctor", "notify", "offer", "permission", "policy", "remember", "why"} {
		if strings.HasPrefix(script, about) {
			return nil
		}
	}
	config := filepath.Join(dir, "home", "gongu")
	if err := os.MkdirAll(config, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(config, "policy.yaml"), []byte(callsAllowed), 0o600)
}

// scripts returns the scripts to run. With the race detector only those whose
// program serves: the others do one thing after the other, and make heavy runs all
// of them without it.
func scripts(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d scripts, %v", len(all), err)
	}
	if !raceDetector {
		return all
	}
	return slices.DeleteFunc(all, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && !bytes.Contains(text, []byte("gongu serve"))
	})
}

// TestScripts drives the real program; see testdata.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(t),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		// For texts that were changed on purpose; read the diff.
		UpdateScripts: os.Getenv("GONGU_UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			// A program built with the race detector sleeps for a second
			// before it exits, unless told not to.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("CONSENT", "auto")
			// Known to withServers, so that servers get what a script sets.
			for _, name := range []string{"GONGU_STATE_ROOT", "GONGU_CONFIG_DIR", "GONGU_TRUST", "GONGU_STORE", "EDITOR", "VISUAL", "NO_COLOR"} {
				env.Setenv(name, "")
			}
			// Nothing of this machine, and nothing left on it.
			for _, name := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "AppData", "LocalAppData"} {
				env.Setenv(name, filepath.Join(env.WorkDir, "home"))
			}
			withServers(env)
			if err := allowCalls(env.WorkDir); err != nil {
				return err
			}
			// One byte more than the program takes, too much for an archive.
			large := `{"text":"` + strings.Repeat("a", maxStdin+1-len(`{"text":""}`)) + `"}`
			return os.WriteFile(filepath.Join(env.WorkDir, "large.json"), []byte(large), 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"validjson": validJSON,
			"repeat":    repeat,
			"message":   messageLength,
			"example":   copyExample,
			"server":    startServer,
			"tell":      sendSignal,
			"end":       endServer,
			"http":      httpRequest,
			"capture":   capture,
			"state":     stateOf,
			"issuer":    startIssuer,
			"jwt":       signJWT,
			"person":    person,
			"consent":   consent,
		},
	})
}

// stateOf sets a variable to the state root of a folder: state NAME FOLDER.
func stateOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: state NAME FOLDER")
	}
	ts.Check(ts.Exec("gongu", "state", "path", "-b", args[1]))
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
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

// repeat writes a file that would be too long for a script: a beginning, a word
// so many times, and an end.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: repeat FILE BEGINNING WORD COUNT END")
	}
	count, err := strconv.Atoi(args[3])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+strings.Repeat(args[2], count)+args[4]), 0o600))
}

// messageLength wants the error of the result on stdout to have a message of
// so many characters.
func messageLength(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: message LENGTH")
	}
	var result gongu.Result
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &result))
	if result.Error == nil {
		ts.Fatalf("the result has no error")
		return
	}
	if got := strconv.Itoa(utf8.RuneCountInString(result.Error.Message)); got != args[0] {
		ts.Fatalf("the message has %s characters, want %s", got, args[0])
	}
}

// copyExample puts a folder of examples into the script's own.
func copyExample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: example NAME")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(filepath.Join("..", "..", "examples", args[0]))))
}
