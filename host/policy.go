package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// PolicyOptions are the rules that count beside those of the bundle, and how a
// person is asked. The zero value has no further rules and nobody to ask.
type PolicyOptions struct {
	// Admin and User are the policy files of the administrator of the machine and
	// of the user; empty is none. A file need not exist. With Watch they are read
	// again when they change; a broken change leaves the last good rules in use.
	Admin, User string
	// Rules are those of the program that opens the bundle.
	Rules []policy.Set
	// Mode is how much asking a person wants (default: as the rules say).
	Mode policy.Mode
	// Asker asks the person at the terminal of this process, whose name Terminal
	// is; nil is none. Remember keeps that person's answer for later calls.
	Asker    policy.Asker
	Terminal string
	Remember func(ctx context.Context, a *state.Approval, what policy.Remember, by string) error
	// URL returns the page of an approval, or "".
	URL func(id string) string
	// Opened is told of each new question. It must not wait.
	Opened func(context.Context, *state.Approval)
}

// PolicyFile is a policy file as it is in use.
type PolicyFile struct {
	Tier policy.Tier
	Path string
	// Policies are the last that could be read.
	Policies []*bundle.Policy
	// Err is why the file as it is now is not in use.
	Err error
}

// PolicyFileError means that a policy file cannot be used.
type PolicyFileError struct {
	Path string
	// Err has the places, as [bundle.Diagnostics], or why the file does not count.
	Err error
}

func (e *PolicyFileError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *PolicyFileError) Unwrap() error { return e.Err }

// Policy returns the rules of all tiers as they are now. It is never nil.
func (h *Host) Policy() *policy.Policy { return h.rules.current.Load() }

// PolicyFiles returns the policy files of the administrator and the user, as far as
// the host has them.
func (h *Host) PolicyFiles() []PolicyFile {
	h.rules.mu.Lock()
	defer h.rules.mu.Unlock()
	var list []PolicyFile
	for _, f := range h.rules.files {
		list = append(list, f.PolicyFile)
	}
	return list
}

// rulebook has the rules of all tiers.
type rulebook struct {
	host    *Host
	current atomic.Pointer[policy.Policy]

	mu      sync.Mutex
	files   []*watchedPolicy
	program []policy.Set
	// bundles are the rules of the bundle; during a reload also those of the next
	// state, so that neither the old nor the new tools are without their denials.
	bundles [][]policy.Set
}

// watchedPolicy is a policy file and what was seen of it last.
type watchedPolicy struct {
	PolicyFile
	seen os.FileInfo // nil without a file
	// next is a change that was seen once. It is read when it is the same at the
	// next look: editors empty or move a file before they write it.
	next    os.FileInfo
	waiting bool
	// fresh is true while the file was so new when it was read that a second
	// change could have the same time.
	fresh bool
}

// racy is how old a file must be so that a later change has another time.
const racy = time.Second

// policyPoll is how often policy files are looked at.
const policyPoll = 75 * time.Millisecond

// openRules reads the policy files. A broken one is an error, because a denial in
// it must not be lost; it is only shown where nothing can be called.
func (h *Host) openRules() error {
	o := h.opts.Policy
	book := &rulebook{host: h, program: slices.Clone(o.Rules)}
	h.rules = book
	for _, f := range []PolicyFile{{Tier: policy.Admin, Path: o.Admin}, {Tier: policy.User, Path: o.User}} {
		if f.Path == "" {
			continue
		}
		file := &watchedPolicy{PolicyFile: f}
		if err := book.read(file); err != nil && !h.opts.Inspect {
			return &PolicyFileError{Path: f.Path, Err: err}
		}
		book.files = append(book.files, file)
	}
	return book.compile()
}

// read reads a file. On an error the policies stay as they were.
func (b *rulebook) read(f *watchedPolicy) error {
	f.seen, _ = os.Stat(f.Path) // nil without one
	f.fresh = f.seen != nil && time.Since(f.seen.ModTime()) < racy
	f.Err = b.check(f)
	if f.Err != nil {
		return f.Err
	}
	policies, diagnostics, err := bundle.ReadPolicies(f.Path, &bundle.Options{Lang: b.host.opts.Lang})
	if f.Err = cmp.Or(err, diagnostics.Err()); f.Err == nil {
		f.Policies = policies
	}
	return f.Err
}

