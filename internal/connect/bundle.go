package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/mcpclient"
)

// serverSpec is the spec of an McpServer as it is written, in this order.
type serverSpec struct {
	Type     string            `yaml:"type,omitempty"`
	Command  string            `yaml:"command,omitempty"`
	Args     []string          `yaml:"args,omitempty"`
	Env      map[string]string `yaml:"env,omitempty"`
	Cwd      string            `yaml:"cwd,omitempty"`
	URL      string            `yaml:"url,omitempty"`
	Headers  map[string]string `yaml:"headers,omitempty"`
	Include  []string          `yaml:"include,omitempty"`
	Exclude  []string          `yaml:"exclude,omitempty"`
	Trust    bool              `yaml:"trust,omitempty"`
	Timeouts map[string]string `yaml:"timeouts,omitempty"`
}

// commandSpec is the spec of a ToolCommand as it is written.
type commandSpec struct {
	Discover string `yaml:"discover"`
	Call     string `yaml:"call"`
	Cwd      string `yaml:"cwd,omitempty"`
}

// specOf is a configuration without what is usual.
func specOf(c mcpclient.Config) serverSpec {
	s := serverSpec{
		Command: c.Command, Args: c.Args, Env: c.Env, Cwd: c.Cwd, URL: c.URL, Headers: c.Headers,
		Include: c.Include, Exclude: c.Exclude, Trust: c.Trust,
	}
	if c.Transport == mcpclient.SSE {
		s.Type = string(mcpclient.SSE)
	}
	if c.Timeouts.Call > 0 {
		s.Timeouts = map[string]string{"call": c.Timeouts.Call.String()}
	}
	return s
}

// sameLaunch reports whether a resource reaches the same server; what the
// user has tuned since then does not count.
func sameLaunch(have *bundle.McpServerSpec, want *serverSpec) bool {
	return (have.Type == "sse") == (want.Type == "sse") && have.Command == want.Command && have.Cwd == want.Cwd && have.URL == want.URL &&
		slices.Equal(have.Args, want.Args) && maps.Equal(have.Env, want.Env) && maps.Equal(have.Headers, want.Headers)
}

// bundleFile is the file that a new bundle begins with.
const bundleFile = "gongu.yaml"

// target is the bundle that servers are written into.
type target struct {
	// dir is the bundle, file the file that takes new resources.
	dir, file string
	// path is what was named, to load it by.
	path string
	// bundle is nil when there is none yet.
	bundle *bundle.Bundle
}

// targetOf finds the bundle in a folder or a file; a folder without one gets a
// gongu.yaml.
func (o *Options) targetOf(path string) (*target, error) {
	t := &target{path: path, dir: path, file: filepath.Join(path, bundleFile)}
	if fsx.IsFile(path) {
		t.dir, t.file = filepath.Dir(path), path
	} else if other := filepath.Join(path, "goondan.yaml"); !fsx.IsFile(t.file) && fsx.IsFile(other) {
		t.file = other
	}
	if !fsx.IsFile(t.file) {
		// Resources may be in files of other names. Their mistakes are reported
		// after the change, which is then undone.
		t.bundle, _ = bundle.Load(path, &bundle.Options{Lang: string(o.Lang)})
		return t, nil
	}
	b, err := o.Load(path)
	t.bundle = b
	return t, err
}

// owner is the resource that has a name already, of any kind whose tools begin
// with it.
func (t *target) owner(name string) bundle.Item {
	if t.bundle == nil {
		return nil
	}
	for _, item := range t.bundle.Items() {
		head := item.Head()
		if head.Name == name && head.Package == packageOf(t.bundle) && slices.Contains([]string{"Tool", kindServer, kindCommand}, head.Kind) {
			return item
		}
	}
	return nil
}

func packageOf(b *bundle.Bundle) string {
	if p := b.Package(); p != nil {
		return p.Head().Package
	}
	return ""
}

// variableUsers are the servers of the bundle that refer to each variable.
func (t *target) variableUsers() map[string][]string {
	users := map[string][]string{}
	if t.bundle == nil {
		return users
	}
	for _, server := range t.bundle.McpServers() {
		texts := slices.Concat([]string{server.Spec.Command, server.Spec.URL}, server.Spec.Args,
			slices.Collect(maps.Values(server.Spec.Env)), slices.Collect(maps.Values(server.Spec.Headers)))
		for _, name := range referenced(texts) {
			users[name] = append(users[name], server.Name)
		}
	}
	return users
}

