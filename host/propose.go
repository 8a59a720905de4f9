package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
)

// ConsentOptions make a host use only what a person consented to: it runs a copy
// of it, and holds every change back until the change is accepted too.
type ConsentOptions struct {
	// Records are the consents that were given.
	Records Consents
	// Trust consents without a person: the digest of a bundle, or
	// [TrustFolder] for whatever is in a folder that this process cannot write.
	Trust string
	// Ask asks a person about a bundle without consent, and grants it or
	// returns an error. Nil refuses such a bundle.
	Ask func(context.Context, *Proposal) error
	// Wait opens a bundle without consent with no tools at all, and loads it
	// once there is a consent. It needs Watch.
	Wait bool
	// Dev accepts changes of texts, schemas, macros, prompts and modules at
	// once. Others are held.
	Dev bool
}

// TrustFolder is the value of [ConsentOptions.Trust] that trusts the folder.
const TrustFolder = "folder"

// ErrNoConsent means that a bundle can act and has no consent.
var ErrNoConsent = errors.New("nobody has consented to this bundle; run gongu trust")

// Proposal is a bundle as it is now, with the consent to it.
type Proposal struct {
	Bundle      *bundle.Bundle
	Diagnostics bundle.Diagnostics
	Digest      string
	// Consent is the consent that was given last; nil without one.
	Consent *Consent
	// Changes are the differences to what was consented to last.
	Changes []bundle.Change

	cover   *bundle.Cover
	state   string
	records Consents
}

// Propose reads the bundle in a folder or file and the consent to it. It runs
// nothing. Options need Consent.
func Propose(path string, o *Options) (*Proposal, error) {
	h := &Host{path: path, opts: *o}
	if h.opts.Logger == nil {
		h.opts.Logger = slog.Default()
	}
	if err := h.locate(path); err != nil {
		return nil, err
	}
	p, err := h.propose()
	if err != nil {
		return nil, err
	}
	if p.Consent != nil && p.Consent.Digest != p.Digest {
		if before, err := h.consented(p.Consent.Digest, nil); err == nil {
			p.Changes = bundle.Compare(before.bundle, p.Bundle, before.cover, p.cover)
		}
	}
	return p, nil
}

// checkRecords refuses consents that came along with the bundle: a repository
// must not bring consents to itself along.
func (h *Host) checkRecords() error {
	if h.opts.Consent == nil || h.dir == "" || h.opts.Consent.Records.Rows != nil {
		return nil
	}
	dir, err := h.opts.Consent.Records.dir()
	if err != nil {
		return err
	}
	if folder, along := statedir.CameAlong(h.dir, dir); along {
		return errors.New(lang.HostRecordsInside.In(h.lang(), dir, folder))
	}
	return nil
}

// Needed reports whether the bundle must not be used as it is without a consent
// that is still to be given.
func (p *Proposal) Needed() bool {
	return p.Decided() && (p.Consent == nil || p.Consent.Digest != p.Digest)
}

// Decided reports whether a person decides about the bundle: it can act, or takes
// the place of one that somebody consented to.
func (p *Proposal) Decided() bool { return p.Bundle.Acts() || p.Consent != nil }

// Problems lists the programs that the bundle starts and that other users or the
// model could replace.
func (p *Proposal) Problems(workdirs ...string) []ProgramProblem {
	return programProblems(p.Bundle, append(workdirs, p.state))
}

// Cover returns what a consent to the bundle covers.
func (p *Proposal) Cover() *bundle.Cover { return p.cover }

// Grant copies the bundle and records the consent to it. It fails when the bundle
// is not as it was proposed any more.
func (p *Proposal) Grant(how string, rules bool) error {
	if _, err := keepCopy(p.state, p.cover); err != nil {
		return err
	}
	given := Consent{Folder: p.Bundle.Path(), Digest: p.Digest, How: how, Rules: rules}
	if err := p.records.Grant(given); err != nil {
		return err
	}
	p.Consent = &given
	return nil
}

