package pin

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// Severity is how much a finding weighs.
type Severity int

// The severities. High holds a tool back.
const (
	Low Severity = iota + 1
	Medium
	High
)

// String is the severity as a word.
func (s Severity) String() string {
	switch s {
	case High:
		return "high"
	case Medium:
		return "medium"
	default:
		return "low"
	}
}

// MarshalText writes the word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is a text that does not belong into a definition.
type Finding struct {
	Tool string `json:"tool"`
	// Path is where: description, inputSchema.properties.x.default and so on.
	Path     string   `json:"path"`
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Excerpt shows it, with what cannot be seen made visible.
	Excerpt string `json:"excerpt"`
}

// The rules of the scanner.
const (
	RuleInvisible   = "invisible"
	RuleBidi        = "bidirectional"
	RuleInstruction = "instruction"
	RuleSecret      = "secret"
	RuleEncoded     = "encoded"
	RuleShadow      = "shadow"
	RuleSplit       = "split"
	RuleImage       = "image"
)

// Scan reads every text of the definitions of a source: names, descriptions,
// schemas with their defaults and keys, annotations and what else there is; and
// then all of them as one text, because an instruction can be spread over
// several tools. known are the names of tools of other owners.
func Scan(definitions []Definition, known []string) []Finding {
	var all []Finding
	for _, findings := range scanAll(definitions, known) {
		all = append(all, findings...)
	}
	return all
}

// scanAll is Scan with the findings apart for each definition. Many definitions
// are read side by side.
func scanAll(definitions []Definition, known []string) [][]Finding {
	out := make([][]Finding, len(definitions))
	texts := make([][]place, len(definitions))
	shadows := newShadows(known)
	var all sync.WaitGroup
	share := max((len(definitions)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0), 64)
	for from := 0; from < len(definitions); from += share {
		all.Go(func() {
			for i := from; i < min(from+share, len(definitions)); i++ {
				d := definitions[i]
				texts[i] = placesOf(d)
				for _, p := range texts[i] {
					out[i] = append(out[i], scanText(d.Name, p)...)
				}
				out[i] = append(out[i], shadows.scan(d, texts[i])...)
			}
		})
	}
	all.Wait()
	for i, findings := range scanSplit(definitions, texts) {
		out[i] = append(out[i], findings...)
	}
	return out
}

func worst(findings []Finding) Severity {
	var most Severity
	for _, f := range findings {
		most = max(most, f.Severity)
	}
	return most
}

// place is a text and where it is.
type place struct {
	path, text string
	key        bool // of an object
}

// placesOf are all texts of a definition, keys of objects included.
func placesOf(d Definition) []place {
	places := []place{{path: "name", text: d.Name}, {path: "title", text: d.Title}, {path: "description", text: d.Description}}
	for _, part := range []struct {
		name string
		raw  json.RawMessage
	}{{"inputSchema", d.Input}, {"outputSchema", d.Output}, {"annotations", d.Annotations}, {"_meta", d.Meta}} {
		if len(part.raw) == 0 {
			continue
		}
		var value any
		if err := json.Unmarshal(part.raw, &value); err != nil {
			places = append(places, place{path: part.name, text: string(part.raw)})
			continue
		}
		places = appendPlaces(places, part.name, value)
	}
	var extra map[string]any
	if len(d.Extra) > 0 && json.Unmarshal(d.Extra, &extra) != nil {
		places = append(places, place{path: "(other members)", text: string(d.Extra)})
	}
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		places = append(places, place{key + " (key)", key, true})
		places = appendPlaces(places, key, extra[key])
	}
	return slices.DeleteFunc(places, func(p place) bool { return p.text == "" })
}

