package source

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/pin"
)

// entry is one source and what is known of it.
type entry struct {
	manager *Manager
	key     string
	source  gongu.Source
	lister  Lister

	mu     sync.Mutex
	flight *flight // the list that runs now
	// again says that the source announced a change while a list ran.
	again bool
	// listed is when the list that is in use was asked for.
	listed   time.Time
	have     bool // there is a list, live or from the cache
	digest   string
	tools    []gongu.Tool
	held     map[string]pin.Verdict // by our names
	problems []string
	taken    map[string]string // names that others have
	state    State
	reason   string
	success  time.Time
	latency  time.Duration
}

// flight is one list that several callers wait for.
type flight struct {
	began time.Time
	done  chan struct{}
	err   error
}

func newEntry(m *Manager, key string, lister Lister) *entry {
	return &entry{manager: m, key: key, source: lister.Source(), lister: lister, state: Idle}
}

// known says that there is a list, of today or before.
func (e *entry) known() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.have
}

// recall takes what the cache has, so that lists are complete before anything
// is reached.
func (e *entry) recall() {
	book := e.manager.opts.Book
	if book == nil {
		return
	}
	verdicts, at, known := book.Cached(e.source.Identity(), e.lister.Launch())
	if !known {
		return
	}
	tools, held, problems := e.sort(verdicts)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.have, e.listed, e.tools, e.held, e.problems = true, at, tools, held, problems
	e.digest = digestOf(verdicts)
}

