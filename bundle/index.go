package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// index finds resources by kind and name.
type index map[[2]string][]Item

// add returns the resource that already has the place, if there is one.
func (x index) add(item Item) Item {
	m := item.Head()
	key := [2]string{m.Kind, m.Name}
	for _, other := range x[key] {
		if other.Head().Package == m.Package {
			return other
		}
	}
	x[key] = append(x[key], item)
	return nil
}

// find looks in the package the reference names; without one in the owner's,
// and then wherever there is only one.
func (x index) find(ownerPackage string, ref Ref) (Item, error) {
	candidates := x[[2]string{ref.Kind, ref.Name}]
	in := func(name string) Item {
		for _, c := range candidates {
			if c.Head().Package == name {
				return c
			}
		}
		return nil
	}
	if ref.Package != "" {
		if item := in(ref.Package); item != nil {
			return item, nil
		}
		return nil, errNotFound
	}
	if item := in(ownerPackage); item != nil {
		return item, nil
	}
	switch len(candidates) {
	case 0:
		return nil, errNotFound
	case 1:
		return candidates[0], nil
	}
	return nil, errAmbiguous
}

// packagesOf lists the packages that have a resource.
func (x index) packagesOf(ref Ref) []string {
	var names []string
	for _, c := range x[[2]string{ref.Kind, ref.Name}] {
		names = append(names, c.Head().Package)
	}
	slices.Sort(names)
	return names
}

// identities lists what a reference of these kinds can name.
func (x index) identities(kinds []string) []string {
	var names []string
	for _, key := range slices.SortedFunc(maps.Keys(x), func(a, b [2]string) int {
		return strings.Compare(a[0]+"/"+a[1], b[0]+"/"+b[1])
	}) {
		if len(kinds) == 0 || slices.Contains(kinds, key[0]) {
			names = append(names, key[0]+"/"+key[1])
		}
	}
	return names
}

// checkRef reports a reference that leads nowhere.
func (l *loader) checkRef(p pendingRef) {
	if l.full() {
		return
	}
	if len(p.kinds) > 0 && !slices.Contains(p.kinds, p.ref.Kind) {
		l.error(p.at, CodeInvalidRef, lang.BundleRefWrongKind.With(p.ref.Kind, strings.Join(p.kinds, ", ")), l.hintRef(p))
		return
	}
	_, err := l.index.find(p.owner.Package, p.ref)
	switch err {
	case nil:
	case errAmbiguous:
		names := l.index.packagesOf(p.ref)
		l.error(p.at, CodeInvalidRef, lang.BundleAmbiguous.With(p.ref.String(), strings.Join(names, ", ")),
			lang.BundleHintPackage.With(fmt.Sprintf("{kind: %s, name: %s, package: %q}", p.ref.Kind, p.ref.Name, names[0])))
	default:
		l.missing(p.at, CodeRefNotFound, lang.BundleRefNotFound.With(short(p.ref.String())), l.hintRef(p))
	}
}

// hintRef suggests resources that do exist.
func (l *loader) hintRef(p pendingRef) lang.Message {
	if p.ref.Package != "" {
		if packages := l.index.packagesOf(p.ref); len(packages) > 0 {
			return lang.BundleHintInPackages.With(strings.Join(packages, ", "))
		}
	}
	key := strings.Join(p.kinds, " ")
	names, ok := l.names[key]
	if !ok {
		names = l.index.identities(p.kinds)
		l.names[key] = names
	}
	if len(names) == 0 {
		return lang.BundleHintAddResource.With(firstSet(p.kinds, []string{p.ref.Kind})[0])
	}
	return choose(p.ref.Kind+"/"+p.ref.Name, names)
}
