//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

// hostileArguments are what the commands need to get far. A command that is not
// here runs without arguments and with one, so that a new one is in the suite.
var hostileArguments = map[string][][]string{
	"gongu call":             {{"--permission", "bypass", "--json", "CALL", "{}"}, {"--dry-run", "CALL", "{}"}, {"case__case", `{"text":"a","to":"upper"}`}},
	"gongu tools":            {{}, {"--refresh"}, {"--dialect", "openai"}, {"--json"}},
	"gongu search":           {{"list files"}},
	"gongu sources":          {{}, {"--load"}, {"--json"}},
	"gongu serve":            {{"--http", "127.0.0.1:0", "--permission", "bypass"}, {"--stdio", "--client", "00112233445566778899aabbccddeeff", "--permission", "bypass"}},
	"gongu init":             {{"REPO/fresh"}, {"."}},
	"gongu trust":            {{"--show"}, {"--show", "--json"}, {}, {"--list"}, {"--revoke"}},
	"gongu connect":          {{"claude", "--scope", "project", "--print"}, {"cursor", "--scope", "project", "--print"}, {"vscode", "--scope", "project"}, {"gemini", "--scope", "project", "--print"}, {"codex", "--config", ".codex/config.toml", "--print"}, {"opencode", "--scope", "project", "--print"}, {"claude", "--scope", "project"}},
	"gongu mcp import":       {{".mcp.json"}, {".gemini/settings.json"}},
	"gongu pins accept":      {{"--all"}, {"spy"}},
	"gongu requests approve": {{"req_001"}},
	"gongu requests show":    {{"req_001"}},
	"gongu token new":        {{"--name", "x"}, {"--name", "y", "--manage", "all"}},
	"gongu token revoke":     {{"owner"}},
	"gongu cad exec":         {{"draw_rect", `{"x":0,"y":0,"width":1,"height":1}`}},
	"gongu edit":             {{"gongu.yaml", "--old", "zzz", "--new", "y"}},
}

// hostileRepository is a folder that a stranger made.
type hostileRepository struct {
	dir, call  string
	env, flags []string
}

// K17: no command of the tree runs or reaches anything of a stranger's folder
// before a person has consented, in the folder or with -b.
func TestK17_HostileFolders(t *testing.T) {
	if raceDetector {
		t.Skip("make heavy runs it") //rules:skip a thousand processes, each ten times as slow with the race detector
	}
	files, err := filepath.Glob("testdata/hostile/*.txtar")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d repositories, %v", len(files), err)
	}
	root := (&app{}).rootCommand()
	commands := leaves(root)
	for path := range hostileArguments {
		if !slices.ContainsFunc(commands, func(c *cobra.Command) bool { return c.CommandPath() == path }) {
			t.Errorf("there is no %q", path)
		}
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c := newHostileCanary(t)
			r := c.repository(t, file)
			for _, command := range commands {
				for _, args := range argumentsOf(command, r) {
					for _, words := range [][]string{args, append([]string{"-b", r.dir}, args...)} {
						words = append(strings.Fields(command.CommandPath())[1:], words...)
						said := c.run(t, r, words)
						if sign := c.fired(); sign != "" {
							t.Fatalf("gongu %s: %s\n%s", strings.Join(words, " "), sign, said)
						}
					}
				}
			}
		})
	}
}

// K17: with consent the same folders do run, so the canaries are alive.
func TestK17_CanariesAreAlive(t *testing.T) {
	for _, name := range []string{"subfolders", "macro_over_bash", "programs", "foreign_lock", "client_file"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newHostileCanary(t)
			r := c.repository(t, filepath.Join("testdata", "hostile", name+".txtar"))
			shown := c.run(t, r, []string{"trust", "--show", "--json"})
			var report struct{ Digest string }
			if err := json.Unmarshal([]byte(shown), &report); err != nil || report.Digest == "" {
				t.Fatalf("%v: %s", err, shown)
			}
			said := c.run(t, r, []string{"call", "--permission", "bypass", "--trust", report.Digest, r.call, "{}"})
			if c.fired() == "" {
				t.Errorf("nothing ran: %s", said)
			}
		})
	}
}

// leaves returns the commands that do something.
func leaves(c *cobra.Command) []*cobra.Command {
	if !c.HasSubCommands() {
		return []*cobra.Command{c}
	}
	var all []*cobra.Command
	for _, sub := range c.Commands() {
		all = append(all, leaves(sub)...)
	}
	return all
}

