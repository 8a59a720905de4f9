package pin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/near"
)

// List returns every tool that is pinned or was listed, with its state, sorted by
// source and name. It does not contact the sources; launches are how they would
// be started now, as far as that is known.
func (b *Book) List(launches map[string]Launch) ([]Verdict, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, err := readLock(b.path)
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
		r := &review{book: b, source: last.Source, launch: launch, lock: l, readOnly: true, thorough: true}
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
		for name, digest := range entry.Tools {
			if !seen[source+"\x00"+name] {
				out = append(out, Verdict{Source: source, Name: name, State: Gone, Pinned: digest})
			}
		}
	}
	slices.SortFunc(out, func(a, b Verdict) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Name, b.Name))
	})
	return out, nil
}

// Accept pins tools as they were listed last, and their sources as they are
// started now. Names are those of List, alone or as SOURCE/NAME; none accepts
// everything that is held back. launches says how the sources are started; a
// source that it does not have keeps what is pinned.
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
	return chosen, b.change(ctx, func(l *lock) (bool, error) {
		for _, v := range chosen {
			if err := l.accept(v, launches); err != nil {
				return false, err
			}
		}
		return true, nil
	})
}

// accept pins a tool as it is listed; one that is gone is forgotten.
func (l *lock) accept(v Verdict, launches map[string]Launch) error {
	entry, known := l.source(v.Source)
	if launch, ok := launches[v.Source]; ok {
		entry.Launch = launch
	} else if !known {
		return fmt.Errorf("accept %s: it is not known how %s is started; run gongu tools --refresh first", v.Name, v.Source)
	}
	if v.State == Gone {
		delete(entry.Tools, v.Name)
		return nil
	}
	entry.Tools[v.Name] = v.Listed
	return nil
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
// calls, as long as the source has no other prefix than its name.
func Choose(all []Verdict, names ...string) ([]Verdict, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(slices.Clone(all), func(v Verdict) bool { return !v.Held() }), nil
	}
	var chosen []Verdict
	for _, name := range names {
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
		case !slices.ContainsFunc(chosen, func(v Verdict) bool { return v.Source == found[0].Source && v.Name == found[0].Name }):
			chosen = append(chosen, found[0])
		}
	}
	return chosen, nil
}

func (v Verdict) hasName(name string) bool {
	_, resource, _ := strings.Cut(v.Source, "/")
	return name == v.Name || name == v.Source+"/"+v.Name || name == resource+"__"+v.Name
}
