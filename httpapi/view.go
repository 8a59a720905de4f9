package httpapi

import (
	"encoding/json"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
)

// ToolView is the JSON form of a tool, in this API and in gongu tools --json.
type ToolView struct {
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description"`
	Domain      string            `json:"domain"`
	Parameters  gongu.Schema      `json:"parameters"`
	Output      gongu.Schema      `json:"output,omitempty"`
	Annotations gongu.Annotations `json:"annotations,omitzero"`
	Source      gongu.Source      `json:"source"`
	Keywords    []string          `json:"keywords,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	// Notes are the annotations of the resource that the tool is from, where
	// they are known; those above are hints about the tool.
	Notes    map[string]string `json:"resourceAnnotations,omitempty"`
	Examples []json.RawMessage `json:"examples,omitempty"`
	Tokens   int               `json:"tokens"`
}

// ViewTools returns the views of tools of a catalog. The catalog determines the
// domain of a tool without one.
func ViewTools(catalog *gongu.Catalog, tools []gongu.Tool) []ToolView {
	var place map[string]string
	views := make([]ToolView, 0, len(tools))
	for _, t := range tools {
		domain := t.Domain
		if domain == "" {
			if place == nil {
				place = placesOf(catalog)
			}
			domain = place[t.Name]
		}
		views = append(views, ToolView{
			Name: t.Name, Title: t.Title, Description: t.Description, Domain: domain,
			Parameters: t.Parameters.OrAnyObject(), Output: t.Output, Annotations: t.Annotations, Source: t.Source,
			Keywords: t.Keywords, Labels: t.Labels, Examples: t.Examples, Tokens: t.Tokens(),
		})
	}
	return views
}

// placesOf returns the domains of all tools by name.
func placesOf(catalog *gongu.Catalog) map[string]string {
	place := map[string]string{}
	for _, domain := range catalog.Domains() {
		for _, t := range inDomain(catalog, domain.Name) {
			place[t.Name] = domain.Name
		}
	}
	return place
}

// PinView is the JSON form of a pin, in this API and in gongu pins --json.
type PinView struct {
	pin.Verdict
	Held bool `json:"held"`
	// Accept is the name with the digest that accepts what is shown here.
	Accept string `json:"accept,omitempty"`
}

// ViewPins returns the views of verdicts, never nil.
func ViewPins(verdicts []pin.Verdict) []PinView {
	pins := make([]PinView, 0, len(verdicts))
	for _, v := range verdicts {
		view := PinView{Verdict: v, Held: v.Held()}
		if view.Held {
			view.Accept = v.FullName()
		}
		pins = append(pins, view)
	}
	return pins
}

// SourceView is the JSON form of a source, in this API and in gongu sources
// --json.
type SourceView struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Identity string `json:"identity"`
	State    string `json:"state"`
	Reason   string `json:"reason,omitempty"`
	Tools    int    `json:"tools"`
	// Offered of the tools are offered: here to the caller, in gongu sources to
	// clients of gongu serve.
	Offered     int       `json:"offered"`
	Held        int       `json:"held"`
	Listed      time.Time `json:"listed,omitzero"`
	LastSuccess time.Time `json:"lastSuccess,omitzero"`
	LatencyMS   float64   `json:"latencyMs"`
	// Stale means that the tools are those of an earlier list.
	Stale    bool     `json:"stale,omitempty"`
	Problems []string `json:"problems"`
}

// ViewSources returns the views of sources, never nil. Offered has the number of
// offered tools by identity.
func ViewSources(all []source.Status, offered map[string]int) []SourceView {
	views := make([]SourceView, 0, len(all))
	for _, s := range all {
		views = append(views, viewSource(s, offered))
	}
	return views
}

func viewSource(s source.Status, offered map[string]int) SourceView {
	return SourceView{
		Name: s.Name, Kind: s.Kind, Identity: s.Identity, State: string(s.State), Reason: s.Reason, Tools: s.Tools, Offered: offered[s.Identity], Held: s.Held,
		Listed: s.Listed.UTC(), LastSuccess: s.LastSuccess.UTC(), LatencyMS: float64(s.Latency.Microseconds()) / 1000, Stale: s.Stale,
		Problems: append([]string{}, s.Problems...),
	}
}
