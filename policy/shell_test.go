package policy_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
)

// sample allows commands that only read, as a coding agent's policy does.
const sample = `commands.all(c, c[0] in ["ls", "cat", "head", "grep", "wc", "echo", "pwd"]
	|| (c[0] in ["git", "/usr/bin/git"] && c[1] in ["status", "diff", "log", "show"])
	|| (c[0] == "go" && c[1] in ["test", "vet", "build"]))`

// P1: a rule that allows never allows something else, over a corpus with
// evasions; false asks are counted.
func TestP1_ShellCorpus(t *testing.T) {
	data, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	p := compile(t, policy.Set{Tier: policy.User, Name: "u", Default: policy.Ask, Rules: []policy.Rule{{Name: "reads", When: sample, Effect: policy.Allow}}})
	total, harmless, asked := 0, 0, 0
	for line := range strings.Lines(string(data)) {
		kind, text, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		text = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(text)
		args, err := json.Marshal(map[string]string{"command": text})
		if err != nil {
			t.Fatal(err)
		}
		r := request(bashTool(), &gongu.Principal{Kind: "agent"}, string(args))
		r.Shell, r.HasShell = text, true
		d := p.Decide(t.Context(), r)
		total++
		switch {
		case kind == "ok":
			if harmless++; d.Effect != policy.Allow {
				asked++
				t.Logf("asked about %q: %q", text, policy.ParseShell(text).Commands)
			}
		case d.Effect != policy.Ask:
			t.Errorf("%q: %s by %s: %q", text, d.Effect, d.Rule, policy.ParseShell(text).Commands)
		}
	}
	t.Logf("%d commands; %d harmless, of which %d were asked about", total, harmless, asked)
	if total < 420 || asked > 0 {
		t.Errorf("%d commands, %d false asks", total, asked)
	}
}

// P1: a deny rule finds a command behind wrappers, quotes and other commands.
func TestP1_ShellDenyFinds(t *testing.T) {
	p := compile(t, policy.Set{Tier: policy.User, Name: "u", Default: policy.Allow, Rules: []policy.Rule{{
		When: `commands.exists(c, c[0] == "rm" || c[0].endsWith("/rm"))`, Effect: policy.Deny,
	}}})
	for _, text := range []string{
		"rm x", "/bin/rm x", `r\m x`, `'r'"m" x`, "ls; rm x", "ls && rm x", "ls | rm x", "(rm x)", "if true; then rm x; fi", "echo $(rm x)", "cat <(rm x)",
		"sudo rm x", "sudo -u root -- rm x", "env A=1 rm x", "nice -n 5 timeout -s KILL 5 rm x", "xargs rm", "find . -exec rm {} +", "bash -c 'rm x'",
		"sh -c 'sh -c \"rm x\"'", "eval 'rm x'", "watch rm x", "su -c 'rm x' bob", "flock l -c 'rm x'", "env -S 'rm x'", "f() { rm x; }", "busybox rm x", "time rm x",
		"sh <<'E'\nrm x\nE", "{rm,-rf,x}", "exec -a ls rm x", "command rm x", "coproc rm x",
		"[[ a || rm x ]]", "ls; ((rm x))", "time -p -- rm x", "env - rm x", "xargs -i rm {}", "su - bob -c 'rm x'", "su bob -c 'rm x'", "gosu root rm x", "setpriv --reuid 0 rm x", "\"r\\\nm\" x",
	} {
		r := request(bashTool(), &gongu.Principal{Kind: "agent"}, "{}")
		r.Shell, r.HasShell = text, true
		if d := p.Decide(t.Context(), r); d.Effect != policy.Deny {
			t.Errorf("%q: %s: %q", text, d.Effect, policy.ParseShell(text).Commands)
		}
	}
}

// P1: no text makes the parser fail, and none gives an empty list of commands.
func FuzzParseShell(f *testing.F) {
	for _, text := range []string{"git status", "a=$(b) c | d > e", "sh -c 'x", "\x00", "{a,b}{c,d}", "find . -exec a {} ;", "sudo -u"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := policy.ParseShell(text)
		if len(s.Commands) == 0 {
			t.Errorf("%q: no commands", text)
		}
		for _, c := range s.Commands {
			if len(c) == 0 {
				t.Errorf("%q: an empty command", text)
			}
		}
	})
}
