package policy

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// limiters counts the calls of the rules that have limits, for this process.
type limiters struct {
	mu    sync.Mutex
	rules map[string]*limiter // by the digest of the rule
}

// limiter counts the calls of one rule.
type limiter struct {
	running int
	window  []time.Time // of the calls in the last Rate.In
}

func newLimiters() *limiters { return &limiters{rules: map[string]*limiter{}} }

// keep forgets the rules that are not in the list.
func (l *limiters) keep(rules []*rule) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.rules, func(digest string, _ *limiter) bool {
		return !slices.ContainsFunc(rules, func(r *rule) bool { return r.ref.Digest == digest })
	})
}

// Refusal says why a call exceeds the limits of its rule.
type Refusal struct {
	Limit string // rate or concurrent
	// After is when to try again; zero when that depends on running calls.
	After time.Duration
}

// Begin counts a call that was decided by a rule with limits. The caller calls
// end when the call has ended.
func (p *Policy) Begin(d *Decision, now time.Time) (end func(), refused *Refusal) {
	l := d.Limits
	if l.Rate.Calls == 0 && l.Concurrent == 0 {
		return func() {}, nil
	}
	p.counts.mu.Lock()
	defer p.counts.mu.Unlock()
	c := p.counts.rules[d.Rule.Digest]
	if c == nil {
		c = &limiter{}
		p.counts.rules[d.Rule.Digest] = c
	}
	if l.Concurrent > 0 && c.running >= l.Concurrent {
		return nil, &Refusal{Limit: "concurrent"}
	}
	if l.Rate.Calls > 0 {
		for len(c.window) > 0 && now.Sub(c.window[0]) >= l.Rate.In {
			c.window = c.window[1:]
		}
		if len(c.window) >= l.Rate.Calls {
			return nil, &Refusal{Limit: "rate", After: l.Rate.In - now.Sub(c.window[0])}
		}
		c.window = append(c.window, now)
	}
	c.running++
	return sync.OnceFunc(func() {
		p.counts.mu.Lock()
		defer p.counts.mu.Unlock()
		c.running--
	}), nil
}