// check refuses a file that others could have written.
func (b *rulebook) check(f *watchedPolicy) error {
	if f.seen == nil {
		return nil
	}
	if folder, along := statedir.CameAlong(b.host.dir, filepath.Dir(f.Path)); along && b.host.dir != "" {
		return errors.New(lang.PolicyFileInside.In(b.host.lang(), f.Path, folder))
	}
	for path := fsx.Resolve(f.Path); ; path = filepath.Dir(path) {
		if othersWrite(path) || f.Tier == policy.Admin && groupWrites(path) {
			return errors.New(lang.PolicyFileOpen.In(b.host.lang(), f.Path, path))
		}
		if filepath.Dir(path) == path {
			return nil
		}
	}
}

// CheckAdminFile returns an error if this process, as which the tools of a bundle
// run, could change the policy file of the administrator. Root could change any.
func CheckAdminFile(path string) error {
	if path == "" || os.Geteuid() == 0 {
		return nil
	}
	if _, err := os.Lstat(path); err != nil {
		return nil // none, or one that cannot be read, which is an error later
	}
	real := fsx.Resolve(path)
	for _, place := range []string{real, filepath.Dir(real), filepath.Dir(path)} {
		if mayWrite(place) {
			return fmt.Errorf("the policy file %s of the administrator does not count, because this process can write %s: let root own both", path, place)
		}
	}
	return nil
}

// compile puts the rules of all tiers in use.
func (b *rulebook) compile() error {
	sets := slices.Clone(b.program)
	for _, f := range b.files {
		for _, p := range f.Policies {
			sets = append(sets, p.Set(f.Tier))
		}
	}
	sets = slices.Concat(append([][]policy.Set{sets}, b.bundles...)...)
	next, err := policy.New(sets...)
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	before := b.current.Load()
	next.Continue(before)
	b.current.Store(next)
	if before != nil && !next.ShowsSame(before) {
		b.host.events.Publish(Event{Kind: event.Policy})
	}
	return nil
}

// useBundles replaces the rules of the bundle.
func (b *rulebook) useBundles(states ...*loaded) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.bundles
	b.bundles = nil
	for _, l := range states {
		if l != nil && l.bundle != nil {
			b.bundles = append(b.bundles, BundleRules(l.bundle, l.consent.Rules))
		}
	}
	if err := b.compile(); err != nil {
		b.bundles = before
		return err
	}
	return nil
}

// BundleRules returns the rules of a bundle that count. Rules that allow calls, and
// defaults that do, count only if a person said so apart from the rest.
func BundleRules(b *bundle.Bundle, allow bool) []policy.Set {
	var sets []policy.Set
	for _, p := range b.Policies() {
		s := p.Set(policy.Bundle)
		if !allow {
			s = s.WithoutAllow()
		}
		sets = append(sets, s)
	}
	return sets
}

// watchRules reads the policy files again when they have changed.
func (h *Host) watchRules() {
	if len(h.rules.files) == 0 {
		return
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		poll := time.NewTicker(policyPoll)
		defer poll.Stop()
		for {
			select {
			case <-stop:
				return
			case <-poll.C:
				h.rules.poll()
			}
		}
	}()
	h.addCloser(func() error {
		close(stop)
		<-ended
		return nil
	})
}

// poll reads the files that changed. A file that is broken leaves the last good
// rules in use.
func (b *rulebook) poll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	changed := false
	for _, f := range b.files {
		if !f.settled() {
			continue
		}
		before, broken := f.seen, f.Err
		if err := b.read(f); err != nil {
			if broken == nil || broken.Error() != err.Error() {
				b.host.opts.Logger.Error(lang.PolicyFileBroken.In(b.host.lang()), "file", f.Path, "error", err)
			}
			continue
		}
		if !sameFile(before, f.seen) || broken != nil {
			b.host.opts.Logger.Info("policy file read", "file", f.Path)
		}
		changed = true
	}
	if changed {
		if err := b.compile(); err != nil { // each policy was compiled when it was read
			b.host.opts.Logger.Error(lang.PolicyFileBroken.In(b.host.lang()), "error", err)
		}
	}
}

// settled reports whether the file changed and is complete.
func (f *watchedPolicy) settled() bool {
	now, _ := os.Stat(f.Path) // nil without one
	if !f.fresh && sameFile(now, f.seen) {
		f.waiting = false
		return false
	}
	ready := f.waiting && sameFile(now, f.next)
	f.next, f.waiting = now, !ready
	return ready
}

func sameFile(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size() && a.Mode() == b.Mode()
}
