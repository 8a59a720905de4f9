package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tiktoken-go/tokenizer"

	"github.com/gongu-ai/gongu/builtin"
	"github.com/gongu-ai/gongu/dialect"
)

// measureTokens puts gongu's one guess of tokens beside what a tokenizer
// counts, so that a reader knows what the guess is worth. It is counting, not
// timing: the figures are the same on every machine.
func measureTokens() (section, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return section{}, fmt.Errorf("tokenizer: %w", err)
	}
	var rows strings.Builder
	for _, language := range []struct{ code, name string }{{"en", "English"}, {"ko", "Korean"}} {
		tools := builtin.All(&builtin.Options{Lang: language.code})
		guessed, counted := 0, 0
		for _, tool := range tools {
			declared, err := json.Marshal(map[string]any{
				"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters.OrAnyObject(),
			})
			if err != nil {
				return section{}, fmt.Errorf("%s: %w", tool.Name, err)
			}
			n, err := codec.Count(string(declared))
			if err != nil {
				return section{}, fmt.Errorf("%s: %w", tool.Name, err)
			}
			guessed += dialect.EstimateTokens(len(declared))
			counted += n
		}
		fmt.Fprintf(&rows, "| %d base tools in %s | %d | %d | %s |\n", len(tools), language.name, guessed, counted, times(float64(guessed)/float64(counted)))
	}
	return section{
		title: "The guess of tokens",
		text: "Budgets and costs use one guess, a token for every four bytes of the encoded declaration. Beside it, what the tokenizer o200k counts for the same JSON.\n\n" +
			"| | guess | o200k | guess to count |\n|---|---:|---:|---:|\n" + strings.TrimRight(rows.String(), "\n"),
	}, nil
}
