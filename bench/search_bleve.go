package main

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
)

// bleveKind is a way to use bleve.
type bleveKind struct {
	analyzer string
	// split gives it the names as words.
	split bool
	// scorch is the engine that bleve has on disks, kept in memory; without it
	// the index is the one of NewMemOnly.
	scorch bool
}

var (
	bleveStandard = bleveKind{analyzer: standard.Name}
	bleveEnglish  = bleveKind{analyzer: en.AnalyzerName, split: true}
	bleveScorch   = bleveKind{analyzer: standard.Name, scorch: true}
	// For scores: the same as above, sooner.
	bleveScorchEnglish = bleveKind{analyzer: en.AnalyzerName, split: true, scorch: true}
)

// bleveIndex holds one field of text for each tool and stores nothing, which is
// the least that a search needs.
type bleveIndex struct {
	bleve.Index
	kind bleveKind
}

func newBleve(kind bleveKind, docs []document) (*bleveIndex, error) {
	text := bleve.NewTextFieldMapping()
	text.Analyzer = kind.analyzer
	text.Store, text.IncludeTermVectors, text.IncludeInAll, text.DocValues = false, false, false, false
	whole := bleve.NewDocumentStaticMapping()
	whole.AddFieldMappingsAt("text", text)
	mapping := bleve.NewIndexMapping()
	mapping.DefaultMapping = whole
	mapping.DefaultAnalyzer = kind.analyzer
	open := func() (bleve.Index, error) { return bleve.NewMemOnly(mapping) }
	if kind.scorch {
		open = func() (bleve.Index, error) { return bleve.NewUsing("", mapping, scorch.Name, scorch.Name, nil) }
	}
	index, err := open()
	if err != nil {
		return nil, fmt.Errorf("bleve: %w", err)
	}
	b := &bleveIndex{index, kind}
	batch := index.NewBatch()
	for i := range docs {
		if err := batch.Index(docs[i].tool.Name, b.fields(&docs[i])); err != nil {
			return nil, fmt.Errorf("bleve: %w", err)
		}
	}
	if err := index.Batch(batch); err != nil {
		return nil, fmt.Errorf("bleve: %w", err)
	}
	return b, nil
}

func (b *bleveIndex) fields(d *document) map[string]any {
	if b.kind.split {
		return map[string]any{"text": d.split}
	}
	return map[string]any{"text": d.plain}
}

func (b *bleveIndex) add(d *document) error { return b.Index.Index(d.tool.Name, b.fields(d)) }

func (b *bleveIndex) remove(name string) error { return b.Index.Delete(name) }

func (b *bleveIndex) search(query string, k int) ([]string, error) {
	match := bleve.NewMatchQuery(query)
	match.SetField("text")
	found, err := b.Index.Search(bleve.NewSearchRequestOptions(match, k, 0, false))
	if err != nil {
		return nil, fmt.Errorf("bleve: %w", err)
	}
	names := make([]string, 0, k)
	for _, hit := range found.Hits {
		names = append(names, hit.ID)
	}
	return names, nil
}

func (b *bleveIndex) close() error { return b.Index.Close() }
