package pin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/internal/rows"
)

// List returns every tool that is pinned or was listed, with its state, sorted by
// source and name. It does not contact the sources; launches are how they would
// be started now, as far as that is known.
func (b *Book) List(launches map[string]Launch) ([]Verdict, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, h, err := b.load()
	if err != nil {
		return nil, err
	}
	listings, err := b.cache.all()
	if err != nil {
		return nil, err
	}
	var out []Verdict
	seen := make(map[string]bool)
	for _, last := range listings {
		launch, ok := launches[last.Source]
		if entry := l.Sources[last.Source]; !ok && entry != nil {
			launch = entry.Launch
		}
		r := &review{book: b, source: last.Source, launch: launch, lock: l, here: h, readOnly: true, thorough: true}
		var definitions []Definition
		for _, k := range last.Tools {
			if d, ok := k.definition(); ok {
				definitions = append(definitions, d)
				seen[last.Source+"\x00"+d.Name] = true
			}
		}
		verdicts, err := r.run(definitions)
		if err != nil {
			return nil, err
		}
		out = append(out, verdicts...)
	}
	for source, entry := range l.Sources {
		if launch, ok := launches[source]; ok {
			if changes := entry.launchDiff(launch); len(changes) > 0 {
				out = append(out, Verdict{Source: source, State: Moved, Pinned: entry.Launch.digest(), Listed: launch.digest(), Changes: changes})
			}
		}
		for name, pins := range entry.Tools {
			if !seen[source+"\x00"+name] && len(pins) > 0 {
				out = append(out, Verdict{Source: source, Name: name, State: Gone, Pinned: pins[0].Digest})
			}
		}
	}
	slices.SortFunc(out, func(a, b Verdict) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Name, b.Name))
	})
	return out, nil
}

// Accept pins tools as they were listed last, and sources as they are started
// now. Names are those of List, alone or as SOURCE/NAME, or those of sources for
// the way they are started; none accepts everything that is held back. A name
// with a digest, as NAME@sha256:…, is refused with a [DigestError] when something
// else is listed by now. launches says how the sources are started.
func (b *Book) Accept(ctx context.Context, launches map[string]Launch, names ...string) ([]Verdict, error) {
	all, err := b.List(launches)
	if err != nil {
		return nil, err
	}
	chosen, err := Choose(all, names...)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	decided := make([]rows.Decision, len(chosen))
	for i, v := range chosen {
		decided[i] = rows.Decision{Action: "pin.accepted", Subject: strings.TrimSuffix(v.FullName(), "@"+v.Digest()), Digest: v.Digest()}
	}
	return chosen, b.change(ctx, decided, func(l *lock, h *here) (bool, error) {
		for _, v := range chosen {
			if err := l.accept(h, v, launches); err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// accept pins a tool as it is listed; one that is gone is forgotten. How the
// source is started is pinned only by a verdict of its own, and with the first
// tool.
func (l *lock) accept(h *here, v Verdict, launches map[string]Launch) error {
	entry, known := l.source(v.Source)
	launch, ok := launches[v.Source]
	switch {
	case ok && (!known || v.Name == ""):
		entry.Launch, entry.Partial = launch, false
	case !known:
		return fmt.Errorf("accept %s: it is not known how %s is started; run gongu tools --refresh first", v.Name, v.Source)
	}
	switch {
	case v.Name == "":
		return nil
	case v.State == Gone:
		delete(entry.Tools, v.Name)
		h.forget(v.Source, v.Name)
		return nil
	}
	k, err := keep(v.listed, v.Listed)
	if err != nil {
		return err
	}
	entry.add(v.Name, k)
	h.add(v.Source, v.Name, k)
	return nil
}

// Digest is what a person accepts with this verdict: that of what is listed, or
// of what was accepted when it is gone.
func (v Verdict) Digest() string { return cmp.Or(v.Listed, v.Pinned) }

// FullName is a name for [Book.Accept] that means this verdict and no other,
// also after the source lists something else.
func (v Verdict) FullName() string {
	name := v.Source
	if v.Name != "" {
		name += "/" + v.Name
	}
	return name + "@" + v.Digest()
}

// DigestError is a name with a digest that is not the listed one.
type DigestError struct {
	// Name has no digest. Shown is the digest that came with it.
	Name, Shown, Listed string
}

// Error says what to do.
func (e *DigestError) Error() string {
	return fmt.Sprintf("%s was shown as %s and is listed as %s now; look at it again with gongu pins diff", e.Name, e.Shown, e.Listed)
}

// NameError is a name that no tool, or more than one, has.
type NameError struct {
	Name string
	// Near are names like it, when there is no such tool.
	Near []string
	// Several are all that it could mean, as SOURCE/NAME.
	Several []string
}

// Error says what to do instead.
func (e *NameError) Error() string {
	switch {
	case len(e.Several) > 0:
		return fmt.Sprintf("%q is a tool of several sources; say which: %s", e.Name, strings.Join(e.Several, ", "))
	case len(e.Near) > 0:
		return fmt.Sprintf("no tool %q is pinned or listed; did you mean %s?", e.Name, strings.Join(e.Near, ", "))
	default:
		return fmt.Sprintf("no tool %q is pinned or listed; gongu pins list shows them", e.Name)
	}
}

// Choose finds the tools that names mean; none means everything that is held
// back. A name is the source's own, SOURCE/NAME, or the one that a model
// calls, as long as the source has no other prefix than its name; the name of a
// source means how it is started. @DIGEST may follow.
func Choose(all []Verdict, names ...string) ([]Verdict, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(slices.Clone(all), func(v Verdict) bool { return !v.Held() }), nil
	}
	var chosen []Verdict
	for _, name := range names {
		digest := ""
		if at := strings.LastIndex(name, "@sha256:"); at > 0 {
			name, digest = name[:at], name[at+1:]
		}
		found := slices.DeleteFunc(slices.Clone(all), func(v Verdict) bool { return !v.hasName(name) })
		switch {
		case len(found) == 0:
			var known []string
			for _, v := range all {
				known = append(known, v.Name)
			}
			return nil, &NameError{Name: name, Near: near.Names(name, slices.Values(known), 3)}
		case len(found) > 1:
			several := make([]string, len(found))
			for i, v := range found {
				several[i] = v.Source + "/" + v.Name
			}
			return nil, &NameError{Name: name, Several: several}
		case digest != "" && digest != found[0].Digest():
			return nil, &DigestError{Name: name, Shown: digest, Listed: found[0].Digest()}
		case !slices.ContainsFunc(chosen, func(v Verdict) bool { return v.Source == found[0].Source && v.Name == found[0].Name }):
			chosen = append(chosen, found[0])
		}
	}
	return chosen, nil
}

func (v Verdict) hasName(name string) bool {
	_, resource, _ := strings.Cut(v.Source, "/")
	if v.Name == "" {
		return name == v.Source || name == resource
	}
	return name == v.Name || name == v.Source+"/"+v.Name || name == resource+"__"+v.Name
}
