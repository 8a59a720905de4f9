package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/pin"
)

// Accepted reports whether a source may serve more than tools, such as
// resources and prompts: a tool of it is pinned and it is started as it was
// accepted. It lists the source when its list is too old. A source without
// tools is accepted where the policy trusts new sources, or once a prompt of it
// was accepted.
func (m *Manager) Accepted(ctx context.Context, s gongu.Source) bool {
	e := m.find(s)
	if e == nil {
		return false
	}
	since := m.opts.Now().Add(-e.maxAge)
	if !e.fresh(since) && e.refresh(ctx, since) != nil {
		return false
	}
	v := e.view.Load()
	return v.pinned > 0 || v.listedTools == 0 && m.opts.Book.Admits(e.source.Identity(), e.lister.Launch())
}

// count counts what [Manager.Accepted] needs to know of a list.
func (v *view) count(verdicts []pin.Verdict) *view {
	v.listedTools = len(verdicts)
	for _, verdict := range verdicts {
		if !verdict.Held() {
			v.pinned++
		}
	}
	return v
}

// promptReview is a list of prompts that was compared with the pins.
type promptReview struct {
	list  [sha256.Size]byte
	at    time.Time
	shown []json.RawMessage
}

// Prompts compares the prompts that a source lists with the pins, as its tools
// are, and returns those that may be used, as they were accepted. They are pinned
// apart from the tools, because a tool and a prompt may have the same name.
func (m *Manager) Prompts(ctx context.Context, s gongu.Source, list []json.RawMessage) ([]json.RawMessage, error) {
	e := m.find(s)
	if e == nil {
		return nil, errClosed
	}
	now := m.opts.Now()
	sum := sha256.Sum256(bytes.Join(rawBytes(list), []byte{'\n'}))
	if last := e.prompts.Load(); last != nil && last.list == sum && now.Sub(last.at) < e.maxAge {
		return last.shown, nil
	}
	definitions, problems := e.parse(list)
	verdicts, err := m.opts.Book.Review(ctx, pin.PromptsOf(s.Identity()), e.lister.Launch(), definitions)
	if err != nil {
		return nil, err
	}
	for _, problem := range problems {
		m.opts.Logger.Warn("a prompt is left out", "source", s.Identity(), "problem", problem)
	}
	e.report(verdicts)
	review := &promptReview{list: sum, at: now, shown: []json.RawMessage{}}
	for _, v := range verdicts {
		if !v.Held() {
			review.shown = append(review.shown, json.RawMessage(visibleTexts(gongu.Schema(v.Show.Raw), false)))
		}
	}
	e.prompts.Store(review)
	return review.shown, nil
}

func rawBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, raw := range list {
		out[i] = raw
	}
	return out
}
