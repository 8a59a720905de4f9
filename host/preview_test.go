package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// previewBundle has base tools under names of its own.
const previewBundle = `apiVersion: gongu/v1
kind: Tool
metadata: {name: files}
spec: {entry: "builtin:file-system", exports: [{name: write}, {name: edit}, {name: patch}, {name: mkdir}]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: shell}
spec: {entry: "builtin:bash", exports: [{name: exec}, {name: script}]}
`

// person says yes to every question, after doing something.
type person struct {
	first func()
	saw   policy.Preview
	asked int
}

func (p *person) Ask(_ context.Context, a *state.Approval) (policy.Answer, error) {
	p.asked++
	if err := json.Unmarshal(a.Calls[0].Preview, &p.saw); err != nil {
		return policy.Answer{}, err
	}
	if p.first != nil {
		p.first()
	}
	return policy.Answer{Approve: true}, nil
}

// asking opens a host that asks before every tool, in a workdir with a few files.
// later runs after the question was answered and all rules were checked again.
func asking(t *testing.T, p *person, mode policy.Mode, later func()) (h *host.Host, work string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "bundle")
	work = filepath.Join(base, "work")
	for path, text := range map[string]string{
		"bundle/gongu.yaml": previewBundle, "work/a.txt": "one\ntwo\n", "work/b.txt": "b\n", "work/x/f": "x\n", "work/y/f": "y\n", "work/run.sh": "echo approved\n", "root/f": "r\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(base, path)), 0o700); err != nil {
			t.Fatal(err)
		}
		putFile(t, filepath.Join(base, path), text)
	}
	if err := os.Symlink("x", filepath.Join(work, "link")); err != nil {
		t.Fatal(err)
	}
	last := gongu.Guard{Name: "last", Check: func(context.Context, *gongu.Attempt) *gongu.Error {
		if later != nil {
			later()
		}
		return nil
	}}
	h, err = host.Open(t.Context(), dir, &host.Options{
		StateRoot: t.TempDir(), Workdir: work, System: host.SystemOptions{Roots: []string{filepath.Join(base, "root")}},
		Executor: gongu.ExecutorOptions{Guards: []gongu.Guard{last}},
		Policy: host.PolicyOptions{
			Asker: p, Terminal: "kim", Mode: mode,
			Rules: []policy.Set{{Tier: policy.User, Name: "u", Rules: []policy.Rule{{Name: "ask", Effect: policy.Ask}}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h, work
}

// P6: an approval is bound to the resolved path and to the content of each file.
// What changes after the question, or even after the rules were checked again, is
// refused, and the files stay as they are by then.
func TestP6_BoundFiles(t *testing.T) {
	put := func(name, text string) func(string) error {
		return func(work string) error {
			path := filepath.Join(work, name)
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				return err
			}
			return os.WriteFile(path, []byte(text), 0o600)
		}
	}
	relink := func(work string) error {
		if err := os.Remove(filepath.Join(work, "link")); err != nil {
			return err
		}
		return os.Symlink("y", filepath.Join(work, "link"))
	}
	swapped := func(work string) error { // a folder becomes a link to another one
		if err := os.RemoveAll(filepath.Join(work, "x")); err != nil {
			return err
		}
		return os.Symlink("y", filepath.Join(work, "x"))
	}
	remove := func(work string) error { return os.Remove(filepath.Join(work, "a.txt")) }
	for name, c := range map[string]struct {
		tool, args string
		attack     func(work string) error
		kind       string
	}{
		"write":            {"files__write", `{"path":"a.txt","content":"new\n"}`, put("a.txt", "other\n"), "edit"},
		"write, same size": {"files__write", `{"path":"a.txt","content":"new\n"}`, put("a.txt", "one\nTWO\n"), "edit"},
		"append":           {"files__write", `{"path":"a.txt","content":"new\n","append":true}`, put("a.txt", "other\n"), "edit"},
		"new file":         {"files__write", `{"path":"new.txt","content":"new\n"}`, put("new.txt", "other\n"), "edit"},
		"removed file":     {"files__write", `{"path":"a.txt","content":"new\n"}`, remove, "edit"},
		"edit":             {"files__edit", `{"path":"a.txt","old_string":"two","new_string":"2"}`, put("a.txt", "1\ntwo\n"), "edit"},
		"patch":            {"files__patch", `{"patch":"--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-two\n+2\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+c\n"}`, put("b.txt", "b\nb2\n"), "edit"},
		"link":             {"files__write", `{"path":"link/f","content":"new\n"}`, relink, "edit"},
		"link, new file":   {"files__write", `{"path":"link/new","content":"new\n"}`, relink, "edit"},
		"link, edit":       {"files__edit", `{"path":"link/new","old_string":"","new_string":"new\n"}`, relink, "edit"},
		"link, folder":     {"files__mkdir", `{"path":"link/new"}`, relink, "edit"},
		"folder":           {"files__write", `{"path":"x/new","content":"new\n"}`, swapped, "edit"},
		"script":           {"shell__script", `{"path":"run.sh"}`, put("run.sh", "echo evil > stolen\n"), "command"},
		"link, script":     {"shell__script", `{"path":"link/f"}`, relink, "command"},
	} {
		for _, moment := range []string{"asked", "checked"} {
			var work string
			after := ""
			attack := func() {
				if err := c.attack(work); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				after = contents(t, work)
			}
			p, later := &person{first: attack}, func() {}
			if moment == "checked" {
				p, later = &person{}, attack
			}
			var h *host.Host
			h, work = asking(t, p, policy.Default, later)
			result, err := h.Call(t.Context(), "", gongu.Call{ID: "1", Name: c.tool, Args: json.RawMessage(c.args)})
			if err != nil || p.asked != 1 || p.saw.Kind != c.kind || len(p.saw.Files) == 0 {
				t.Fatalf("%s: %v, asked %d times about %+v", name, err, p.asked, p.saw)
			}
			if result.Error == nil || result.Error.Code != gongu.CodeChanged {
				t.Errorf("%s, after it was %s: %+v %s", name, moment, result.Error, result.Output)
			}
			if now := contents(t, work); now != after {
				t.Errorf("%s, after it was %s: the files are\n%s\nwere\n%s", name, moment, now, after)
			}
		}
		// Without an attack the call runs.
		p := &person{}
		h, _ := asking(t, p, policy.Default, nil)
		if result, err := h.Call(t.Context(), "", gongu.Call{ID: "1", Name: c.tool, Args: json.RawMessage(c.args)}); err != nil || result.Failed() {
			t.Errorf("%s: %v, %+v", name, err, result.Error)
		}
	}
}

// P4: with the mode edits, changes inside the workdir are not asked about; those of
// other roots and commands are, and a link that is swapped in between changes
// nothing outside.
func TestP4_EditsInWorkdir(t *testing.T) {
	for _, c := range []struct {
		tool, args string
		asked      int
	}{
		{"files__write", `{"path":"a.txt","content":"new\n"}`, 0},
		{"files__mkdir", `{"path":"d"}`, 0},
		{"files__write", `{"path":"../root/f","content":"new\n"}`, 1},
		{"shell__exec", `{"command":"true"}`, 1},
		{"shell__script", `{"path":"run.sh"}`, 1},
	} {
		p := &person{}
		h, _ := asking(t, p, policy.Edits, nil)
		if result, err := h.Call(t.Context(), "", gongu.Call{ID: "1", Name: c.tool, Args: json.RawMessage(c.args)}); err != nil || result.Failed() || p.asked != c.asked {
			t.Errorf("%s %s: asked %d times, %v, %+v", c.tool, c.args, p.asked, err, result.Error)
		}
	}
	var work string
	h, work := asking(t, &person{}, policy.Edits, func() {
		if err := os.Remove(filepath.Join(work, "link")); err != nil {
			t.Error(err)
		}
		if err := os.Symlink(filepath.Join(filepath.Dir(work), "root"), filepath.Join(work, "link")); err != nil {
			t.Error(err)
		}
	})
	result, err := h.Call(t.Context(), "", gongu.Call{ID: "1", Name: "files__write", Args: json.RawMessage(`{"path":"link/f","content":"new\n"}`)})
	if err != nil || result.Error == nil || result.Error.Code != gongu.CodeChanged {
		t.Errorf("swapped link: %v, %+v", err, result.Error)
	}
	if data, err := os.ReadFile(filepath.Join(filepath.Dir(work), "root", "f")); err != nil || string(data) != "r\n" {
		t.Errorf("the file outside is %q, %v", data, err)
	}
}

// contents lists the files of a folder, and where its links lead.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		text := ""
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			text, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			text = string(data)
		}
		b.WriteString(path + ": " + text + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
