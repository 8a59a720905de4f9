//go:build linux

package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/secondid"
)

const greetYAML = `apiVersion: gongu/v1
kind: Tool
metadata: { name: hello }
spec: { entry: ./hello.ts, exports: [{ name: greet, description: "Greets." }] }
---
apiVersion: gongu/v1
kind: Model
metadata: { name: m }
spec: { provider: openai, model: x }
---
apiVersion: gongu/v1
kind: Agent
metadata: { name: a }
spec: { modelConfig: { modelRef: Model/m }, tools: [Tool/hello] }
`

const greetTS = "export const handlers = { greet: () => 'hello' };\n"

// program is gongu without any consent, in a home and with a bundle of its own.
type program struct {
	t                *testing.T
	dir, home, state string
	env              []string
}

func newProgram(t *testing.T, yaml string) *program {
	t.Helper()
	p := &program{t: t, dir: t.TempDir(), home: t.TempDir(), state: t.TempDir()}
	p.write("gongu.yaml", yaml)
	p.write("hello.ts", greetTS)
	p.env = append(os.Environ(), "CONSENT=", "HOME="+p.home, "XDG_CONFIG_HOME="+p.home, "GONGU_STATE_ROOT="+p.state, "GORACE=atexit_sleep_ms=0")
	return p
}

func (p *program) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// proposal is the bundle with its consent.
func (p *program) proposal() *host.Proposal {
	p.t.Helper()
	records := host.Consents{Dir: filepath.Join(p.home, "gongu", "trust")}
	proposal, err := host.Propose(p.dir, &host.Options{StateRoot: p.state, Consent: &host.ConsentOptions{Records: records}})
	if err != nil {
		p.t.Fatal(err)
	}
	return proposal
}

// K3: without consent a client on pipes gets no tools and is told the command;
// flags and variables, which a repository's client file can set, are no consent.
// After the yes it is told that the tools changed.
func TestK3_StdioWaitsForConsent(t *testing.T) {
	for _, agent := range []string{"", "a"} {
		t.Run("agent="+agent, func(t *testing.T) {
			p := newProgram(t, greetYAML)
			digest := p.proposal().Digest
			args := []string{"serve", "--stdio", "-b", p.dir, "--offer", "*", "--trust", digest, "--mode", "search"}
			if agent != "" {
				args = append(args, "--agent", agent)
			}
			cmd := exec.Command("gongu", args...)
			cmd.Env = append(p.env, "GONGU_TRUST="+digest)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			stderr := &said{}
			cmd.Stderr = stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = in.Close(); _ = cmd.Wait() }() // what it said counts
			lines := make(chan string, 100)
			go func() {
				defer close(lines)
				for scanner := bufio.NewScanner(out); scanner.Scan(); {
					lines <- scanner.Text()
				}
			}()
			next := func(part string) string {
				t.Helper()
				for timeout := time.After(serveDeadline); ; {
					select {
					case line, ok := <-lines:
						if !ok {
							t.Fatalf("it ended before %s: %s", part, stderr)
						}
						if strings.Contains(line, part) {
							return line
						}
					case <-timeout:
						t.Fatalf("waited in vain for %s: %s", part, stderr)
					}
				}
			}
			say := func(message string) {
				t.Helper()
				if _, err := io.WriteString(in, message+"\n"); err != nil {
					t.Fatal(err)
				}
			}
			say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			if got := next(`"id":1`); !strings.Contains(got, `"instructions":"This server has no tools yet`) || !strings.Contains(got, "gongu trust "+p.dir) {
				t.Error(got)
			}
			say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
			if got := next(`"id":2`); !strings.Contains(got, `"tools":[]`) {
				t.Error(got)
			}
			say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"hello__greet","arguments":{}}}`)
			if got := next(`"id":3`); strings.Contains(got, `"hello"`) {
				t.Error(got)
			}
			if !strings.Contains(stderr.String(), "--trust and GONGU_TRUST are ignored with --stdio") {
				t.Error(stderr)
			}
			granted := time.Now()
			if err := p.proposal().Grant("test", false); err != nil {
				t.Fatal(err)
			}
			next("notifications/tools/list_changed")
			if took := time.Since(granted); took > 5*time.Second {
				t.Errorf("the consent was noticed after %s", took)
			}
			say(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"hello__greet","arguments":{}}}`)
			if got := next(`"id":4`); !strings.Contains(got, `hello`) || strings.Contains(got, `"isError":true`) {
				t.Error(got)
			}
		})
	}
}