func argumentsOf(c *cobra.Command, r *hostileRepository) [][]string {
	lines, ok := hostileArguments[c.CommandPath()]
	if !ok {
		lines = [][]string{{}, {"x"}}
	}
	var all [][]string
	for _, line := range lines {
		words := make([]string, len(line))
		for i, word := range line {
			words[i] = strings.NewReplacer("REPO", r.dir, "CALL", r.call).Replace(word)
		}
		all = append(all, words)
	}
	return all
}

// hostileCanary is what a hostile program touches: a file and a listener.
type hostileCanary struct {
	file, home string
	listener   net.Listener
	reached    atomic.Int64
}

func newHostileCanary(t *testing.T) *hostileCanary {
	t.Helper()
	dir := t.TempDir()
	c := &hostileCanary{file: filepath.Join(dir, "canary"), home: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	// A runner that obeys the folder it starts in, as npx does.
	npx := "#!/bin/sh\nfor a; do [ -x node_modules/.bin/$a ] && exec node_modules/.bin/$a; done\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "bin", "npx"), []byte(npx), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.listener.Close() })
	go func() {
		for {
			conn, err := c.listener.Accept()
			if err != nil {
				return
			}
			c.reached.Add(1)
			_ = conn.Close()
		}
	}()
	return c
}

// fired says how the canary was reached, or "".
func (c *hostileCanary) fired() string {
	if _, err := os.Lstat(c.file); err == nil {
		return "a program of the folder ran"
	}
	if n := c.reached.Load(); n > 0 {
		return fmt.Sprintf("%d connections to an address of the folder", n)
	}
	return ""
}

// repository writes an archive. Lines "call:", "env:" and "flags:" of its comment
// say how the folder is used.
func (c *hostileCanary) repository(t *testing.T, file string) *hostileRepository {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &hostileRepository{dir: t.TempDir(), call: "case__case"}
	fill := strings.NewReplacer("CANARY", c.file, "LISTENER", "http://"+c.listener.Addr().String(), "REPO", r.dir)
	archive := txtar.Parse(raw)
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "call":
			r.call = value
		case "env":
			r.env = strings.Fields(fill.Replace(value))
		case "flags":
			r.flags = strings.Fields(value)
		}
	}
	for _, f := range archive.Files {
		path := filepath.Join(r.dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.Contains(f.Name, "/bin/") || strings.Contains(f.Name, "/.bin/") {
			mode = 0o755
		}
		if strings.HasSuffix(f.Name, "tokens.json") {
			mode = 0o600
		}
		if err := os.WriteFile(path, []byte(fill.Replace(string(f.Data))), mode); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// hostileSession is what a client on pipes asks first.
const hostileSession = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"CALL","arguments":{}}}
`

// run runs one command in the folder, as a script without a terminal would, with
// a yes to every question on standard input.
func (c *hostileCanary) run(t *testing.T, r *hostileRepository, words []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), serveDeadline)
	defer cancel()
	serving := words[0] == "serve"
	if serving {
		words = append(words, r.flags...)
	}
	cmd := exec.CommandContext(ctx, "gongu", words...)
	cmd.Dir = r.dir
	path := filepath.Join(filepath.Dir(c.file), "bin") + ":" + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), "PATH="+path, "HOME="+c.home, "XDG_CONFIG_HOME="+c.home, "XDG_STATE_HOME="+c.home, "XDG_CACHE_HOME="+c.home,
		"XDG_RUNTIME_DIR=", "SECRET=s3cret-value", "GORACE=atexit_sleep_ms=0")
	stdin := strings.Repeat("y\n", 20)
	if serving {
		stdin = strings.ReplaceAll(hostileSession, "CALL", r.call)
		cmd.Env = append(cmd.Env, r.env...)
	}
	cmd.Stdin = strings.NewReader(stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	out := &said{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watching := words[0] == "approvals" && slices.Contains(words, "watch")
	if watching || serving && slices.Contains(words, "--http") {
		// What runs until it is ended is given time to do what it should not.
		stop := time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
		defer stop.Stop()
	}
	_ = cmd.Wait() // most of these commands are refused
	if ctx.Err() != nil {
		t.Fatalf("gongu %s hangs\n%s", strings.Join(words, " "), out)
	}
	return out.String()
}
