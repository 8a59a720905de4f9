package search

import (
	"slices"
	"unicode/utf8"

	"github.com/gongu-ai/gongu"
)

// field is a part of a tool that has words.
type field int

const (
	inName field = iota
	inKeywords
	inTitle
	inDescription
	inDomain
	inParameters // their names
	inDetails    // their descriptions and choices
	fields
)

// weights says how much a word counts in a field of the usual length, and how
// far a longer field thins it out: with thin 0 not at all, with 1 in proportion.
var weights = [fields]struct{ weight, thin, usual float32 }{
	inName:        {3, .4, 3},
	inKeywords:    {3, .4, 3},
	inTitle:       {1.5, .4, 3},
	inDescription: {1.5, .4, 10},
	inDomain:      {.5, .4, 3},
	inParameters:  {.5, .8, 6},
	inDetails:     {.3, .8, 40},
}

const (
	// saturation is where a word counts half of the most it can count: the
	// second mention says less than the first.
	saturation = .8
	// longestField bounds the text of a field, in bytes, and with it the time
	// that a hostile tool can cost.
	longestField = 16 << 10
)

// analysis is the work space for weighing one tool.
type analysis struct {
	words words
	key   []byte
	found [fields]struct {
		ids   []uint32 // of every term, as often as it occurs
		words int
		bytes int
	}
	parts   []uint32
	weights []float32 // by term, zero between tools
}

// analyze weighs the words of a tool. Its terms are in the index afterwards,
// and not yet linked to the tool.
func (x *Index) analyze(t *gongu.Tool) entry {
	a := &x.analysis
	a.parts = a.parts[:0]
	for f := range a.found {
		found := &a.found[f]
		found.ids, found.words, found.bytes = found.ids[:0], 0, 0
	}
	x.read(inName, t.Name)
	for _, keyword := range t.Keywords {
		x.read(inKeywords, keyword)
	}
	x.read(inTitle, t.Title)
	x.read(inDescription, t.Description)
	x.read(inDomain, t.Domain)
	readSchema(string(t.Parameters), x.read)
	parts := x.nameParts()
	return entry{words: x.weigh(parts), parts: len(parts)}
}

// read takes in a text of a field.
func (x *Index) read(f field, text string) {
	a := &x.analysis
	found := &a.found[f]
	text = text[:min(len(text), longestField-found.bytes)]
	found.bytes += len(text)
	joins := f == inName || f == inKeywords
	var before joint
	a.words.reset(text)
	for a.words.next() {
		found.words++
		w := a.words.word
		if joins {
			if joined, ok := before.join(&a.words); ok {
				found.ids = append(found.ids, x.intern(joined))
			}
		}
		// In a sentence such words are noise; in a name they may be all there is.
		isStop := stop(w)
		if isStop && f > inTitle {
			continue
		}
		a.key = parts(a.key, w, a.words.dense, func(text []byte, p part) {
			id := x.intern(text)
			found.ids = append(found.ids, id)
			if f == inName && p == whole && !isStop {
				a.parts = append(a.parts, id)
			}
		})
	}
}

// weigh turns what was found into the strength of each term, after the parts
// of the name.
func (x *Index) weigh(parts []uint32) []strength {
	a := &x.analysis
	a.weights = append(a.weights, make([]float32, len(x.terms)-len(a.weights))...)
	n := 0
	for f := range a.found {
		found, w := &a.found[f], &weights[f]
		each := w.weight / (1 - w.thin + w.thin*float32(found.words)/w.usual)
		for _, id := range found.ids {
			if a.weights[id] == 0 {
				n++
			}
			a.weights[id] += each
		}
	}
	terms := make([]strength, len(parts), len(parts)+n)
	for i, id := range parts {
		terms[i].id = id
	}
	for f := range a.found {
		for _, id := range a.found[f].ids {
			if w := a.weights[id]; w != 0 {
				terms = append(terms, strength{id, w / (w + saturation)})
				a.weights[id] = 0
			}
		}
	}
	return terms
}

// nameParts returns the terms that a query should mention to mean the tool, in the
// order of the name: ids tell what was added before.
func (x *Index) nameParts() []uint32 {
	a := &x.analysis
	each := a.parts[:0]
	for _, id := range a.parts {
		if !slices.Contains(each, id) {
			each = append(each, id)
		}
	}
	return each
}

// part says what a term is to the word it comes from, and weighs the term in a
// query.
type part uint8

const (
	whole  part = iota // the stem of a word, or a pair of syllables
	shared             // the beginning of an English word: finan(ce), finan(cial)
	single             // one syllable
	joined             // two words as one: play list, playlist
)

var partWeights = [...]float32{whole: 1, shared: .2, single: .1, joined: .3}

// sharedRunes is how many letters words must begin with alike to be a family.
const sharedRunes = 5

// loose marks the terms that are less than a word.
const loose = '\x01'

// parts calls emit for each term of a word. It changes the word, and uses key
// as work space and returns it.
func parts(key, word []byte, dense bool, emit func(text []byte, p part)) []byte {
	if dense {
		return pairs(key, word, emit)
	}
	word = stem(word)
	emit(word, whole)
	n := 0
	for i := range sharedRunes {
		_, size := utf8.DecodeRune(word[n:])
		if size == 0 {
			break
		}
		n += size
		if i == sharedRunes-1 {
			key = append(append(key[:0], loose), word[:n]...)
			emit(key, shared)
		}
	}
	return key
}

// pairs emits the pairs of syllables and the syllables of a word.
func pairs(key, word []byte, emit func(text []byte, p part)) []byte {
	_, first := utf8.DecodeRune(word)
	if first == len(word) {
		emit(word, whole)
	}
	before := 0
	for at := 0; at < len(word); {
		_, size := utf8.DecodeRune(word[at:])
		key = append(append(key[:0], loose), word[at:at+size]...)
		emit(key, single)
		if at > 0 {
			emit(word[before:at+size], whole)
		}
		before, at = at, at+size
	}
	return key
}

// joint makes one word of two neighbours: GitHub and github, play list and
// playlist are spellings of the same.
type joint struct {
	before, both []byte
	clause       int
}

// join returns the word at hand together with the one before it, when there is
// one in the same clause.
func (j *joint) join(w *words) (both []byte, ok bool) {
	if w.dense {
		j.before = j.before[:0]
		return nil, false
	}
	if ok = len(j.before) > 0 && j.clause == w.clause; ok {
		j.both = append(append(j.both[:0], j.before...), w.word...)
		both = stem(j.both)
	}
	j.before, j.clause = append(j.before[:0], w.word...), w.clause
	return both, ok
}
