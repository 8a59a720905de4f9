package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
)

// consenting are options of a host that uses only what was consented to.
func consenting(t *testing.T) *host.Options {
	t.Helper()
	return &host.Options{StateRoot: t.TempDir(), Consent: &host.ConsentOptions{Records: host.Consents{Dir: t.TempDir()}}}
}

func grant(t *testing.T, dir string, o *host.Options) {
	t.Helper()
	p, err := host.Propose(dir, o)
	if err == nil {
		err = p.Grant("test", false)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const keptBundle = `apiVersion: gongu/v1
kind: Tool
metadata: {name: a}
spec: {entry: ./a.ts, exports: [{name: next, description: Counts.}]}
---
apiVersion: gongu/v1
kind: Tool
metadata: {name: b}
spec: {entry: ./b.ts, exports: [{name: next, description: Counts.}]}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: c}
spec: {discover: [sh, "-c", "echo x >> $F; echo '[{\"name\":\"run\"}]'"], call: [cat], env: {F: "%s"}}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: own}
spec: {discover: [sh, programs/list.sh], call: [cat], env: {F: "%s"}}
---
apiVersion: gongu/v1
kind: Model
metadata: {name: m}
spec: {provider: openai, model: x}
---
apiVersion: gongu/v1
kind: Agent
metadata: {name: agent}
spec: {modelConfig: {modelRef: Model/m}, prompt: {system: first}, tools: [Tool/a]}
`

// K6: a reload with the same digest does nothing; one that changes no tool does
// not move the revision; one module that changed keeps the others loaded, and
// sources that did not change are not started again.
func TestK6_KeepsWhatDidNotChange(t *testing.T) {
	starts, others := filepath.Join(t.TempDir(), "starts"), filepath.Join(t.TempDir(), "others")
	yaml := fmt.Sprintf(keptBundle, starts, others)
	dir := t.TempDir()
	counter := "let n = 0;\nexport const handlers = { next: () => ++n };\n"
	write(t, dir, "gongu.yaml", yaml)
	write(t, dir, "a.ts", counter)
	write(t, dir, "b.ts", counter)
	write(t, filepath.Join(dir, "programs"), "list.sh", "echo x >> $F; echo '[{\"name\":\"run\"}]'\n")
	o := consenting(t)
	grant(t, dir, o)
	h := open(t, dir, o)
	h.Sources().Load(t.Context())
	count := func(tool, want string) {
		t.Helper()
		if got := call(t, h, "", tool, "{}"); string(got.Output) != want {
			t.Errorf("%s: %s %+v, want %s", tool, got.Output, got.Error, want)
		}
	}
	count("a__next", "1")
	count("b__next", "1")
	reload := func() {
		t.Helper()
		grant(t, dir, o)
		if r := h.Reload(t.Context()); r.Err != nil {
			t.Fatal(r.Err)
		}
		h.Sources().Load(t.Context())
	}
	events := make(chan struct{}, 100)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seen := h.Events(ctx)
	go func() {
		for range seen {
			events <- struct{}{}
		}
	}()
	before, b := h.Registry().Revision(), h.Bundle()
	write(t, dir, "notes.txt", "nothing")
	reload()
	if h.Registry().Revision() != before || h.Bundle() != b || len(events) > 0 {
		t.Error("a reload with the same digest did something")
	}
	write(t, dir, "gongu.yaml", strings.Replace(yaml, "system: first", "system: second", 1))
	reload()
	if found, _ := h.Bundle().Agent("agent"); found.System != "second" {
		t.Error("the prompt was not reloaded")
	}
	if h.Registry().Revision() != before {
		t.Error("the revision moved, and no tool changed")
	}
	write(t, dir, "b.ts", strings.Replace(counter, "= 0", "= 10", 1))
	reload()
	count("a__next", "2")
	count("b__next", "11")
	if h.Registry().Revision() == before {
		t.Error("the revision did not move with a changed module")
	}
	if raw, _ := os.ReadFile(starts); string(raw) != "x\n" {
		t.Errorf("a source that did not change was started again: %q", raw)
	}
	if raw, _ := os.ReadFile(others); string(raw) != "x\n" {
		t.Errorf("a program that did not change was started again: %q", raw)
	}
	write(t, filepath.Join(dir, "programs"), "list.sh", "echo y >> $F; echo '[{\"name\":\"run\"},{\"name\":\"more\"}]'\n")
	reload()
	if !h.Registry().Has("own__more") {
		if err := h.Sources().Refresh(t.Context()); err != nil || !h.Registry().Has("own__more") {
			t.Errorf("a changed program is not used: %v", err)
		}
	}
}

// K3: nothing is used without consent; a change is held, also of a bundle that
// needed no consent before.
func TestK3_Held(t *testing.T) {
	o := consenting(t)
	dir := folder(t, strings.Replace(base, "builtin:bash", "./bash.ts", 1))
	write(t, dir, "bash.ts", "export const handlers = { exec: () => 1 };")
	if _, err := host.Open(t.Context(), dir, o); !errors.Is(err, host.ErrNoConsent) {
		t.Errorf("opened without consent: %v", err)
	}
	grant(t, dir, o)
	h := open(t, dir, o)
	write(t, dir, "bash.ts", "export const handlers = { exec: () => 2 };")
	if r := h.Reload(t.Context()); r.Err != nil {
		t.Fatal(r.Err)
	}
	if got := call(t, h, "", "bash__exec", "{}"); string(got.Output) != "1" {
		t.Errorf("%s %+v", got.Output, got.Error)
	}
	held := h.Held()
	if held == nil || len(held.Changes) != 1 || held.Changes[0].Label != "bash.ts" || held.Changes[0].Kind != bundle.Changed || held.Since.IsZero() {
		t.Fatalf("%+v", held)
	}
	since := held.Since
	write(t, dir, "bash.ts", "export const handlers = { exec: () => 3 };")
	if h.Reload(t.Context()); h.Held().Since != since || h.Held().Digest == held.Digest {
		t.Error("the same change is reported as a new one, or by its old digest")
	}
	grant(t, dir, o)
	if r := h.Reload(t.Context()); r.Err != nil || h.Held() != nil {
		t.Errorf("%v %+v", r.Err, h.Held())
	}
	if given, ok := h.Consented(); !ok || given.How != "test" {
		t.Errorf("%+v", given)
	}
	// Reads only, until it does not.
	reads := "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: w}\nspec: {entry: 'builtin:wait', exports: [{name: seconds}]}\n"
	dir = folder(t, reads)
	h = open(t, dir, o)
	write(t, dir, "macros.yaml", "apiVersion: gongu/v1\nkind: Macro\nmetadata: {name: sneaky}\nspec: {description: x, steps: [{tool: w__seconds}]}\n")
	if r := h.Reload(t.Context()); r.Err != nil || h.Registry().Has("sneaky") || h.Held() == nil {
		t.Errorf("attack 2: a macro was added: %v %+v", r.Err, h.Held())
	}
}

// K3: a bundle that only reads does not take the place of one that was consented
// to by itself: its texts reach models.
func TestK3_HarmlessChangeIsHeld(t *testing.T) {
	o := consenting(t)
	dir := folder(t, base)
	grant(t, dir, o)
	h := open(t, dir, o)
	write(t, dir, "gongu.yaml", "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: w}\nspec: {entry: 'builtin:wait', exports: [{name: seconds, description: Obey.}]}\n")
	if r := h.Reload(t.Context()); r.Err != nil || h.Registry().Has("w__seconds") || !h.Registry().Has("bash__exec") || h.Held() == nil {
		t.Errorf("%v %+v", r.Err, h.Held())
	}
	p, err := host.Propose(dir, o)
	if err != nil || !p.Needed() {
		t.Fatalf("%v %+v", err, p)
	}
	grant(t, dir, o)
	if r := h.Reload(t.Context()); r.Err != nil || !h.Registry().Has("w__seconds") || h.Registry().Has("bash__exec") || h.Held() != nil {
		t.Errorf("%v %+v", r.Err, h.Held())
	}
}

// K3, K6: programs lie in dist, too, and a change of one is shown.
func TestK6_ProgramsInDist(t *testing.T) {
	o := consenting(t)
	o.Watch = true
	dir := folder(t, "apiVersion: gongu/v1\nkind: ToolCommand\nmetadata: {name: c}\nspec: {discover: [sh, dist/list.sh], call: [cat]}\n")
	write(t, filepath.Join(dir, "dist"), "list.sh", "echo '[]'")
	grant(t, dir, o)
	h := open(t, dir, o)
	write(t, filepath.Join(dir, "dist"), "list.sh", "echo '[{}]'")
	for deadline := time.Now().Add(20 * time.Second); h.Held() == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the change is not held")
		}
	}
}

