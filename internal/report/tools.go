package report

import (
	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// ToolViews adds to the tools what the resources that they are from say.
func ToolViews(b *bundle.Bundle, catalog *gongu.Catalog, tools []gongu.Tool) []httpapi.ToolView {
	notes := resourceNotes(b)
	items := httpapi.ViewTools(catalog, tools)
	for i := range items {
		items[i].Notes = notes[items[i].Source.Identity()]
	}
	return items
}

// resourceNotes are the metadata.annotations of the resources.
func resourceNotes(b *bundle.Bundle) map[string]map[string]string {
	notes := map[string]map[string]string{}
	if b != nil {
		for _, item := range b.Items() {
			notes[item.Head().Identity()] = item.Head().Annotations
		}
	}
	return notes
}

// Tools lists tools.
func (x *Texts) Tools(items []httpapi.ToolView) string {
	rows := [][]string{{lang.CLIColumnName.In(x.Lang), lang.CLIColumnDomain.In(x.Lang), lang.CLIColumnDescription.In(x.Lang)}}
	for _, it := range items {
		rows = append(rows, []string{it.Name, it.Domain, terminal.OneLine(it.Description)})
	}
	return terminal.Table(rows)
}