// propose reads the bundle as it is now.
func (h *Host) propose() (*Proposal, error) {
	p := &Proposal{state: h.state, records: h.opts.Consent.Records}
	if p.Bundle, p.Diagnostics = h.read(h.path, ""); p.Bundle == nil {
		return nil, p.Diagnostics.Err()
	}
	var err error
	if p.cover, err = p.Bundle.Cover(); err != nil {
		return nil, err
	}
	h.present.Store(p.cover)
	p.Digest = p.cover.Digest()
	if given, known, err := h.given(p.Digest); err != nil {
		return nil, err
	} else if known {
		p.Consent = &given
	}
	return p, nil
}

// read loads a bundle. Origin is the folder that it is a copy of.
func (h *Host) read(path, origin string) (*bundle.Bundle, bundle.Diagnostics) {
	if b := h.opts.Loaded; b != nil && origin == "" {
		h.opts.Loaded = nil
		return b, nil
	}
	return bundle.Load(path, &bundle.Options{
		Strict: h.opts.Strict, Lang: h.opts.Lang, Builtins: Builtins(), KnownExtension: h.knownExtension, Origin: origin,
	})
}

// consented loads the copy with a digest, after it has checked it. Cover is that
// of this digest, or nil.
func (h *Host) consented(digest string, cover *bundle.Cover) (*candidate, error) {
	dir, err := openCopy(h.state, digest)
	if err != nil {
		return nil, err
	}
	if h.single() {
		dir = filepath.Join(dir, filepath.Base(h.path))
	}
	b, diagnostics := h.read(dir, h.dir)
	if b == nil {
		return nil, diagnostics.Err()
	}
	if cover == nil {
		if cover, err = b.Cover(); err != nil {
			return nil, err
		}
	}
	return &candidate{bundle: b, diagnostics: diagnostics, cover: cover}, nil
}

// single reports whether the bundle is one file.
func (h *Host) single() bool {
	absolute, err := filepath.Abs(h.path)
	return err == nil && absolute != h.dir
}

// loadConsented decides what of the bundle is used: what it is now, when a person
// consented to exactly that, else what they consented to last.
func (h *Host) loadConsented(ctx context.Context) error {
	p, failed := h.propose()
	if failed != nil {
		return h.loadBroken(ctx, failed)
	}
	switch accepted, err := h.accepts(p); {
	case err != nil:
		return err
	case accepted != nil:
		return h.useCopy(ctx, p, *accepted)
	case !p.Decided():
		return h.released(h.use(ctx, &candidate{bundle: p.Bundle, diagnostics: p.Diagnostics, cover: p.cover}))
	case p.Consent != nil:
		return h.loadHeld(ctx, p)
	case h.now() != nil && h.now().bundle != nil && h.now().consent.Digest == "":
		// It could not act before: it stays as it was.
		now := h.now()
		h.holdBack(&Held{Digest: p.Digest, Changes: bundle.Compare(now.bundle, p.Bundle, now.cover, p.cover)})
		return nil
	}
	return h.loadUnknown(ctx, p)
}

// accepts returns the consent to exactly this proposal, or nil.
func (h *Host) accepts(p *Proposal) (*Consent, error) {
	o := h.opts.Consent
	switch {
	case !p.Decided():
		return nil, nil
	case o.Trust == p.Digest:
		return &Consent{Folder: p.Bundle.Path(), Digest: p.Digest, How: "--trust"}, nil
	case o.Trust == TrustFolder:
		if place, writable := h.writable(p); writable {
			return nil, errors.New(lang.HostTrustWritable.In(h.lang(), place))
		}
		return &Consent{Folder: p.Bundle.Path(), Digest: p.Digest, How: "--trust folder"}, nil
	case o.Trust != "":
		return nil, h.otherDigest(p)
	case p.Consent != nil && p.Consent.Digest == p.Digest:
		return p.Consent, nil
	}
	return nil, nil
}

// otherDigest handles a bundle that is not the one that --trust names: the copy of
// that one goes on, if there is one.
func (h *Host) otherDigest(p *Proposal) error {
	trust := h.opts.Consent.Trust
	if _, err := openCopy(h.state, trust); err != nil {
		return errors.New(lang.HostTrustOther.In(h.lang(), trust, p.Digest))
	}
	p.Consent = &Consent{Folder: p.Bundle.Path(), Digest: trust, How: "--trust"}
	return nil
}

