package source

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/pin"
)

// entry is one source with its list and state.
type entry struct {
	manager     *Manager
	key         string
	source      gongu.Source
	lister      Lister
	maxAge      time.Duration
	listTimeout time.Duration
	pins        pin.Policy
	// lifetime ends with the source and cancels a running list.
	lifetime context.Context
	end      context.CancelFunc

	// view is the part of the list that calls read, without a lock.
	view atomic.Pointer[view]
	// prompts are the prompts that were compared with the pins last.
	prompts atomic.Pointer[promptReview]
	// publishing is set while the list of the view is not in the registry yet:
	// until then the view does not count as fresh.
	publishing atomic.Bool
	// applying is held while a list is compared with the pins and applied.
	applying sync.Mutex

	mu       sync.Mutex
	listCall *listCall // the list that runs now
	// again is set when the source announced a change while a list ran.
	again  bool
	digest string
	tools  []gongu.Tool
	// problems come from the list, notes from processing it.
	problems, notes []string
	taken           map[string]string // names that other sources have, and their owners
	fault           error             // of the last list
	success         time.Time
	latency         time.Duration
}

// view is a list as calls see it. It is never changed.
type view struct {
	have   bool      // there is a list, live or from the cache
	listed time.Time // when it was requested
	held   map[string]pin.Verdict
	// listedTools are how many tools the list has, pinned how many of them were
	// accepted.
	listedTools, pinned int
}

func newEntry(m *Manager, spec Spec, lister Lister) *entry {
	e := &entry{
		manager: m, key: spec.Key, source: lister.Source(), lister: lister, pins: spec.Pins,
		maxAge: m.opts.MaxAge, listTimeout: m.opts.ListTimeout,
	}
	if spec.MaxAge != nil {
		e.maxAge = max(*spec.MaxAge, 0)
	}
	if spec.ListTimeout > 0 {
		e.listTimeout = spec.ListTimeout
	}
	e.lifetime, e.end = context.WithCancel(context.Background())
	e.view.Store(&view{})
	return e
}

func (e *entry) close() {
	e.end()
	if err := e.lister.Close(); err != nil {
		e.manager.opts.Logger.Warn("closing a source failed", "source", e.source.Identity(), "error", err)
	}
}

// known reports whether there is a list, of this process or from the cache.
func (e *entry) known() bool { return e.fresh(time.Time{}) }

// fresh reports whether there is a list that was requested at since or later.
func (e *entry) fresh(since time.Time) bool {
	v := e.view.Load()
	return v.have && !v.listed.Before(since) && !e.publishing.Load()
}

// recall loads the list of the cache, so that catalogs are complete before a
// source is connected.
func (e *entry) recall() {
	e.applying.Lock()
	defer e.applying.Unlock()
	verdicts, at, known := e.manager.opts.Book.Cached(e.source.Identity(), e.lister.Launch())
	if !known {
		return
	}
	if at.After(e.manager.opts.Now()) {
		at = time.Time{} // in the future: its age is unknown
	}
	tools, held, notes := e.sort(verdicts)
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := e.view.Load(); now.have && now.listed.After(at) {
		at = now.listed // this process has listed it later
	}
	e.tools, e.notes, e.digest = tools, notes, digestOf(verdicts)
	e.view.Store((&view{have: true, listed: at, held: held}).count(verdicts))
}

// apply compares a list with the pins and replaces the previous list, also in
// the registry.
func (e *entry) apply(ctx context.Context, began time.Time, raw []json.RawMessage, problems []string) error {
	defer e.publishing.Store(false)
	changed, err := e.compare(ctx, began, raw, problems)
	if err != nil || !changed {
		return err
	}
	return e.manager.publish()
}

func (e *entry) compare(ctx context.Context, began time.Time, raw []json.RawMessage, problems []string) (changed bool, err error) {
	e.applying.Lock()
	defer e.applying.Unlock()
	definitions, more := e.parse(raw)
	verdicts, err := e.manager.opts.Book.Review(ctx, e.source.Identity(), e.lister.Launch(), definitions)
	if err != nil {
		return false, err
	}
	digest := digestOf(verdicts)
	problems = slices.Concat(problems, more)
	e.mu.Lock()
	now := e.view.Load()
	if now.have && digest == e.digest {
		e.problems = problems
		e.view.Store((&view{have: true, listed: began, held: now.held}).count(verdicts))
		e.mu.Unlock()
		return false, nil
	}
	e.mu.Unlock()
	tools, held, notes := e.sort(verdicts)
	e.mu.Lock()
	e.digest, e.tools, e.problems, e.notes, e.taken = digest, tools, problems, notes, nil
	e.publishing.Store(true)
	e.view.Store((&view{have: true, listed: began, held: held}).count(verdicts))
	e.mu.Unlock()
	e.report(verdicts)
	return true, nil
}

// parse reads definitions. It leaves out invalid ones and duplicates.
func (e *entry) parse(raw []json.RawMessage) (definitions []pin.Definition, problems []string) {
	seen := make(map[string]bool, len(raw))
	definitions = make([]pin.Definition, 0, len(raw))
	for _, text := range raw {
		d, err := pin.ParseDefinition(text)
		switch {
		case err != nil:
			problems = append(problems, err.Error())
		case seen[d.Name]:
			problems = append(problems, lang.SourceListedTwice.In(e.manager.lang, d.Name))
		default:
			seen[d.Name] = true
			definitions = append(definitions, d)
		}
	}
	return definitions, problems
}

// sort divides a list into tools and those that are held back.
func (e *entry) sort(verdicts []pin.Verdict) (tools []gongu.Tool, held map[string]pin.Verdict, problems []string) {
	held = make(map[string]pin.Verdict)
	tools = make([]gongu.Tool, 0, len(verdicts))
	for _, v := range verdicts {
		tool, err := e.lister.Tool(v.Show.Raw)
		switch {
		case err != nil:
			problems = append(problems, lang.SourceBadEntry.In(e.manager.lang, v.Name, err))
		case v.Held():
			held[tool.Name] = v
		default:
			neutralise(&tool)
			tools = append(tools, tool)
		}
	}
	return tools, held, problems
}

// report logs the tools that are held back and the findings of a changed list.
func (e *entry) report(verdicts []pin.Verdict) {
	logger := e.manager.opts.Logger
	for _, v := range verdicts {
		if v.Held() {
			logger.Warn("a tool is held back", "source", v.Source, "tool", v.Name, "state", string(v.State), "changes", len(v.Changes), "findings", len(v.Findings))
			continue
		}
		for _, f := range v.Findings {
			logger.Warn("a definition has findings", "source", v.Source, "tool", v.Name, "rule", f.Rule, "severity", f.Severity.String(), "path", f.Path)
		}
	}
}

// digestOf returns a key that differs when names, states or pinned content
// differ.
func digestOf(verdicts []pin.Verdict) string {
	var out []byte
	for _, v := range verdicts {
		out = append(out, v.Name...)
		out = append(out, 0)
		out = append(out, v.State...)
		out = append(out, 0)
		out = append(out, v.Listed...)
		out = append(out, '\n')
	}
	return string(out)
}
