//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/clients"
)

// plantedSession asks for the canary.
const plantedSession = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bash__exec","arguments":{"command":"touch CANARY"}}}
`

// K17, K3: an archive without version control brings a client file along that leads
// gongu to consents and state of the archive, with private modes. None of it counts
// for a client on pipes, until a person has consented at a terminal with the same
// settings: somebody may keep consents and state elsewhere. The same holds for the
// record of a client, which lets its calls run without asking (P2).
func TestK17_PlantedEnvironment(t *testing.T) {
	for name, env := range map[string][]string{
		"gongu's variables": {"GONGU_CONFIG_DIR=REPO/conf", "GONGU_STATE_ROOT=REPO/state"},
		"relative":          {"GONGU_CONFIG_DIR=../conf", "GONGU_STATE_ROOT=../state"},
		"the flag":          {"GONGU_CONFIG_DIR=REPO/conf", "--state-root=REPO/state"},
		"XDG":               {"XDG_CONFIG_HOME=REPO/conf", "XDG_STATE_HOME=REPO/state"},
		"HOME":              {"HOME=REPO/home"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlanted(t, env)
			p.grant(t)
			// The tests' user without an account believes the environment, so
			// what was planted would work.
			if said := p.serve(t, ""); !p.ran() {
				t.Fatalf("what was planted does not work: %s", said)
			}
			p.forget(t)
			account := t.TempDir()
			variable, _, _ := strings.Cut(strings.Replace(env[0], "--state-root", "GONGU_STATE_ROOT", 1), "=")
			if said := p.serve(t, account); p.ran() || !strings.Contains(said, "--stdio ignores") || !strings.Contains(said, variable+"="+p.repo) || !strings.Contains(said, "no tools yet") {
				t.Errorf("a client believes what the archive brought along: %s", said)
			}
			if _, err := os.Stat(filepath.Join(account, ".config", "gongu")); err == nil {
				t.Error("the client's start has accepted something")
			}
			cmd := p.command(account, "trust", "-b", ".")
			shown, err := asPerson(cmd, "y")
			if err != nil || !strings.Contains(shown, variable+"="+p.repo) {
				t.Fatalf("%v: %s", err, shown)
			}
			p.forget(t)
			if said := p.serve(t, account); !p.ran() {
				t.Errorf("a person's choice does not count: %s", said)
			}
		})
	}
}

// K3: a HOME that is not the account's does not reach the programs that a client's
// gongu starts: package managers would obey the settings in it.
func TestK3_PlantedHomeReachesNoProgram(t *testing.T) {
	p := newPlanted(t, []string{"HOME=REPO/home"})
	account := t.TempDir()
	shown, err := asPerson(func() *exec.Cmd {
		cmd := p.command(account, "trust", "-b", ".")
		cmd.Env = append(cmd.Env, "HOME="+account)
		return cmd
	}(), "y")
	if err != nil || strings.Contains(shown, "HOME=") {
		t.Fatalf("%v: %s", err, shown)
	}
	p.plantClient(t, filepath.Join(account, ".config", "gongu"))
	cmd := p.command(account, "serve", "--stdio", "-b", ".", "--client", plantedClient)
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(plantedSession, "touch CANARY", "echo home is $HOME"))
	said, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "home is "+account) {
		t.Errorf("%v: %s", err, said)
	}
}

// planted is an unpacked archive with a bundle, consents and state.
type planted struct {
	repo, bundle, canary string
	env, flags           []string
}

func newPlanted(t *testing.T, env []string) *planted {
	t.Helper()
	p := &planted{repo: t.TempDir(), canary: filepath.Join(t.TempDir(), "canary")}
	p.bundle = filepath.Join(p.repo, "bundle")
	yaml := "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: bash}\nspec: {entry: 'builtin:bash', exports: [{name: exec}]}\n"
	for _, dir := range []string{p.bundle, filepath.Join(p.repo, "home"), filepath.Join(p.repo, "conf")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.bundle, "gongu.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, entry := range env {
		entry = strings.ReplaceAll(entry, "REPO", p.repo)
		if strings.HasPrefix(entry, "--") {
			p.flags = append(p.flags, entry)
			continue
		}
		p.env = append(p.env, entry)
	}
	return p
}

// grant writes consents and state where the settings lead.
func (p *planted) grant(t *testing.T) {
	t.Helper()
	t.Chdir(p.bundle)
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "GONGU_CONFIG_DIR", "GONGU_STATE_ROOT"} {
		t.Setenv(name, "")
	}
	records, state := host.Consents{}, ""
	for _, entry := range append(p.env, p.flags...) {
		name, value, _ := strings.Cut(entry, "=")
		switch name {
		case "--state-root":
			state = value
		case "GONGU_CONFIG_DIR":
			records.Dir = filepath.Join(absolutePath(value), "trust")
		}
		t.Setenv(name, value)
	}
	proposal, err := host.Propose(".", &host.Options{StateRoot: state, Consent: &host.ConsentOptions{Records: records}})
	if err == nil {
		err = proposal.Grant("trust", true)
	}
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Dir(records.Dir)
	if records.Dir == "" {
		if config, err = os.UserConfigDir(); err != nil {
			t.Fatal(err)
		}
		config = filepath.Join(config, "gongu")
	}
	p.plantClient(t, config)
}

// plantedClient is the id in the client file of the archive.
const plantedClient = "00112233445566778899aabbccddeeff"

// plantClient records the client, whose calls then run without asking.
func (p *planted) plantClient(t *testing.T, config string) {
	t.Helper()
	if err := clients.Open(config).Put(t.Context(), plantedClient, clients.Entry{Client: "claude", Bundle: p.bundle, Ask: clients.AskClient}); err != nil {
		t.Fatal(err)
	}
}

func (p *planted) command(account string, words ...string) *exec.Cmd {
	cmd := exec.Command("gongu", append(words, p.flags...)...)
	cmd.Dir = p.bundle
	cmd.Env = append(append([]string{"PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0", "ACCOUNT_HOME=" + account}, p.env...), "XDG_RUNTIME_DIR=")
	return cmd
}

// serve lets a client ask for the canary and returns what it was told.
func (p *planted) serve(t *testing.T, account string) string {
	t.Helper()
	cmd := p.command(account, "serve", "--stdio", "-b", ".", "--client", plantedClient)
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(plantedSession, "CANARY", p.canary))
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, said)
	}
	return string(said)
}

func (p *planted) ran() bool {
	_, err := os.Lstat(p.canary)
	return err == nil
}

func (p *planted) forget(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(p.canary); err != nil {
		t.Fatal(err)
	}
}