// useCopy uses the copy of a proposal that is accepted, and makes it when it is
// missing or damaged.
func (h *Host) useCopy(ctx context.Context, p *Proposal, given Consent) error {
	if _, err := keepCopy(h.state, p.cover); err != nil {
		return err
	}
	copied, err := h.consented(p.Digest, p.cover)
	if err != nil {
		return err
	}
	copied.consent = given
	return h.released(h.use(ctx, copied))
}

// loadHeld goes on with what was consented to last, and holds the change.
func (h *Host) loadHeld(ctx context.Context, p *Proposal) error {
	before, err := h.consented(p.Consent.Digest, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", lang.HostNoCopy.In(h.lang(), h.acceptCommand(nil)), err)
	}
	before.consent = *p.Consent
	changes := bundle.Compare(before.bundle, p.Bundle, before.cover, p.cover)
	if h.opts.Consent.Dev && h.opts.Consent.Trust == "" && !startsMore(changes) {
		if err := p.Grant("serve --dev", p.Consent.Rules); err != nil {
			return err
		}
		return h.useCopy(ctx, p, *p.Consent)
	}
	if err := h.use(ctx, before); err != nil {
		return err
	}
	h.holdBack(&Held{Digest: p.Digest, Changes: changes})
	return nil
}

func startsMore(changes []bundle.Change) bool {
	for _, c := range changes {
		if c.Launch {
			return true
		}
	}
	return false
}

// loadBroken goes on with what was consented to when the bundle has errors.
func (h *Host) loadBroken(ctx context.Context, failed error) error {
	given, known, err := h.given("")
	if err != nil {
		return err
	}
	if !known || h.opts.Consent.Trust != "" {
		return failed
	}
	before, err := h.consented(given.Digest, nil)
	if err != nil {
		return failed
	}
	before.consent = given
	running := h.now() != nil
	if err := h.use(ctx, before); err != nil {
		return err
	}
	h.holdBack(&Held{Err: failed})
	if running {
		return failed
	}
	h.opts.Logger.Warn(lang.HostHeldBroken.In(h.lang()), "bundle", h.path, "error", failed)
	return nil
}

// loadUnknown asks about a bundle without consent.
func (h *Host) loadUnknown(ctx context.Context, p *Proposal) error {
	o := h.opts.Consent
	switch {
	case o.Wait:
		return h.suspend(&Held{Digest: p.Digest, Waiting: true})
	case h.now() != nil:
		// It was revoked while it ran.
		return h.suspend(&Held{Digest: p.Digest, Waiting: true})
	case o.Ask == nil:
		return ErrNoConsent
	}
	if err := o.Ask(ctx, p); err != nil {
		return err
	}
	if p.Needed() {
		return ErrNoConsent
	}
	return h.useCopy(ctx, p, *p.Consent)
}

// suspend takes all tools away until there is a consent.
func (h *Host) suspend(held *Held) error {
	next := newLoaded(&h.scopesMu)
	if err := h.put(next, nil); err != nil {
		return err
	}
	h.removeExplore()
	h.holdBack(held)
	return h.sources.clear()
}

// writable returns a covered file, or a folder on the way to it, that this process
// may write.
func (h *Host) writable(p *Proposal) (string, bool) {
	places := []string{}
	seen := map[string]bool{}
	for _, e := range p.cover.Entries() {
		for name := filepath.Join(h.dir, filepath.FromSlash(e.Label)); len(name) >= len(h.dir) && !seen[name]; name = filepath.Dir(name) {
			seen[name] = true
			places = append(places, name)
		}
	}
	for _, place := range places {
		if mayWrite(place) {
			return place, true
		}
	}
	return replaceable(h.dir)
}

// replaceable returns a folder in which this process could put another folder, or
// a link, into the place of a part of the path. A mounted file system cannot be
// renamed.
func replaceable(dir string) (string, bool) {
	for {
		above := filepath.Dir(dir)
		if above == dir || isMount(dir, above) {
			return "", false
		}
		if mayReplace(above, dir) {
			return above, true
		}
		dir = above
	}
}
