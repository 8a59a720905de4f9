//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/secret"
)

// evil is a text that sets the title of a terminal, clears it, turns the reading
// direction around and hides letters.
const evil = "evil\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\u2066\u200b\U000e0041\x7f\r"

// steering finds a character that a terminal would obey. It is independent of
// the code that writes them out.
func steering(out []byte) string {
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRune(out[i:])
		bad := r == utf8.RuneError && size == 1 || r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f ||
			r == 0x61c || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0xfeff || r >= 0xe0000 && r <= 0xe0fff
		if bad {
			return fmt.Sprintf("%U in %q", r, out[max(0, i-60):min(len(out), i+40)])
		}
		i += size
	}
	return ""
}

// hostileRuns are the command lines for each command of the tree. In the folder
// are a bundle with a hostile server, a broken one, and files of other programs;
// all texts in them are evil.
var hostileRuns = map[string][]string{
	"call": {
		"call --permission bypass web__say", "call --permission bypass --json web__say", "call --permission bypass web__fail", "call --permission bypass --json web__fail", "call --permission bypass web__structured", "call --dry-run web__say", "call nothing__" + evil,
		"call --permission bypass web__say " + evil, "call text__read",
	},
	"audit list":       {"audit list", "audit list --json", "audit list --tool " + evil, "audit list --status " + evil + " --since " + evil},
	"audit show":       {"audit show 1", "audit show 1 --json", "audit show 2", "audit show 3", "audit show " + evil},
	"audit verify":     {"audit verify", "audit verify --json", "audit verify --head " + evil},
	"audit head":       {"audit head", "audit head --json"},
	"audit export":     {"audit export", "audit export --format csv", "audit export --payloads", "audit export --payloads --format csv", "audit export --format " + evil},
	"audit erase":      {"audit erase 1", "audit erase " + evil},
	"cad exec":         {"cad exec draw_" + evil},
	"cad render":       {"cad render " + evil + ".svg", "cad render x." + evil},
	"connect":          {"connect claude --config servers.json --print", "connect claude --config servers.json --print --json", "connect claude --config broken" + evil + ".json --print", "connect " + evil},
	"doctor":           {"doctor", "doctor --json", "doctor -b broken"},
	"edit":             {"edit evil.txt --old gone" + evil + " --new x", "edit evil.txt --old keep --new " + evil + " --dry-run --json", "edit missing" + evil + " --old a --new b"},
	"help":             {"help", "help " + evil},
	"init":             {"init new" + evil, "init new" + evil},
	"logs":             {"logs", "logs --json", "logs --tool web__say", "logs --tool nothing__" + evil, "logs --call call_" + evil, "logs --trace " + evil, "logs --since " + evil, "logs --store " + evil},
	"mcp import":       {"mcp import servers.json -b target --dry-run", "mcp import servers.json -b target", "mcp import servers.json -b target --json", "mcp import none" + evil, "mcp import broken" + evil + ".json"},
	"pins list":        {"pins list", "pins list --json"},
	"pins diff":        {"pins diff", "pins diff --json", "pins diff " + evil},
	"pins accept":      {"pins accept changed", "pins accept " + evil},
	"pins check":       {"pins check", "pins check --json"},
	"state backup":     {"state backup none" + evil + "/x", "state backup --store none" + evil + ".db x", "state backup"},
	"state restore":    {"state restore none" + evil, "state restore evil.txt"},
	"state check":      {"state check", "state check --json", "state check --store none" + evil + ".db"},
	"state list":       {"state list", "state list --json"},
	"state move":       {"state move", "state move --dry-run"},
	"status":           {"status", "status --json", "status -b broken"},
	"state path":       {"state path", "state path -b none" + evil},
	"state prune":      {"state prune --dry-run", "state prune"},
	"requests list":    {"requests list", "requests list --json"},
	"requests show":    {"requests show req_001", "requests show req_001 --json", "requests show " + evil},
	"requests approve": {"requests approve req_001 --reason " + evil, "requests approve " + evil},
	"requests reject":  {"requests reject req_002 --reason " + evil, "requests reject req_002 --reason x"},
	"search":           {"search evil", "search evil --json", "search " + evil, "search --tools tools.jsonl evil"},
	"serve":            {"serve --http " + evil, "serve --mode " + evil, "serve --http 127.0.0.1:0 --agent " + evil},
	"sources":          {"sources", "sources --load", "sources --json"},
	"token new":        {"token new --name t --agent a", "token new --name " + evil},
	"token list":       {"token list", "token list --json"},
	"token revoke":     {"token revoke " + evil, "token revoke t"},
	"token login":      {"token login"},
	"tools":            {"tools --refresh", "tools", "tools --json", "tools --dialect openai", "tools --cost", "tools web__shown", "tools " + evil, "tools --agent " + evil, "tools -b broken"},
	"trust":            {"trust --show", "trust --show --json", "trust --show broken", "trust --revoke none" + evil},
	"validate":         {"validate", "validate --strict", "validate --json", "validate broken", "validate --json broken", "validate none" + evil},
	"why":              {"why web__say", "why --json web__say", "why nothing__" + evil, "why web__changed --as " + evil, "why text__read " + evil, "why gone__" + evil, "why web__say --agent " + evil},
	"version":          {"version", "version " + evil},
}

