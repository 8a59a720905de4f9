package explore

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/search"
)

// Index searches in catalogs. It keeps one set of words for each content of a
// catalog, whatever the number of steps and agents that have it, so that only
// the first search in a catalog pays for reading its tools. When a registry
// changes by a few tools, the set of the old content becomes that of the new
// one. What was not used for longest is forgotten.
//
// The zero value is empty and ready. All methods may be called at the same
// time; an Index must not be copied.
type Index struct {
	mu    sync.Mutex
	views map[content]*view
	uses  uint64
	// most is how many tools are kept, keepTools if 0.
	most int
}

const (
	// keepTools is how many tools the sets hold together; a single larger
	// catalog is kept alone. A tool takes a few kilobytes.
	keepTools = 50_000
	// keepViews bounds the number of contents.
	keepViews = 128
	// A set is changed instead of rebuilt when at most this many tools
	// differ, or one in shareToChange.
	fewChanges    = 16
	shareToChange = 8
)

// content identifies the content of a catalog. The digest covers what a model
// sees of the tools, in their order; the revision covers the keywords, which only
// searches use.
type content struct {
	digest   string
	revision uint64
}

// view is a content that was searched in.
type view struct {
	content content
	ready   chan struct{} // closed once set is there, or cannot be made
	set     *set
	used    uint64
}

// Search returns the k tools of a catalog that answer a query best, best
// first. An error means that ctx ended while another search was reading the
// catalog.
func (x *Index) Search(ctx context.Context, catalog *gongu.Catalog, query string, k int) ([]search.Hit, error) {
	return x.searchFunc(ctx, catalog, query, k, catalog.Has)
}

// Warm reads a catalog ahead, so that its first search is as quick as the next.
func (x *Index) Warm(ctx context.Context, catalog *gongu.Catalog) error {
	_, err := x.find(ctx, catalog)
	return err
}

// searchFunc is Search among the tools that keep wants, which must all be in
// the catalog: a set may be changing to the next revision at this moment, and
// then has names that the caller may not see.
func (x *Index) searchFunc(ctx context.Context, catalog *gongu.Catalog, query string, k int, keep func(string) bool) ([]search.Hit, error) {
	for {
		set, err := x.find(ctx, catalog)
		if err != nil {
			return nil, err
		}
		if set != nil {
			return set.index.SearchFunc(query, k, keep), nil
		}
	}
}

// find returns the set of a catalog, or nil when building it failed.
func (x *Index) find(ctx context.Context, catalog *gongu.Catalog) (*set, error) {
	want := content{catalog.Digest(), catalog.Revision()}
	v, mine := x.view(want)
	if mine {
		x.fill(v, catalog)
		return v.set, nil
	}
	select {
	case <-v.ready:
		return v.set, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// view returns the view of a content, and whether the caller has to fill it.
func (x *Index) view(want content) (v *view, mine bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	v, ok := x.views[want]
	if !ok {
		if x.views == nil {
			x.views = map[content]*view{}
		}
		v = &view{content: want, ready: make(chan struct{})}
		x.views[want] = v
	}
	x.uses++
	v.used = x.uses
	return v, !ok
}

// fill finds or builds the set of a view. It always releases the searches that
// wait for it.
func (x *Index) fill(v *view, catalog *gongu.Catalog) {
	var filled *set
	defer func() {
		x.mu.Lock()
		v.set = filled
		if filled == nil && x.views[v.content] == v {
			delete(x.views, v.content)
		}
		x.forget(v)
		x.mu.Unlock()
		close(v.ready)
	}()
	tools := catalog.Callable()
	if same := x.share(v, tools); same != nil {
		filled = same
		return
	}
	made := x.inherit(v.content, tools)
	if made == nil {
		made = new(set)
	}
	made.become(tools)
	filled = made
}

// share returns a set that has exactly these tools already. The view holds it
// from the moment of asking, so that it is not changed under the answer; only a
// newer revision may do that, and then takes it from this view as well.
func (x *Index) share(v *view, tools []gongu.Tool) *set {
	for _, s := range x.sets() {
		if s.differences(tools, 0) == 0 && x.hold(v, s) {
			if s.differences(tools, 0) == 0 {
				return s
			}
			x.drop(v)
		}
	}
	return nil
}

// hold makes a view a user of a set that others use.
func (x *Index) hold(v *view, s *set) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, other := range x.views {
		if other.set == s {
			v.set = s
			return true
		}
	}
	return false
}

func (x *Index) drop(v *view) {
	x.mu.Lock()
	defer x.mu.Unlock()
	v.set = nil
}

// inherit returns a set that needs few changes to have these tools: the nearest
// of those that only older revisions use, which give it up.
func (x *Index) inherit(to content, tools []gongu.Tool) *set {
	most := max(fewChanges, len(tools)/shareToChange)
	var nearest *set
	for _, s := range x.sets() {
		if n := s.differences(tools, most); n <= most && x.outdated(s, to.revision) {
			nearest, most = s, n-1
		}
	}
	if nearest == nil || !x.claim(nearest, to.revision) {
		return nil
	}
	return nearest
}

// sets lists the sets in use, each once, the latest used first.
func (x *Index) sets() []*set {
	x.mu.Lock()
	defer x.mu.Unlock()
	var views []*view
	for _, v := range x.views {
		if v.set != nil {
			views = append(views, v)
		}
	}
	slices.SortFunc(views, func(a, b *view) int { return cmp.Compare(b.used, a.used) })
	var all []*set
	for _, v := range views {
		if !slices.Contains(all, v.set) {
			all = append(all, v.set)
		}
	}
	return all
}

func (x *Index) outdated(s *set, revision uint64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.isOutdated(s, revision)
}

// isOutdated says whether only views of older revisions use a set.
func (x *Index) isOutdated(s *set, revision uint64) bool {
	found := false
	for _, v := range x.views {
		if v.set != s {
			continue
		}
		if v.content.revision >= revision {
			return false
		}
		found = true
	}
	return found
}

// claim takes a set from its outdated views. It fails when another search has
// claimed or shared the set meanwhile.
func (x *Index) claim(s *set, revision uint64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.isOutdated(s, revision) {
		return false
	}
	for key, v := range x.views {
		if v.set == s {
			delete(x.views, key)
		}
	}
	return true
}

// forget drops views, the longest unused first, until the rest is within the
// bounds. The newest view stays whatever its size.
func (x *Index) forget(newest *view) {
	most := cmp.Or(x.most, keepTools)
	for {
		var oldest *view
		tools, seen := 0, map[*set]struct{}{}
		for _, v := range x.views {
			if v.set == nil {
				continue // still being made
			}
			if _, twice := seen[v.set]; !twice {
				seen[v.set] = struct{}{}
				tools += v.set.index.Len()
			}
			if v != newest && (oldest == nil || v.used < oldest.used) {
				oldest = v
			}
		}
		if oldest == nil || tools <= most && len(x.views) <= keepViews {
			return
		}
		delete(x.views, oldest.content)
	}
}
