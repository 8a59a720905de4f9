package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/schema"
)

// wish is a request with the tools that would fulfil it.
type wish struct {
	Query string
	Gold  []string
}

// corpus is the development set beside the repository, filled up with made
// tools, or made tools alone where it is not there.
func (x *exploring) corpus(p plan) ([]gongu.Tool, error) {
	dir := filepath.Join("..", "..", "shared", "toolsearch", "dev")
	tools, err := readTools(filepath.Join(dir, "all", "tools.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		x.source = "made requests for made tools, because the development sets are not beside the repository"
		x.queries = madeWishes(p)
		return makeTools(exploreTools), nil
	}
	if err != nil {
		return nil, err
	}
	x.source = "those of the development sets, English and Korean"
	for _, set := range []string{"seal", "metatool", "funcchat_ko"} {
		queries, err := readLines[wish](filepath.Join(dir, set, "queries.jsonl"))
		if err != nil {
			return nil, err
		}
		take := min(len(queries), 400)
		if p.quick {
			take = 20
		}
		for i := range take {
			x.queries = append(x.queries, queries[i*len(queries)/take])
		}
	}
	if missing := exploreTools - len(tools); missing > 0 {
		tools = append(tools, makeTools(missing)...)
	}
	return tools, nil
}

func madeWishes(p plan) []wish {
	n := 400
	if p.quick {
		n = 20
	}
	var wishes []wish
	for i := range n {
		tool := makeTool(i * exploreTools / n)
		wishes = append(wishes, wish{tool.Description, []string{tool.Name}})
	}
	return wishes
}

// readTools leaves out what a registry would refuse.
func readTools(file string) ([]gongu.Tool, error) {
	type line struct {
		Name, Description, Domain string
		Parameters                gongu.Schema
	}
	lines, err := readLines[line](file)
	if err != nil {
		return nil, err
	}
	var tools []gongu.Tool
	seen := map[string]bool{}
	for _, l := range lines {
		repaired, _ := schema.RepairTypes([]byte(l.Parameters))
		tool := gongu.Tool{
			Name: l.Name, Description: l.Description, Domain: l.Domain, Parameters: gongu.Schema(repaired),
			Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) },
		}
		if seen[l.Name] {
			continue
		}
		if !admitted(tool) {
			// One set has no schemas, but notes where they would be.
			if tool.Parameters = ""; !admitted(tool) {
				continue
			}
		}
		seen[l.Name] = true
		tools = append(tools, tool)
	}
	return tools, nil
}

func admitted(tool gongu.Tool) bool {
	return gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()}).Add(tool) == nil
}

func readLines[T any](file string) ([]T, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var x T
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		all = append(all, x)
	}
	return all, lines.Err()
}