// exactOutput are the runs whose standard output is asked for byte for byte when
// it is no terminal.
func exactOutput(line string) bool {
	return strings.HasPrefix(line, "call ") && !strings.Contains(line, "--json")
}

// K15, attack 15: every command of the tree writes out what could steer a
// terminal, on a terminal and in a pipe.
func TestHostileTexts(t *testing.T) {
	if raceDetector {
		t.Skip("make heavy runs it") //rules:skip a thousand processes, each ten times as slow with the race detector
	}
	dir := hostileFolder(t)
	a := &app{environment: environment{stdout: io.Discard, stderr: io.Discard, getenv: os.Getenv}, secrets: &secret.Vault{}}
	var walk func(cmd *cobra.Command, path string)
	walk = func(cmd *cobra.Command, path string) {
		if cmd.HasSubCommands() {
			for _, sub := range cmd.Commands() {
				walk(sub, strings.TrimSpace(path+" "+sub.Name()))
			}
			return
		}
		lines, known := hostileRuns[path]
		if !known {
			t.Errorf("gongu %s has no line in hostileRuns: add command lines that make it print texts from elsewhere", path)
		}
		for _, line := range lines {
			stdout, stderr := hostilePipes(t, dir, line)
			if found := steering(stdout); found != "" && !exactOutput(line) {
				t.Errorf("standard output of gongu %q: %s", line, found)
			}
			if found := steering(stderr); found != "" {
				t.Errorf("standard error of gongu %q: %s", line, found)
			}
			shown := hostileTerminal(t, dir, line)
			if found := steering(bytes.ReplaceAll(shown, []byte("\r\n"), []byte("\n"))); found != "" {
				t.Errorf("gongu %q on a terminal: %s", line, found)
			}
		}
	}
	root := a.rootCommand()
	root.InitDefaultHelpCmd()
	walk(root, "")
	hostileServe(t, dir)
	// What is asked for is exact in a pipe, and shown written out on a terminal.
	if stdout, _ := hostilePipes(t, dir, "call --permission bypass web__say"); string(stdout) != evil+"\n" {
		t.Errorf("the output in a pipe is %q", stdout)
	}
	if shown := string(hostileTerminal(t, dir, "call --permission bypass web__say")); !strings.Contains(shown, `evil\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\u2066\u200b\U000e0041\x7f\x0d`) {
		t.Errorf("the terminal shows %q", shown)
	}
}

// hostileCommand makes a command in the folder. Words are separated by spaces,
// which the evil text has none of.
func hostileCommand(ctx context.Context, dir, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "gongu", strings.Split(line, " ")...)
	cmd.Dir = dir
	home := filepath.Join(dir, "..", "home")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "GONGU_CONFIG_DIR="+home, "NO_COLOR=1", "GORACE=atexit_sleep_ms=0", "CONSENT=auto", "TMPDIR="+home)
	return cmd
}

const hostileTime = 20 * time.Second

func hostilePipes(t *testing.T, dir, line string) (stdout, stderr []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hostileTime)
	defer cancel()
	cmd := hostileCommand(ctx, dir, line)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil || ctx.Err() != nil {
		t.Fatalf("gongu %q: %v\n%s%s", line, err, &out, &errs)
	}
	return out.Bytes(), errs.Bytes()
}

