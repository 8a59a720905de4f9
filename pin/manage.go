package pin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/near"
)

// List is every tool that is pinned or was listed, with how it stands, sorted
// by source and name. It reaches no source; launches says how they would be
// started now, as far as that is known.
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
		r := &review{book: b, source: last.Source, launch: launch, lock: l, readOnly: true}
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
	chosen, err := choose(all, names)
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

// choose finds the tools that are meant.
func choose(all []Verdict, names []string) ([]Verdict, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(slices.Clone(all), func(v Verdict) bool { return !v.Held() }), nil
	}
	var chosen []Verdict
	for _, name := range names {
		found := slices.DeleteFunc(slices.Clone(all), func(v Verdict) bool {
			return name != v.Name && name != v.Source+"/"+v.Name
		})
		switch len(found) {
		case 0:
			return nil, fmt.Errorf("no tool %q is pinned or listed%s", name, didYouMean(all, name))
		case 1:
			chosen = append(chosen, found[0])
		default:
			var full []string
			for _, v := range found {
				full = append(full, v.Source+"/"+v.Name)
			}
			return nil, fmt.Errorf("%q is a tool of several sources; say which: %s", name, strings.Join(full, ", "))
		}
	}
	return chosen, nil
}

func didYouMean(all []Verdict, name string) string {
	var known []string
	for _, v := range all {
		known = append(known, v.Name)
	}
	if close := near.Names(name, slices.Values(known), 3); len(close) > 0 {
		return "; did you mean " + strings.Join(close, ", ") + "?"
	}
	return "; gongu pins list shows them"
}
