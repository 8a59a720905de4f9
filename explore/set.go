package explore

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/search"
)

// set is the tools of one or more equal contents, ready to be searched.
type set struct {
	index search.Index

	mu    sync.Mutex
	words map[string]words // by the name of the tool
}

// words has the fields of a tool that a search reads. The texts are the registry's own, so
// that comparing those of a tool that has not changed reads none of them.
type words struct {
	title, description, domain string
	parameters                 gongu.Schema
	keywords                   []string
}

// wordsOf puts a tool without a domain where the catalog does, near enough for
// a search.
func wordsOf(t *gongu.Tool) words {
	return words{t.Title, t.Description, cmp.Or(t.Domain, t.Source.Name), t.Parameters, t.Keywords}
}

func (w words) equal(other words) bool {
	return w.title == other.title && w.description == other.description && w.domain == other.domain &&
		w.parameters == other.parameters && slices.Equal(w.keywords, other.keywords)
}

// differences counts the tools to add, change or remove, up to one more than
// most.
func (s *set) differences(tools []gongu.Tool, most int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, kept := 0, 0
	for i := range tools {
		had, ok := s.words[tools[i].Name]
		if ok {
			kept++
		}
		if !ok || !had.equal(wordsOf(&tools[i])) {
			n++
		}
		if n > most {
			return n
		}
	}
	return n + len(s.words) - kept
}

// become makes the set one of exactly these tools.
func (s *set) become(tools []gongu.Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words == nil {
		s.words = make(map[string]words, len(tools))
	}
	kept := make(map[string]struct{}, len(tools))
	for i := range tools {
		t := &tools[i]
		kept[t.Name] = struct{}{}
		w := wordsOf(t)
		if had, ok := s.words[t.Name]; ok && had.equal(w) {
			continue
		}
		s.index.Add(gongu.Tool{
			Name: t.Name, Title: w.title, Description: w.description, Domain: w.domain,
			Parameters: w.parameters, Keywords: w.keywords,
		})
		s.words[t.Name] = w
	}
	for name := range s.words {
		if _, ok := kept[name]; !ok {
			s.index.Remove(name)
			delete(s.words, name)
		}
	}
}

// Rule selects the discovery tools of this package, and no tool of the same
// names from elsewhere.
func Rule() gongu.Rule {
	return gongu.Rule{Domain: Domain, Source: gongu.Source{Type: "go", Name: "explore"}.Identity()}
}
