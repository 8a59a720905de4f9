package jsonlines

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/search"
)

// MaxSearch is the longest request of [Searches] and the longest line of a file of
// tools, in bytes.
const MaxSearch = 4 << 20

// SearchHits is how many tools a search finds when it names no number. A user who
// needs more should use other words.
const SearchHits = 8

// searchRequest is a line of the protocol of --jsonl.
type searchRequest struct {
	Query   *string `json:"query"`
	K       int     `json:"k"`
	Suggest *string `json:"suggest"`
}

type searchAnswer struct {
	Names []string `json:"names"`
	Error string   `json:"error,omitempty"`
}

// Searches answers requests for tools of an index until the input ends. An invalid
// request gets an answer as well, so that the other side can count.
func Searches(ctx context.Context, in io.Reader, write Write, index *search.Index, l lang.Lang) error {
	return answer(ctx, in, MaxSearch, write, func(line []byte) any {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		return answerSearch(index, line, l)
	})
}

func answerSearch(index *search.Index, line []byte, l lang.Lang) searchAnswer {
	answer := searchAnswer{Names: []string{}}
	var ask searchRequest
	err := json.Unmarshal(line, &ask)
	switch {
	case err != nil, (ask.Query == nil) == (ask.Suggest == nil):
		answer.Error = lang.CLISearchBadRequest.In(l)
	case ask.Suggest != nil:
		answer.Names = append(answer.Names, index.Near(*ask.Suggest)...)
	default:
		k := ask.K
		if k == 0 {
			k = SearchHits
		}
		for _, hit := range index.Search(*ask.Query, k) {
			answer.Names = append(answer.Names, hit.Name)
		}
	}
	return answer
}

// toolLine is a line of a file of tools. The schema is not checked, because a
// search calls no tool.
type toolLine struct {
	Name        string       `json:"name"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Domain      string       `json:"domain"`
	Keywords    []string     `json:"keywords"`
	Parameters  gongu.Schema `json:"parameters"`
}

const toolLineExample = `{"name":"get_weather","description":"Get the weather of a city","parameters":{"type":"object"}}`

// ErrTools is the kind of every error of [ReadTools].
var ErrTools = errors.New("file of tools")

// ReadTools reads a file of tools, one on each line. The error is a [lang.Error].
func ReadTools(path string) ([]gongu.Tool, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, badTools(lang.CLISearchFile, terminal.Visible(path), fsx.Cause(err))
	}
	defer func() { _ = file.Close() }() // nothing was written
	var tools []gongu.Tool
	lines := scanner(file, MaxSearch)
	for number := 1; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var t toolLine
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, badTools(lang.CLISearchLine, number, terminal.Visible(path), err)
		}
		if t.Name == "" {
			return nil, badTools(lang.CLISearchNoName, number, terminal.Visible(path))
		}
		tools = append(tools, gongu.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description,
			Domain: t.Domain, Keywords: t.Keywords, Parameters: t.Parameters,
		})
	}
	if err := lines.Err(); err != nil {
		return nil, badTools(lang.CLISearchFile, terminal.Visible(path), fsx.Cause(err))
	}
	return tools, nil
}

func badTools(text lang.Text, args ...any) error {
	return lang.NewError(ErrTools, text.With(args...), lang.CLISearchFileHint.With(toolLineExample))
}
