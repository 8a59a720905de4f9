package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	queries []string
	source  string
	// found says that the development sets are there.
	found bool
}

// searchDir is where the development sets are.
func searchDir() string { return filepath.Join("..", "..", "shared", "toolsearch", "dev") }

func newSearchCorpus(dir string) (*searchCorpus, error) {
	const each = 100 // queries of a set
	tools, err := readSearchTools(dir, "all")
	if errors.Is(err, fs.ErrNotExist) {
		c := &searchCorpus{base: makeTools(4_000), source: "made tools and requests, because the development sets are not beside the repository"}
		for i := range each * len(searchSets) {
			c.queries = append(c.queries, makeTool(i*13).Description)
		}
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	c := &searchCorpus{base: tools, source: "the development sets, English and Korean", found: true}
	sets := make([][]wish, len(searchSets))
	for i, set := range searchSets {
		if sets[i], err = readWishes(dir, set); err != nil {
			return nil, err
		}
	}
	for i := range each { // in turns, so that any stretch has all of them
		for _, wishes := range sets {
			c.queries = append(c.queries, wishes[i*len(wishes)/each].Query)
		}
	}
	return c, nil
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