// referenced are the variables that texts need, sorted.
func referenced(texts []string) []string {
	names := map[string]bool{}
	for _, text := range texts {
		for _, reference := range secret.References(text) {
			// One with a default is not needed.
			if name, ok := strings.CutPrefix(reference, "env:"); ok && variableName(strings.ToUpper(name)) == strings.ToUpper(name) {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// change is the new content of one file of a bundle.
type change struct {
	path     string
	old, new []byte
	existed  bool
}

// changes are the files with the resources in them: new ones at the end of the
// main file, replaced ones in their place.
func (t *target) changes(added, replaced []*candidate) ([]*change, error) {
	files := map[string]*change{}
	open := func(path string) (*change, error) {
		if c, ok := files[path]; ok {
			return c, nil
		}
		raw, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		files[path] = &change{path: path, old: raw, new: raw, existed: err == nil}
		return files[path], nil
	}
	for _, c := range replaced {
		head := t.owner(c.name).Head()
		file, err := open(filepath.Join(t.dir, filepath.FromSlash(head.Position.File)))
		if err == nil {
			file.new, err = replaceDocument(file.new, c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for _, c := range added {
		file, err := open(t.file)
		if err != nil {
			return nil, err
		}
		text, err := document(c)
		if err != nil {
			return nil, err
		}
		file.new = appendDocument(file.new, text)
	}
	return slices.SortedFunc(maps.Values(files), func(a, b *change) int { return strings.Compare(a.path, b.path) }), nil
}

// writeChanges puts the changes on the disk, old files into a backup first. A bundle
// that would not load with them is left as it was.
func (o *Options) writeChanges(t *target, changes []*change, now time.Time) (written *bundle.Bundle, backups []string, err error) {
	for _, c := range changes {
		if c.existed {
			copied, err := o.backup(t, c, now)
			if err != nil {
				return nil, nil, err
			}
			backups = append(backups, copied)
		}
	}
	for i, c := range changes {
		err := replaceFile(c.path, c.old, c.existed, c.new, 0o644)
		if err != nil {
			return nil, nil, errors.Join(err, restore(changes[:i]))
		}
	}
	if written, err = o.Load(t.path); err != nil {
		return nil, nil, errors.Join(err, restore(changes))
	}
	return written, backups, nil
}

// restore undoes changes that were written.
func restore(changes []*change) error {
	var failed error
	for _, c := range changes {
		if !c.existed {
			failed = errors.Join(failed, os.Remove(c.path))
			continue
		}
		failed = errors.Join(failed, replaceFile(c.path, c.new, true, c.old, 0o644))
	}
	return failed
}

// backup copies a file of the bundle to the state root, which is not committed.
func (o *Options) backup(t *target, c *change, now time.Time) (string, error) {
	root, err := host.StateRoot(o.StateRoot, t.dir)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "backup")
	name := filepath.Join(dir, now.UTC().Format("20060102T150405.000Z")+"-"+filepath.Base(c.path))
	err = fsx.ReplacePrivate(name, c.old)
	statedir.Used(root, t.dir)
	return name, err
}

var errChangedMeanwhile = errors.New("another program changed the file in the meantime; run the command again")

// replaceFile gives a file new content if it still has the old one. A link is
// followed, so that a file that lies elsewhere stays there.
func replaceFile(path string, old []byte, existed bool, content []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	now, err := os.ReadFile(path)
	switch {
	case err == nil && (!existed || !bytes.Equal(now, old)):
		return errChangedMeanwhile
	case err == nil:
		if err := fsx.Replace(path, content, nil); !errors.Is(err, fsx.ErrUnconfirmed) {
			return err
		}
		return nil // the file is replaced, although the disk has not confirmed it
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case existed:
		return errChangedMeanwhile
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// conflict says why a server cannot be added.
func conflict(l lang.Lang, c *candidate, owner bundle.Item) string {
	if owner.Head().Kind != c.kind {
		return lang.ConnectOtherKind.In(l, owner.Head().Kind, c.name)
	}
	return lang.ConnectOtherServer.In(l, c.name)
}
