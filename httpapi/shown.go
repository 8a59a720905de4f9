package httpapi

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/toolrequest"
)

// maxShownRequests bounds the memory of what was shown.
const maxShownRequests = 1000

// shownRequests remembers the requests that this process showed, by digest, to
// say what differs when one was changed before it was approved.
type shownRequests struct {
	mu  sync.Mutex
	all map[string]json.RawMessage
}

func (s *shownRequests) add(r toolrequest.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil || len(s.all) >= maxShownRequests {
		s.all = make(map[string]json.RawMessage)
	}
	s.all[r.Digest()] = r.Content()
}

// difference is a hint: what differs between the request with a digest and now,
// or to look again when that is not known.
func (s *shownRequests) difference(digest string, now toolrequest.Request) lang.Message {
	s.mu.Lock()
	was, ok := s.all[digest]
	s.mu.Unlock()
	changes := pin.DiffJSON(was, now.Content())
	if !ok || len(changes) == 0 {
		return lang.APILookAgain.With()
	}
	lines := make([]string, len(changes))
	for i, change := range changes {
		lines[i] = change.String()
	}
	return lang.APIRequestDiffers.With(strings.Join(lines, "\n"))
}