// refresh makes sure that the list in use was asked for at since or later. One
// list serves all who wait for it, and ends with its own limit, not with that
// of the caller who happened to be first.
func (e *entry) refresh(ctx context.Context, since time.Time) error {
	for {
		f, mine := e.board(since)
		if f == nil {
			return nil
		}
		if mine {
			go e.fly(f)
		}
		select {
		case <-f.done:
			if mine || !f.began.Before(since) {
				return f.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// board joins the list that runs, or begins one.
func (e *entry) board(since time.Time) (f *flight, mine bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.have && e.state != Failed && !e.listed.Before(since) {
		return nil, false
	}
	if e.flight != nil {
		return e.flight, false
	}
	m := e.manager
	m.mu.Lock()
	defer m.mu.Unlock()
	e.flight = &flight{began: m.opts.Now(), done: make(chan struct{})}
	if m.closed {
		e.flight.err = context.Canceled
		close(e.flight.done)
		f, e.flight = e.flight, nil
		return f, false
	}
	m.running.Add(1)
	if !e.have {
		e.state = Connecting
	}
	return e.flight, true
}

// fly asks the source and takes in what it says.
func (e *entry) fly(f *flight) {
	m := e.manager
	defer m.running.Done()
	ctx, cancel := context.WithTimeout(context.Background(), m.opts.ListTimeout)
	defer cancel()
	definitions, problems, err := e.lister.List(ctx)
	if err == nil {
		err = e.take(ctx, f.began, definitions, problems)
	}
	took := m.opts.Now().Sub(f.began)
	e.mu.Lock()
	f.err = err
	e.flight = nil
	again := e.again
	e.again = false
	e.settle(err, took)
	close(f.done)
	e.mu.Unlock()
	if err != nil {
		m.opts.Logger.Warn("a source could not be listed", "source", e.source.Identity(), "error", err)
	}
	if again {
		e.listAgain()
	}
}

// listAgain lists in the background, once for all who ask meanwhile.
func (e *entry) listAgain() {
	e.mu.Lock()
	if e.flight != nil {
		e.again = true
		e.mu.Unlock()
		return
	}
	e.mu.Unlock()
	if f, mine := e.board(e.manager.opts.Now().Add(time.Hour)); mine {
		go e.fly(f)
	}
}

// settle is the state after a list; the caller holds the lock.
func (e *entry) settle(err error, took time.Duration) {
	l := e.manager.lang
	switch {
	case err != nil && e.have:
		e.state, e.reason = Degraded, lang.SourceKept.In(l, err)
	case err != nil:
		e.state, e.reason = Failed, err.Error()
	default:
		e.success, e.latency = e.manager.opts.Now(), took
		e.state, e.reason = e.standing()
	}
}

// standing is the state of a source whose list is good.
func (e *entry) standing() (State, string) {
	l := e.manager.lang
	switch {
	case len(e.held) > 0:
		return Quarantined, lang.SourceSomeHeld.In(l, len(e.held))
	case len(e.problems)+len(e.taken) > 0:
		return Degraded, lang.SourceProblemCount.In(l, len(e.problems)+len(e.taken))
	default:
		return Ready, ""
	}
}

// take compares a list with the pins and puts it in the place of the one
// before, in the registry too.
func (e *entry) take(ctx context.Context, began time.Time, raw []json.RawMessage, problems []string) error {
	definitions, more := e.parse(raw)
	verdicts, err := e.review(ctx, definitions)
	if err != nil {
		return err
	}
	digest := digestOf(verdicts)
	e.mu.Lock()
	same := e.have && digest == e.digest
	if same {
		e.listed = began
	}
	e.mu.Unlock()
	if same {
		return nil
	}
	tools, held, notes := e.sort(verdicts)
	e.mu.Lock()
	e.have, e.listed, e.digest, e.tools, e.held = true, began, digest, tools, held
	e.problems, e.taken = slices.Concat(problems, more, notes), nil
	e.mu.Unlock()
	e.report(verdicts)
	return e.manager.publish()
}

// parse reads definitions; one that is no definition, or listed twice, is left
// out.
func (e *entry) parse(raw []json.RawMessage) (definitions []pin.Definition, problems []string) {
	seen := make(map[string]bool, len(raw))
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

func (e *entry) review(ctx context.Context, definitions []pin.Definition) ([]pin.Verdict, error) {
	if book := e.manager.opts.Book; book != nil {
		return book.Review(ctx, e.source.Identity(), e.lister.Launch(), definitions)
	}
	verdicts := make([]pin.Verdict, 0, len(definitions))
	for _, d := range definitions {
		digest, err := d.Digest()
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, pin.Verdict{Source: e.source.Identity(), Name: d.Name, State: pin.Pinned, Listed: digest, Show: d})
	}
	return verdicts, nil
}

// sort divides a list into tools and those that are held back.
func (e *entry) sort(verdicts []pin.Verdict) (tools []gongu.Tool, held map[string]pin.Verdict, problems []string) {
	held = make(map[string]pin.Verdict)
	for _, v := range verdicts {
		tool, err := e.lister.Tool(v.Show.Raw)
		switch {
		case err != nil:
			problems = append(problems, lang.SourceBadEntry.In(e.manager.lang, v.Name, err))
		case v.Held():
			held[tool.Name] = v
		default:
			tools = append(tools, tool)
		}
	}
	return tools, held, problems
}

// report logs what is held back, once for each list that differs.
func (e *entry) report(verdicts []pin.Verdict) {
	logger := e.manager.opts.Logger
	for _, v := range verdicts {
		if v.Held() {
			logger.Warn("a tool is held back", "source", v.Source, "tool", v.Name, "state", string(v.State), "changes", len(v.Changes), "findings", len(v.Findings))
			continue
		}
		for _, f := range v.Findings {
			logger.Warn("a definition looks odd", "source", v.Source, "tool", v.Name, "rule", f.Rule, "severity", f.Severity.String(), "path", f.Path)
		}
	}
}

// offered are the tools to publish; taken names are counted anew.
func (e *entry) offered() []gongu.Tool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.taken = nil
	return e.tools
}

func (e *entry) collides(name, owner string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.taken == nil {
		e.taken = make(map[string]string)
	}
	e.taken[name] = owner
	e.state, e.reason = e.standing()
}

// digestOf tells two lists apart by what the pins cover and decide.
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
