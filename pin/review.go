package pin

import (
	"maps"
	"slices"
)

// review is one comparison of a source's list with the lock.
type review struct {
	book   *Book
	source string
	launch Launch
	lock   *lock
	// readOnly admits nothing and stores nothing.
	readOnly bool
	// thorough scans what was accepted, too.
	thorough bool

	policy       Policy
	entry        *lockSource
	known, moved bool
	dirty        bool
	before       listing
	texts        map[string]Definition
}

func (r *review) run(definitions []Definition) ([]Verdict, error) {
	if r.entry, r.known = r.lock.Sources[r.source]; !r.known {
		r.entry = &lockSource{Launch: r.launch, Tools: make(map[string]string)}
	}
	r.policy = r.book.policy(r.source)
	r.moved = r.known && len(r.entry.Launch.diff(r.launch)) > 0
	r.before, _ = r.book.cache.read(r.source)
	r.texts = r.before.texts()
	digests, err := digestsOf(definitions)
	if err != nil {
		return nil, err
	}
	findings := r.scan(definitions, digests)
	verdicts := make([]Verdict, 0, len(definitions))
	admitted := make(map[string]string)
	for i, definition := range definitions {
		v := r.judge(definition, digests[i], findings[i])
		if v.State == Pinned && v.Pinned == "" {
			v.Pinned = digests[i]
			admitted[definition.Name] = digests[i]
		}
		verdicts = append(verdicts, v)
	}
	if r.readOnly {
		return verdicts, nil
	}
	r.admit(admitted)
	return verdicts, r.remember(verdicts, definitions)
}

func digestsOf(definitions []Definition) ([]string, error) {
	digests := make([]string, len(definitions))
	for i, d := range definitions {
		digests[i] = d.sum
		if d.sum != "" {
			continue
		}
		var err error
		if digests[i], err = d.Digest(); err != nil {
			return nil, err
		}
	}
	return digests, nil
}

// scan scans the definitions, unless all of them were accepted as they are. It
// scans accepted ones only for a thorough review, which a user asks for.
func (r *review) scan(definitions []Definition, digests []string) [][]Finding {
	settled := !r.thorough
	for i, d := range definitions {
		settled = settled && r.entry.Tools[d.Name] == digests[i]
	}
	if settled {
		return make([][]Finding, len(definitions))
	}
	var known []string
	if r.book.opts.Known != nil {
		known = r.book.opts.Known()
	}
	return scanAll(definitions, known)
}

// judge decides about one definition.
func (r *review) judge(d Definition, digest string, findings []Finding) Verdict {
	v := Verdict{Source: r.source, Name: d.Name, Listed: digest, Findings: findings, Show: d}
	pinned, ok := r.entry.Tools[d.Name]
	if ok {
		return r.compare(v, pinned)
	}
	switch policy := r.policy; {
	case r.moved:
		v.State, v.Changes = Moved, r.entry.Launch.diff(r.launch)
	case worst(findings) >= High:
		v.State = Flagged
	case policy.FirstUse.strictness() >= Locked.strictness(), policy.FirstUse == Ask && !r.known, policy.HoldNew && r.known:
		v.State = New
	case r.readOnly:
		v.State = New
	default:
		v.State = Pinned
	}
	return v
}

// compare judges a definition of a name that was accepted.
func (r *review) compare(v Verdict, pinned string) Verdict {
	v.Pinned = pinned
	accepted, has := r.texts[v.Name+"\x00"+pinned]
	switch {
	case r.moved:
		v.State, v.Changes = Moved, r.entry.Launch.diff(r.launch)
	case pinned == v.Listed:
		// The same to every reader, but perhaps not byte for byte.
		v.State = Pinned
	default:
		v.State = Changed
	}
	if has {
		if pinned != v.Listed {
			changes, _ := Diff(accepted, v.Show)
			v.Changes = append(v.Changes, changes...)
		}
		v.Show = accepted
	}
	return v
}

// admit puts what the policy accepts into the lock.
func (r *review) admit(admitted map[string]string) {
	if len(admitted) == 0 {
		return
	}
	entry, known := r.lock.source(r.source)
	if !known {
		entry.Launch = r.launch
	}
	for _, name := range slices.Sorted(maps.Keys(admitted)) {
		entry.Tools[name] = admitted[name]
		if known {
			r.book.opts.Logger.Info("a new tool of a known source was pinned", "source", r.source, "tool", name)
		}
	}
	r.dirty = true
}

// remember keeps the list, and the accepted text of what is listed differently
// now or not at all.
func (r *review) remember(verdicts []Verdict, definitions []Definition) error {
	next := listing{Source: r.source, At: r.book.opts.Now().UTC()}
	listed := make(map[string]string, len(verdicts))
	for i, v := range verdicts {
		k, err := keep(definitions[i], v.Listed)
		if err != nil {
			return err
		}
		if v.State == Pinned {
			// The accepted bytes stay the ones that are shown.
			if k, err = keep(v.Show, v.Listed); err != nil {
				return err
			}
		}
		next.Tools = append(next.Tools, k)
		listed[v.Name] = v.Listed
	}
	entry := r.entry
	if now, ok := r.lock.Sources[r.source]; ok {
		entry = now
	}
	for _, name := range slices.Sorted(maps.Keys(entry.Tools)) {
		digest := entry.Tools[name]
		if d, ok := r.texts[name+"\x00"+digest]; ok && listed[name] != digest {
			k, err := keep(d, digest)
			if err != nil {
				return err
			}
			next.Pinned = append(next.Pinned, k)
		}
	}
	return r.book.cache.write(next)
}
