package httpapi

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
)

type sourceList struct {
	Sources    []SourceView `json:"sources"`
	Total      int          `json:"total"`
	NextCursor string       `json:"nextCursor,omitempty"`
}

type refreshJSON struct {
	// Names of sources; none is all of them.
	Names []string `json:"names,omitempty"`
}

// refreshed is the state of the sources after a refresh. A source that fails
// keeps its tools, and the request still succeeds.
type refreshed struct {
	Sources []SourceView `json:"sources"`
	Error   string       `json:"error,omitempty"`
}

func (x *exchange) listSources() (any, error) {
	all := x.api.opts.Sources.Status()
	part, next, err := page(x, all, func(s source.Status) string { return s.Identity })
	if err != nil {
		return nil, err
	}
	offered, err := x.offeredBySource()
	if err != nil {
		return nil, err
	}
	return sourceList{Sources: ViewSources(part, offered), Total: len(all), NextCursor: next}, nil
}

// offeredBySource counts the tools that the caller can use, by source.
func (x *exchange) offeredBySource() (map[string]int, error) {
	catalog, err := x.catalogOf("")
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, tool := range catalog.Callable() {
		counts[tool.Source.Identity()]++
	}
	return counts, nil
}

func (x *exchange) refresh() (any, error) {
	var in refreshJSON
	if err := x.body(&in); err != nil {
		return nil, err
	}
	sources := x.api.opts.Sources
	var known []string
	for _, s := range sources.Status() {
		known = append(known, s.Name, s.Identity)
	}
	for _, name := range in.Names {
		if !slices.Contains(known, name) {
			return nil, fail(CodeNotFound, lang.SourceNotThere.With(clip(name)), x.oneOf(name, known))
		}
	}
	err := sources.Refresh(x.r.Context(), in.Names...)
	if errors.Is(err, context.Canceled) && x.r.Context().Err() != nil {
		return nil, err
	}
	x.about = in.Names
	reply := refreshed{Sources: []SourceView{}}
	if err != nil {
		reply.Error = err.Error()
	}
	offered, err := x.offeredBySource()
	if err != nil {
		return nil, err
	}
	for _, s := range sources.Status() {
		if len(in.Names) == 0 || slices.Contains(in.Names, s.Name) || slices.Contains(in.Names, s.Identity) {
			reply.Sources = append(reply.Sources, viewSource(s, offered))
		}
	}
	return reply, nil
}

type pinList struct {
	Pins       []PinView `json:"pins"`
	Total      int       `json:"total"`
	Held       int       `json:"held"`
	NextCursor string    `json:"nextCursor,omitempty"`
}

type acceptJSON struct {
	// Names of tools with the digest that was shown: the member accept of a pin.
	Names []string `json:"names"`
}

// acceptedPin is a tool that may be used now, or whose pin was removed because
// its source does not list it any more.
type acceptedPin struct {
	Source string `json:"source"`
	Name   string `json:"name"`
	Was    string `json:"was"`
	Pinned string `json:"pinned,omitempty"`
}

type accepted struct {
	Accepted []acceptedPin `json:"accepted"`
}

func (x *exchange) listPins() (any, error) {
	verdicts, err := x.api.opts.Sources.Pins()
	if err != nil {
		return nil, refused(err)
	}
	part, next, err := page(x, verdicts, fullName)
	if err != nil {
		return nil, err
	}
	return pinList{Pins: ViewPins(part), Total: len(verdicts), Held: CountHeld(verdicts), NextCursor: next}, nil
}

func fullName(v pin.Verdict) string { return v.Source + "/" + v.Name }

// CountHeld counts the tools that are held back.
func CountHeld(verdicts []pin.Verdict) (held int) {
	for _, v := range verdicts {
		if v.Held() {
			held++
		}
	}
	return held
}

// acceptPins accepts tools by name. Every name has the digest of what the caller
// saw, so nothing is accepted that was listed in the meantime.
func (x *exchange) acceptPins() (any, error) {
	var in acceptJSON
	if err := x.body(&in); err != nil {
		return nil, err
	}
	if len(in.Names) == 0 {
		return nil, fail(CodeInvalid, lang.APIPinsWhich.With(), lang.APIPinsWhichHint.With())
	}
	for _, name := range in.Names {
		if !strings.Contains(name, "@sha256:") {
			return nil, fail(CodeInvalid, lang.APIPinsNoDigest.With(clip(name)), lang.APIPinsWhichHint.With())
		}
	}
	if err := x.checkPins(in.Names); err != nil {
		return nil, err
	}
	verdicts, err := x.api.opts.Sources.AcceptPins(x.r.Context(), in.Names...)
	if err != nil {
		return nil, refused(err)
	}
	reply := accepted{Accepted: []acceptedPin{}}
	for _, v := range verdicts {
		reply.Accepted = append(reply.Accepted, acceptedPin{v.Source, v.Name, string(v.State), v.Listed})
		x.about = append(x.about, fullName(v))
	}
	return reply, nil
}

func (x *exchange) checkPins(names []string) error {
	verdicts, err := x.api.opts.Sources.Pins()
	if err != nil {
		return refused(err)
	}
	_, err = pin.Choose(verdicts, names...)
	if wrong, ok := errors.AsType[*pin.DigestError](err); ok {
		return fail(CodeConflict, lang.APIPinOther.With(clip(wrong.Name), wrong.Shown, wrong.Listed), lang.APIPinOtherHint.With())
	}
	wrong, ok := errors.AsType[*pin.NameError](err)
	switch {
	case !ok:
		return err
	case len(wrong.Several) > 0:
		return fail(CodeConflict, lang.APIPinTwice.With(clip(wrong.Name)), lang.APIPinTwiceHint.With(strings.Join(wrong.Several, ", ")))
	}
	var known []string
	for _, v := range verdicts {
		known = append(known, v.Name)
	}
	return fail(CodeNotFound, lang.APINoPin.With(clip(wrong.Name)), x.oneOf(wrong.Name, known))
}