// K3: --trust folder counts where this process cannot write the bundle, and
// follows its changes; it is refused where it can.
func TestK3_TrustFolder(t *testing.T) {
	if !secondid.Here(t) {
		return
	}
	p := newProgram(t, greetYAML)
	base, err := os.MkdirTemp("", "gongu-folder-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	found, err := exec.LookPath("gongu")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(found)
	if err != nil {
		t.Fatal(err)
	}
	p.dir, p.state = filepath.Join(base, "bundle"), filepath.Join(base, "state")
	for dir, owner := range map[string]int{base: 0, p.dir: 0, p.state: 65534} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, owner, owner); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "gongu"), binary, 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("gongu.yaml", greetYAML)
	p.write("hello.ts", greetTS)
	run := func() (string, error) {
		cmd := exec.Command(filepath.Join(base, "gongu"), "call", "-b", p.dir, "--permission", "bypass", "--trust", "folder", "hello__greet")
		cmd.Env = append(p.env, "HOME="+p.state, "XDG_CONFIG_HOME="+p.state, "XDG_CACHE_HOME="+p.state, "GONGU_STATE_ROOT="+p.state)
		cmd.Dir = base
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err != nil || !strings.Contains(out, "hello") {
		t.Fatalf("%v: %s", err, out)
	}
	p.write("hello.ts", "export const handlers = { greet: () => 'second' };\n")
	if out, err := run(); err != nil || !strings.Contains(out, "second") {
		t.Errorf("%v: %s", err, out)
	}
	for what, open := range map[string]string{"a covered file": "hello.ts", "the folder": ".", "the folder above": ".."} {
		place := filepath.Join(p.dir, open)
		info, err := os.Stat(place)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(place, 0o777); err != nil {
			t.Fatal(err)
		}
		if out, err := run(); err == nil || !strings.Contains(out, "--trust folder is refused") {
			t.Errorf("with %s open to all: %v: %s", what, err, out)
		}
		if err := os.Chmod(place, info.Mode()); err != nil {
			t.Fatal(err)
		}
	}
}

// K6: with --dev an edited description, schema, macro or module is live within two
// seconds, and what is started is held until a key accepts it.
func TestK6_Dev(t *testing.T) {
	p := newProgram(t, greetYAML)
	if err := p.proposal().Grant("test", false); err != nil {
		t.Fatal(err)
	}
	refused := exec.Command("gongu", "serve", "-b", p.dir, "--dev", "--http", "127.0.0.1:0")
	refused.Env = p.env
	if out, err := refused.CombinedOutput(); err == nil || !strings.Contains(string(out), "--dev needs a terminal") {
		t.Fatalf("%v: %s", err, out)
	}
	person, terminal, err := openPTY()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	shown, stdout := &said{}, &said{}
	go func() { _, _ = io.Copy(shown, person) }() // until it is closed
	cmd := exec.Command("gongu", "serve", "-b", p.dir, "--dev", "--no-auth", "--offer", "*", "--permission", "bypass", "--mode", "direct", "--http", "127.0.0.1:0")
	cmd.Env, cmd.Stdin, cmd.Stderr, cmd.Stdout = p.env, terminal, terminal, stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close() // the program has it
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = cmd.Wait()
	}()
	waitFor(t, "for gongu to serve", func() bool { return servedURL.MatchString(stdout.String()) })
	user := &mcpUser{url: servedURL.FindString(stdout.String()), path: "/mcp", http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	live := func(what string, done func() bool) {
		t.Helper()
		began := time.Now()
		waitFor(t, "for "+what, done)
		if took := time.Since(began); took > 20*time.Second { // ten times the promise; the machine may be busy
			t.Errorf("%s was live after %s", what, took)
		}
	}
	tools := func() string { return user.get("/api/v1/tools").body }
	waitFor(t, "for the tool", func() bool { return strings.Contains(tools(), "hello__greet") })
	p.write("gongu.yaml", strings.Replace(greetYAML, "Greets.", "Greets warmly.", 1))
	live("a description", func() bool { return strings.Contains(tools(), "Greets warmly.") })
	p.write("hello.ts", "export const handlers = { greet: () => 'changed' };\n")
	live("a module", func() bool {
		r := user.call(context.Background(), "9", "hello__greet", "{}")
		return r.ok("changed") || r.ok(`"changed"`)
	})
	p.write("macros.yaml", "apiVersion: gongu/v1\nkind: Macro\nmetadata: {name: twice}\nspec: {description: x, steps: [{tool: hello__greet}]}\n")
	live("a macro", func() bool { return strings.Contains(tools(), `"twice"`) })
	p.write("tools.yaml", "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: bash}\nspec: {entry: 'builtin:bash', exports: [{name: exec}]}\n")
	waitFor(t, "for the question", func() bool { return strings.Contains(shown.String(), "type y and Enter") })
	time.Sleep(500 * time.Millisecond)
	if strings.Contains(tools(), "bash__exec") {
		t.Fatal("a shell was accepted without a question")
	}
	if _, err := io.WriteString(person, "n\n"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if strings.Contains(tools(), "bash__exec") {
		t.Fatal("a shell was accepted with a no")
	}
	if _, err := io.WriteString(person, "y\n"); err != nil {
		t.Fatal(err)
	}
	live("what was accepted", func() bool { return strings.Contains(tools(), "bash__exec") })
}
