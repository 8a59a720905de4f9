// Package search finds tools by what a model or a person says it wants to do.
//
// An [Index] holds the words of every tool in memory and is changed one tool at
// a time. A tool is found by its name, keywords, title, description, domain and
// parameters. Names fall apart into words (get_weather, getWeather, get-weather,
// weather__get); English words are reduced to their stems; Korean, which has no
// word stems to cut cheaply, and other scripts written without spaces, are read
// in overlapping pairs of syllables.
//
// How well a tool answers a query is a sum that can be followed by hand:
//
//	word:   strength(word, tool) = w / (w + 0.8), where w adds up, over the
//	        fields of the tool that have the word, the weight of the field
//	        (a name 3, a description 1.5, …), less when the field is long
//	rarity: idf(word) = ln(1 + (tools - having + ½) / (having + ½))
//	sum:    the rarity times the strength of each word of the query, plus the
//	        same sum over the one clause of the query that fits the tool best:
//	        a request of several sentences often needs several tools
//	name:   times 1 + 0.8 × the share of the tool's name, by rarity, that the
//	        best clause mentions
//
// The strength of a word in a tool depends on that tool alone: fields are long
// or short compared with a usual tool, not with the average of the index. So a
// tool is weighed once, when it is added, and adding or removing another one
// changes nothing but the rarities.
//
// The search is one of words. It does not know that a car is a vehicle, and a
// Korean query finds an English tool only through the tool's keywords.
package search

import (
	"maps"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/near"
)

// Index is a set of tools to search in. The zero value is empty and ready. All
// methods may be called at the same time; an Index must not be copied.
type Index struct {
	mu       sync.RWMutex
	slots    map[string]uint32 // by the name of the tool
	revision uint64            // counts the changes
	tools    []entry           // by slot; free ones have no name and no terms
	empty    []uint32          // free slots

	ids    map[string]uint32 // of terms, by their text
	terms  []term            // by id
	unused []uint32          // free ids

	analysis analysis  // of the tool being added; needs the write lock
	searches sync.Pool // of *ranking
}

// entry is what the index keeps of a tool.
type entry struct {
	name string
	// words are the terms of the name, each once and without a strength, and
	// then all terms, each once: together, because a search reads both.
	words []strength
	parts int // how many are of the name
}

func (e *entry) ofName() []strength { return e.words[:e.parts] }

func (e *entry) terms() []strength { return e.words[e.parts:] }

// strength says how strongly a tool has a term, or a term a tool.
type strength struct {
	id uint32 // of the term in an entry, of the tool in a term
	by float32
}

// term is a word, or a part of one, and the tools that have it, in no order.
type term struct {
	text  string
	tools []strength
}

// Add puts tools into the index, each in the place of the one with its name.
func (x *Index) Add(tools ...gongu.Tool) {
	for i := range tools {
		x.add(&tools[i])
	}
}

// add takes the lock for one tool only, so that searches never wait for a whole
// batch.
func (x *Index) add(t *gongu.Tool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.slots == nil {
		x.slots, x.ids = map[string]uint32{}, map[string]uint32{}
	}
	x.revision++
	x.remove(t.Name)
	var slot uint32
	if n := len(x.empty); n > 0 {
		slot, x.empty = x.empty[n-1], x.empty[:n-1]
	} else {
		slot = uint32(len(x.tools))
		x.tools = append(x.tools, entry{})
	}
	name := strings.Clone(t.Name)
	x.slots[name] = slot
	e := x.analyze(t)
	e.name = name
	x.tools[slot] = e
	for _, s := range e.terms() {
		list := &x.terms[s.id].tools
		*list = append(*list, strength{slot, s.by})
	}
}

// Remove takes tools out of the index; names it does not have are ignored.
func (x *Index) Remove(names ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, name := range names {
		x.remove(name)
	}
}

func (x *Index) remove(name string) {
	slot, ok := x.slots[name]
	if !ok {
		return
	}
	x.revision++
	for _, s := range x.tools[slot].terms() {
		x.unlink(s.id, slot)
	}
	x.tools[slot] = entry{}
	delete(x.slots, name)
	x.empty = append(x.empty, slot)
}

// unlink takes a tool off the list of a term, and forgets a term that no tool
// has any more.
func (x *Index) unlink(id, slot uint32) {
	t := &x.terms[id]
	last := len(t.tools) - 1
	for i := range t.tools {
		if t.tools[i].id == slot {
			t.tools[i] = t.tools[last]
			t.tools = t.tools[:last]
			break
		}
	}
	if len(t.tools) == 0 {
		delete(x.ids, t.text)
		*t = term{}
		x.unused = append(x.unused, id)
	}
}

// intern returns the id of a term, a new one when the index lacks it.
func (x *Index) intern(text []byte) uint32 {
	if id, ok := x.ids[string(text)]; ok {
		return id
	}
	t := term{text: string(text)}
	var id uint32
	if n := len(x.unused); n > 0 {
		id, x.unused = x.unused[n-1], x.unused[:n-1]
		x.terms[id] = t
	} else {
		id = uint32(len(x.terms))
		x.terms = append(x.terms, t)
	}
	x.ids[t.text] = id
	return id
}

// Len says how many tools there are.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.slots)
}

// Near returns up to three names of tools that a wrong name was probably meant
// to be, best first.
func (x *Index) Near(name string) []string {
	const most = 3
	x.mu.RLock()
	defer x.mu.RUnlock()
	return near.Names(name, maps.Keys(x.slots), most)
}