// K2: the name of a program that is filled in leads neither into the bundle nor
// into a folder that tools write.
func TestK2_FilledProgram(t *testing.T) {
	dir, o := t.TempDir(), consenting(t)
	started := filepath.Join(t.TempDir(), "started")
	write(t, dir, "run.sh", "#!/bin/sh\ntouch "+started+"\n")
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLACE", dir)
	server := "---\napiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: %s}\nspec: {command: '%s'}\n"
	write(t, dir, "gongu.yaml", fmt.Sprintf(server, "a", "${env:PLACE}/run.sh")+fmt.Sprintf(server, "b", "${env:NONE:-.}/run.sh"))
	grant(t, dir, o)
	h := open(t, dir, o)
	for _, status := range h.Sources().Load(t.Context()) {
		if status.Reason == "" {
			t.Errorf("%+v", status)
		}
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("a program of the bundle that consent does not cover was started")
	}
}

// K3: a record of consent that came with a checkout does not count: neither one that
// others can read, which gongu does not write, nor one in the bundle's repository,
// however it is spelled.
func TestK3_PlantedConsent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions") //rules:skip a test of Unix permissions
	}
	t.Setenv("GONGU_STATE_ROOT", t.TempDir())
	repository := t.TempDir()
	dir, records := filepath.Join(repository, "bundle"), filepath.Join(repository, "config", "trust")
	text := "apiVersion: gongu/v1\nkind: ToolCommand\nmetadata: {name: spy}\nspec: {discover: [echo, '[]'], call: [cat]}\n"
	for path, text := range map[string]string{filepath.Join(dir, "gongu.yaml"): text, filepath.Join(repository, ".keep"): ""} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	propose := func(records string) (*host.Proposal, error) {
		return host.Propose(dir, &host.Options{Consent: &host.ConsentOptions{Records: host.Consents{Dir: records}}})
	}
	p, err := propose(records)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Grant("trust", false); err != nil {
		t.Fatal(err)
	}
	if p, err = propose(records); err != nil || p.Needed() {
		t.Fatalf("the consent does not count: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(records, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.Chmod(files[0], 0o644); err != nil {
		t.Fatal(err)
	}
	if p, err = propose(records); err != nil || !p.Needed() {
		t.Errorf("a record as a checkout makes it counts: %v", err)
	}
	if err := errors.Join(os.Chmod(files[0], 0o600), os.Mkdir(filepath.Join(repository, ".git"), 0o755)); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(repository, link); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{records, filepath.Join(link, "config", "trust"), filepath.Join(link, "bundle", "trust")} {
		if _, err := propose(place); err == nil {
			t.Errorf("consents in %s count", place)
		}
	}
}