// hostileTerminal runs a command on a terminal of its own, where somebody says
// yes to every question, and returns what it shows.
func hostileTerminal(t *testing.T, dir, line string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hostileTime)
	defer cancel()
	master, slave, err := openPTY()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	cmd := hostileCommand(ctx, dir, line)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close() // the program has its own
	// What is typed before a question does not count, so it is typed again.
	go func() {
		for ctx.Err() == nil {
			if _, err := master.WriteString("y\n"); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	shown, err := io.ReadAll(master)
	if err != nil && !errors.Is(err, syscall.EIO) { // which is how its end looks
		t.Fatal(err)
	}
	if err := cmd.Wait(); ctx.Err() != nil {
		t.Fatalf("gongu %q: %v\n%s", line, err, shown)
	}
	return shown
}

// hostileServe serves a bundle whose path is evil, until it is interrupted.
func hostileServe(t *testing.T, dir string) {
	t.Helper()
	bundle := filepath.Join(filepath.Dir(dir), "x"+evil)
	yaml := "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: text}\nspec: {entry: \"builtin:text-transform\", exports: [{name: case}]}\n"
	if err := errors.Join(os.Mkdir(bundle, 0o700), os.WriteFile(filepath.Join(bundle, "gongu.yaml"), []byte(yaml), 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := hostileCommand(context.Background(), dir, "serve --http 127.0.0.1:0 -b "+bundle)
	out := &said{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "for gongu to serve", func() bool { return strings.Contains(out.String(), "gongu connect") })
	_ = cmd.Process.Signal(os.Interrupt) // it may have ended
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if found := steering([]byte(out.String())); found != "" {
		t.Errorf("gongu serve: %s", found)
	}
}

// hostileFolder makes the folder that the commands run in.
func hostileFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	inYAML := strconv.QuoteToASCII(evil)
	program, err := exec.LookPath(evilProgram)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"gongu.yaml": fmt.Sprintf(`apiVersion: gongu/v1
kind: McpServer
metadata: {name: web, labels: {x: %[1]s}}
spec: {command: %[2]s, args: [%[1]s, %[3]s], trust: true}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: gone}
spec: {command: %[1]s}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: dies}
spec: {command: sh, args: [-c, 'printf "\033[2Jdead\233" >&2; exit 1']}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: lister}
spec: {discover: [sh, -c, 'printf "\033[2Jdead\233" >&2; exit 1'], call: [sh, -c, 'exit 1'], cwd: %[1]s}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: text}
spec: {entry: "builtin:file-system", exports: [{name: read, description: %[1]s}]}
---
apiVersion: gongu/v1
kind: Model
metadata: {name: m}
spec: {provider: openai, model: %[1]s}
---
apiVersion: gongu/v1
kind: Agent
metadata: {name: a}
spec: {modelConfig: {modelRef: Model/m}, tools: [Tool/text]}
`, inYAML, program, filepath.Join(filepath.Dir(dir), "home", "changed")),
		"broken/" + evil + ".yaml": fmt.Sprintf("apiVersion: gongu/v1\nkind: %s\nmetadata: {name: x}\nspec: {%s: %s}\n", inYAML, inYAML, inYAML),
		"broken/raw.yaml":          "apiVersion: gongu/v1 \x1b[2J\nkind: \u202eTol\n",
		"tool-requests.json": fmt.Sprintf(`[{"id":"req_001","name":"a","description":%[1]s,"rationale":%[1]s,"suggested_params":[%[1]s],"status":"queued","created_at":"2026-01-31T09:30:00.120Z","agent":%[1]s},
			{"id":"req_002","name":"b","description":%[1]s,"rationale":%[1]s,"status":"queued","created_at":"2026-01-31T09:30:00.120Z"}]`, quoted),
		"servers.json": fmt.Sprintf(`{"mcpServers":{%[1]s:{"command":%[1]s,"args":[%[1]s],"env":{%[1]s:"${KEY} ${file:/x%[2]s}","A_TOKEN":%[1]s}},
			"off":{"disabled":true,"command":%[1]s},"bad":{"type":%[1]s,%[1]s:1}}}`, quoted, strings.Trim(string(quoted), `"`)),
		"broken" + evil + ".json": "{" + evil,
		"tools.jsonl":             fmt.Sprintf(`{"name":"evil_tool","description":%s}`+"\n", quoted),
		"evil.txt":                "keep\n" + evil + "\n",
		"target/gongu.yaml":       "",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(filepath.Dir(dir), "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	// Trusted, listed once, and then changed, so that pins have something to show.
	for _, line := range []string{"trust", "tools --refresh", "pins accept"} {
		hostileTerminal(t, dir, line)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "home", "changed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	hostileTerminal(t, dir, "tools --refresh")
	return dir
}
