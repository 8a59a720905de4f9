package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// preset makes the policy of a server with a preset, in the home of the place.
func (p *place) preset(name string, read ...string) {
	p.t.Helper()
	p.t.Setenv("HOME", p.home)
	p.policy.ReadAll, p.policy.Read, p.policy.Namespaces = false, read, true
	p.policy.Apply(name)
	for file, text := range map[string]string{".ssh/id_rsa": "private key", ".gitconfig": "[user]\nname = Somebody\nemail = s@example.com\n"} {
		path := p.at(file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
}

// runs runs a program that must succeed and print something.
func (p *place) runs(want string, env []string, argv ...string) {
	p.t.Helper()
	out, err := p.run(append(env, "HOME="+p.home), argv...)
	if err != nil || !strings.Contains(out, want) {
		p.t.Errorf("%q: %v\n%s", argv, err, out)
	}
}

// keeps wants that the rest of the home folder is out of reach.
func (p *place) keeps() {
	p.t.Helper()
	for _, line := range []string{"cat " + p.at(".ssh/id_rsa"), "cat " + p.at("notes"), "echo x > " + p.at("planted"), "echo x > " + p.at(".npmrc"), "echo x > " + p.at(".gitconfig"), "ls " + p.state + "/*"} {
		if out, err := p.run(nil, "/bin/sh", "-c", line); err == nil {
			p.t.Errorf("%s: %s", line, out)
		}
	}
	if len(p.reported) > 0 {
		p.t.Errorf("reported as missing: %q", p.reported)
	}
}

// withLink makes a folder of this machine's user one of the test's user.
func (p *place) withLink(folder, name string) {
	p.t.Helper()
	if err := os.Symlink(folder, p.at(name)); err != nil {
		p.t.Fatal(err)
	}
}

// TestK16_PresetPython: Python with its libraries runs, also from pyenv, and uses
// its caches.
func TestK16_PresetPython(t *testing.T) {
	raw, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatalf("this test needs python3: %v", err)
	}
	python := strings.TrimSpace(string(raw))
	p := newPlace(t)
	if root, _, found := strings.Cut(python, "/.pyenv/"); found {
		p.withLink(filepath.Join(root, ".pyenv"), ".pyenv")
	}
	p.preset("python")
	p.runs("works 3", nil, python, "-c", `
import json, ssl, socket, tempfile, subprocess, threading, pathlib, os
open("a.txt", "w").write(json.dumps({"a": 1}))
pathlib.Path(os.environ["HOME"], ".cache", "pip", "x").write_text("x")
with tempfile.TemporaryFile() as f: f.write(b"x")
print("works", subprocess.run(["/bin/sh", "-c", "echo 3"], capture_output=True, text=True).stdout)`)
	p.keeps()
}

// TestK16_PresetGit: git reads the user's settings and works in the working
// directory.
func TestK16_PresetGit(t *testing.T) {
	p := newPlace(t)
	p.preset("git")
	p.runs("Somebody", nil, "/bin/sh", "-c", "git init -q . && echo x > a && git add a && git commit -q -m first && git clone -q . ../copy 2>/dev/null; git log --format=%an")
	p.keeps()
}

// TestK16_PresetNpm: npx starts an MCP server of an installed package and node
// runs it.
func TestK16_PresetNpm(t *testing.T) {
	packages, err := filepath.Abs("../npm")
	if err != nil {
		t.Fatal(err)
	}
	modules, err := filepath.EvalSymlinks(filepath.Join(packages, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	p.preset("npm", packages, modules)
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	p.runs(`"serverInfo"`, []string{"npm_config_update_notifier=false"}, "/bin/sh", "-c",
		"echo '"+hello+"' | npx --offline --no-install --prefix "+packages+" mcp-server-memory")
	p.keeps()
}

// TestK16_PresetBrowser: a browser shows a page.
func TestK16_PresetBrowser(t *testing.T) {
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome-headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	p := newPlace(t)
	p.preset("browser")
	p.keeps()
	if browser == "" {
		t.Skip("no browser is installed") //rules:skip a browser is too large to bring along
	}
	p.runs("shown", nil, browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "data:text/html,<p>shown</p>")
}
