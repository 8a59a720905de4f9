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
	return sourceList{Sources: ViewSources(part), Total: len(all), NextCursor: next}, nil
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
	for _, s := range sources.Status() {
		if len(in.Names) == 0 || slices.Contains(in.Names, s.Name) || slices.Contains(in.Names, s.Identity) {
			reply.Sources = append(reply.Sources, viewSource(s))
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
	// Names of tools, alone or as SOURCE/NAME.
	Names []string `json:"names,omitempty"`
	// All accepts everything that is held back.
	All bool `json:"all,omitempty"`
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
	return pinList{Pins: ViewPins(part), Total: len(verdicts), Held: countHeld(verdicts), NextCursor: next}, nil
}

func fullName(v pin.Verdict) string { return v.Source + "/" + v.Name }

func countHeld(verdicts []pin.Verdict) (held int) {
	for _, v := range verdicts {
		if v.Held() {
			held++
		}
	}
	return held
}

// acceptPins accepts tools by name. An empty request is an error: accepting all
// needs "all".
func (x *exchange) acceptPins() (any, error) {
	var in acceptJSON
	if err := x.body(&in); err != nil {
		return nil, err
	}
	if (len(in.Names) == 0) != in.All {
		return nil, fail(CodeInvalid, lang.APIPinsWhich.With(), lang.APIPinsWhichHint.With())
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
	if len(names) == 0 {
		return nil
	}
	verdicts, err := x.api.opts.Sources.Pins()
	if err != nil {
		return refused(err)
	}
	var known []string
	for _, v := range verdicts {
		known = append(known, v.Name)
	}
	for _, name := range names {
		var found []string
		for _, v := range verdicts {
			if name == v.Name || name == fullName(v) {
				found = append(found, fullName(v))
			}
		}
		switch len(found) {
		case 0:
			return fail(CodeNotFound, lang.APINoPin.With(clip(name)), x.oneOf(name, known))
		case 1:
		default:
			return fail(CodeConflict, lang.APIPinTwice.With(clip(name)), lang.APIPinTwiceHint.With(strings.Join(found, ", ")))
		}
	}
	return nil
}