func appendPlaces(places []place, path string, value any) []place {
	switch value := value.(type) {
	case string:
		return append(places, place{path: path, text: value})
	case []any:
		for i, item := range value {
			places = appendPlaces(places, fmt.Sprintf("%s[%d]", path, i), item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			inner := jsonx.JoinKey(path, key)
			places = append(places, place{inner + " (key)", key, true})
			places = appendPlaces(places, inner, value[key])
		}
	}
	return places
}

// scanText applies the rules that need one text only.
func scanText(tool string, p place) []Finding {
	found := func(rule string, severity Severity, excerpt string) Finding {
		return Finding{Tool: tool, Path: p.path, Rule: rule, Severity: severity, Excerpt: shorten(excerpt)}
	}
	var out []Finding
	if at, rule := firstHidden(p.text); rule != "" {
		out = append(out, found(rule, High, around(p.text, at)))
	}
	plain := normal(p.text)
	for _, hit := range phrases.find(plain) {
		out = append(out, found(hit.rule, hit.severity, hit.text))
	}
	// The same orders in disguise; those that need none are known.
	for _, hit := range phrases.find(disguised(plain)) {
		if hit.severity >= High && !strings.Contains(plain, hit.text) {
			out = append(out, found(hit.rule, hit.severity, hit.text))
		}
	}
	if strings.Contains(plain, "http") {
		if image := imageForm().FindString(plain); image != "" {
			out = append(out, found(RuleImage, High, image))
		}
	}
	if p.key && secretParam().MatchString(snake(p.text)) {
		out = append(out, found(RuleSecret, High, p.text))
	}
	for _, hit := range encodedTexts(p.text) {
		out = append(out, found(RuleEncoded, hit.severity, hit.text))
	}
	return out
}

// around is the text near a byte offset.
func around(text string, at int) string {
	from, to := max(at-40, 0), min(at+40, len(text))
	return strings.ToValidUTF8(text[from:to], "")
}

// splitReach is more than the longest text that a phrase matches.
const splitReach = 512

// scanSplit reads the definitions as one text and reports what only that text
// has: a phrase that begins in one tool and ends in another. It looks around
// each place where one tool ends.
func scanSplit(definitions []Definition, texts [][]place) map[int][]Finding {
	var whole strings.Builder
	ends := make([]int, len(texts))
	for i, places := range texts {
		for _, p := range places {
			if p.key || p.path == "name" {
				continue // names between two halves would hide the phrase
			}
			whole.WriteString(normal(p.text))
			whole.WriteByte(' ')
		}
		ends[i] = whole.Len()
	}
	s := splits{text: whole.String(), ends: ends, found: make(map[int][]Finding)}
	for i := range phrases {
		if p := &phrases[i]; p.severity == High && p.mayMatch(s.text) {
			s.phrases = append(s.phrases, p)
		}
	}
	for i := range len(definitions) - 1 {
		s.around(definitions, i)
	}
	return s.found
}

type splits struct {
	text    string
	ends    []int     // of each definition
	phrases []*phrase // that the text can have
	found   map[int][]Finding
}

// around looks at the end of definition i.
func (s *splits) around(definitions []Definition, i int) {
	from, to := max(s.ends[i]-splitReach, 0), min(s.ends[i]+splitReach, len(s.text))
	near := s.text[from:to]
	for _, p := range s.phrases {
		if !p.mayMatch(near) {
			continue
		}
		for _, at := range p.form().FindAllStringIndex(near, -1) {
			if begin, end := from+at[0], from+at[1]; begin < s.ends[i] && end > s.ends[i] {
				s.add(definitions, begin, end)
			}
		}
	}
}

// add reports a phrase to all tools that have a part of it, once.
func (s *splits) add(definitions []Definition, from, to int) {
	first, _ := slices.BinarySearch(s.ends, from+1)
	last, _ := slices.BinarySearch(s.ends, to)
	excerpt := shorten(s.text[from:to])
	for i := first; i <= last && i < len(definitions); i++ {
		f := Finding{Tool: definitions[i].Name, Path: "description", Rule: RuleSplit, Severity: High, Excerpt: excerpt}
		if !slices.Contains(s.found[i], f) {
			s.found[i] = append(s.found[i], f)
		}
	}
}
