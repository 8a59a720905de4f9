package httpapi

import (
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
)

// maxPresent bounds the sessions whose last use is kept.
const maxPresent = 1000

// presence is when the sessions of people were last recorded as present. A
// session has one principal, whose pointer names it.
type presence struct {
	mu   sync.Mutex
	last map[*gongu.Principal]time.Time
}

// due reports whether a session is to be recorded again.
func (p *presence) due(who *gongu.Principal, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last, known := p.last[who]; known && now.Sub(last) < presenceInterval {
		return false
	}
	if p.last == nil || len(p.last) >= maxPresent {
		p.last = map[*gongu.Principal]time.Time{}
	}
	p.last[who] = now
	return true
}
