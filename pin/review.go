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
	here   *here
	// readOnly admits nothing and stores nothing.
	readOnly bool
	// thorough scans what was accepted, too, and compares it with everything
	// else that is accepted.
	thorough bool

	policy Policy
	entry  *lockSource
	known  bool
	moved  []Change // how the launch differs
	dirty  bool
	before listing
	texts  map[string]Definition // of the cache, for entries without a text
}

func (r *review) run(definitions []Definition) ([]Verdict, error) {
	if r.entry, r.known = r.lock.Sources[r.source]; !r.known {
		r.entry = &lockSource{Launch: r.launch, Tools: make(map[string][]kept)}
	}
	r.policy = r.book.policy(r.source)
	r.moved = r.entry.launchDiff(r.launch)
	r.before, _ = r.book.cache.read(r.source)
	r.texts = r.before.texts()
	digests, err := digestsOf(definitions)
	if err != nil {
		return nil, err
	}
	findings := r.scan(definitions, digests)
	verdicts := make([]Verdict, 0, len(definitions))
	var admitted []Verdict
	for i, definition := range definitions {
		definition.sum = digests[i]
		v := r.judge(definition, findings[i])
		if v.State == Pinned && v.Pinned == "" {
			v.Pinned = digests[i]
			admitted = append(admitted, v)
		}
		verdicts = append(verdicts, v)
	}
	if r.readOnly {
		return verdicts, nil
	}
	if len(definitions) == 0 && !r.known && r.policy.trustsNew() && Owner(r.source) == r.source {
		// How it is started is all that can be pinned of a source without tools.
		r.lock.Sources[r.source], r.dirty = r.entry, true
	}
	if err := r.admit(admitted); err != nil {
		return nil, err
	}
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

// scan scans the definitions, unless all of them were accepted here as they are.
// It scans accepted ones only for a thorough review, which a user asks for.
func (r *review) scan(definitions []Definition, digests []string) [][]Finding {
	settled := !r.thorough
	for i, d := range definitions {
		settled = settled && r.acceptedHere(d.Name, digests[i])
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

// acceptedHere reports whether a definition counts without a look at it.
func (r *review) acceptedHere(name, digest string) bool {
	return r.here.has(r.source, name, digest) ||
		r.book.opts.LockDecides && slices.ContainsFunc(r.entry.Tools[name], func(k kept) bool { return k.Digest == digest })
}

// judge decides about one definition.
func (r *review) judge(d Definition, findings []Finding) Verdict {
	v := Verdict{Source: r.source, Name: d.Name, Listed: d.sum, Findings: findings, Show: d, listed: d}
	if pins := r.entry.Tools[d.Name]; len(pins) > 0 {
		return r.compare(v, pins)
	}
	switch policy := r.policy; {
	case len(r.moved) > 0:
		v.State, v.Changes = Moved, r.moved
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

// compare judges a definition of a name of which some were accepted.
func (r *review) compare(v Verdict, pins []kept) Verdict {
	match := slices.IndexFunc(pins, func(k kept) bool { return k.is(v.listed) })
	shown := max(match, 0)
	v.Pinned = pins[shown].Digest
	accepted, has := r.text(v.Name, pins[shown])
	switch {
	case len(r.moved) > 0:
		v.State, v.Changes = Moved, r.moved
	case match < 0:
		v.State = Changed
	case r.acceptedHere(v.Name, v.Listed):
		// The same to every reader, but perhaps not byte for byte.
		v.State = Pinned
	default:
		r.judgeElsewhere(&v)
	}
	if has {
		if match < 0 {
			changes, _ := Diff(accepted, v.listed)
			v.Changes = slices.Concat(v.Changes, changes)
		}
		if match < 0 || r.acceptedHere(v.Name, v.Listed) {
			// Otherwise the text is that of the lock file, and its _meta, which
			// no digest covers, was not read by a person here.
			v.Show = accepted
		}
	}
	if match >= 0 && !r.readOnly {
		r.complete(v, pins, match)
	}
	if r.thorough {
		v.Also = r.also(v, pins)
	}
	return v
}

// judgeElsewhere judges a definition that the lock file has and no person accepted
// here: the scanner and the hints decide.
func (r *review) judgeElsewhere(v *Verdict) {
	was, known := r.here.newest(r.source, v.Name)
	v.State = Pinned
	switch {
	case worst(v.Findings) >= High:
		v.State, v.Elsewhere = Flagged, true
	case known && milder(v.listed, was):
		v.State, v.Elsewhere = Changed, true
		v.Changes, _ = Diff(was, v.listed)
	}
}

// complete notes that a definition counts here, and adds what format 1 of the
// lock file did not have; that is stored with the next change.
func (r *review) complete(v Verdict, pins []kept, match int) {
	k, err := keep(v.Show, v.Listed)
	if err != nil {
		return // it cannot be kept; the digest still counts
	}
	if pins[match].Text == "" {
		pins[match] = k
	}
	if v.State == Pinned && !r.here.has(r.source, v.Name, v.Listed) {
		r.here.add(r.source, v.Name, k)
	}
}

// text is the text of an accepted definition.
func (r *review) text(name string, k kept) (Definition, bool) {
	if d, ok := r.here.text(r.source, name, k.Digest); ok {
		return d, true
	}
	if d, ok := k.definition(); ok {
		return d, true
	}
	d, ok := r.texts[name+"\x00"+k.Digest]
	return d, ok
}

// also compares with the other definitions that are accepted.
func (r *review) also(v Verdict, pins []kept) []Also {
	var out []Also
	for _, k := range pins {
		if k.Digest == v.Pinned {
			continue
		}
		other := Also{Digest: k.Digest}
		if d, ok := r.text(v.Name, k); ok {
			other.Changes, _ = Diff(d, v.listed)
		}
		out = append(out, other)
	}
	return out
}

// admit puts what the policy accepts into the lock.
func (r *review) admit(admitted []Verdict) error {
	if len(admitted) == 0 {
		return nil
	}
	entry, known := r.lock.source(r.source)
	if !known || entry.Partial {
		entry.Launch, entry.Partial = r.launch, false
	}
	for _, v := range admitted {
		k, err := keep(v.listed, v.Listed)
		if err != nil {
			return err
		}
		entry.add(v.Name, k)
		r.here.add(r.source, v.Name, k)
		if known {
			r.book.opts.Logger.Info("a new tool of a known source was pinned", "source", r.source, "tool", v.Name)
		}
	}
	r.dirty = true
	return nil
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
		for _, old := range entry.Tools[name] {
			d, ok := r.texts[name+"\x00"+old.Digest]
			if !ok || old.Text != "" || listed[name] == old.Digest {
				continue
			}
			k, err := keep(d, old.Digest)
			if err != nil {
				return err
			}
			next.Pinned = append(next.Pinned, k)
		}
	}
	if r.book.opts.ReadOnly {
		return nil
	}
	return r.book.cache.write(next)
}
