package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
)

// searchSets are the development sets. Their text belongs to others and lies
// beside the repository; nothing of it is printed but numbers.
var searchSets = []string{"funcchat_ko", "metatool", "seal"}

// document is a tool, and its words as the others are given them. They are laid
// out beforehand, so that nobody's clock runs while a schema is read but ours.
type document struct {
	tool gongu.Tool
	// plain has the name as it is, split has it as words.
	plain, split string
}

func documentOf(tool gongu.Tool) document {
	var text strings.Builder
	text.WriteString(tool.Description)
	if tool.Parameters != "" {
		var schema any
		if json.Unmarshal([]byte(tool.Parameters), &schema) == nil { // else it has no words
			schemaText(schema, &text)
		}
	}
	rest := " " + text.String()
	return document{tool, tool.Name + rest, splitName(tool.Name) + rest}
}

// schemaText collects the names of parameters and what describes them.
func schemaText(schema any, text *strings.Builder) {
	switch s := schema.(type) {
	case []any:
		for _, each := range s {
			schemaText(each, text)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(s)) {
			switch value := s[key].(type) {
			case string:
				if key == "title" || key == "description" {
					text.WriteString(" " + value)
				}
			case map[string]any:
				if key == "properties" {
					for _, name := range slices.Sorted(maps.Keys(value)) {
						text.WriteString(" " + splitName(name))
						schemaText(value[name], text)
					}
					continue
				}
				schemaText(value, text)
			case []any:
				if key == "enum" {
					for _, choice := range value {
						if word, ok := choice.(string); ok {
							text.WriteString(" " + word)
						}
					}
					continue
				}
				schemaText(value, text)
			}
		}
	}
}

// splitName makes words of get_weather and of getWeather.
func splitName(name string) string {
	var words strings.Builder
	small := false
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.' || r == '/':
			r = ' '
		case small && 'A' <= r && r <= 'Z':
			words.WriteByte(' ')
		}
		small = 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
		words.WriteRune(r)
	}
	return words.String()
}

// searchCorpus is what the timing is about: tools to search in, and queries.
type searchCorpus struct {
	base    []gongu.Tool
	queries []setQuery
	source  string
	// found says that the development sets are there.
	found bool
}

// setQuery is a query and the place of its set in searchSets.
type setQuery struct {
	text string
	set  int
}

// searchDir is where the development sets are.
func searchDir() string { return filepath.Join("..", "..", "shared", "toolsearch", "dev") }

// newSearchCorpus takes the queries of all sets together, in an order that has
// nothing to do with the sets and is always the same.
func newSearchCorpus(dir string) (*searchCorpus, error) {
	c := &searchCorpus{source: "the development sets, English and Korean", found: true}
	var err error
	c.base, err = readSearchTools(dir, "all")
	if errors.Is(err, fs.ErrNotExist) {
		return madeSearchCorpus(), nil
	}
	if err != nil {
		return nil, err
	}
	for i, set := range searchSets {
		wishes, err := readWishes(dir, set)
		if err != nil {
			return nil, err
		}
		for _, w := range wishes {
			c.queries = append(c.queries, setQuery{w.Query, i})
		}
	}
	c.shuffle()
	return c, nil
}

func madeSearchCorpus() *searchCorpus {
	c := &searchCorpus{base: makeTools(4_000), source: "made tools and requests, because the development sets are not beside the repository"}
	for i := range 600 {
		c.queries = append(c.queries, setQuery{makeTool(i * 13 % 4_000).Description, i % len(searchSets)})
	}
	c.shuffle()
	return c
}

func (c *searchCorpus) shuffle() {
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(c.queries), func(i, j int) {
		c.queries[i], c.queries[j] = c.queries[j], c.queries[i]
	})
}

// documents are n tools. Where there are too few, they come again under another
// name: a suffix that no query has.
func (c *searchCorpus) documents(n int) []document {
	docs := make([]document, n)
	for i := range docs {
		tool := c.base[i%len(c.base)]
		if again := i / len(c.base); again > 0 {
			tool.Name = fmt.Sprintf("%s_xq%c%c", tool.Name, 'a'+again/26, 'a'+again%26)
		}
		docs[i] = documentOf(tool)
	}
	return docs
}

func readSearchTools(dir, set string) ([]gongu.Tool, error) {
	type line struct {
		Name, Description, Domain string
		Parameters                gongu.Schema
	}
	lines, err := readLines[line](filepath.Join(dir, set, "tools.jsonl"))
	if err != nil {
		return nil, err
	}
	var tools []gongu.Tool
	seen := map[string]bool{}
	for _, l := range lines {
		if !seen[l.Name] {
			seen[l.Name] = true
			tools = append(tools, gongu.Tool{Name: l.Name, Description: l.Description, Domain: l.Domain, Parameters: l.Parameters})
		}
	}
	return tools, nil
}

func readWishes(dir, set string) ([]wish, error) {
	return readLines[wish](filepath.Join(dir, set, "queries.jsonl"))
}
