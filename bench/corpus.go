package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"

	"github.com/gongu-ai/gongu"
)

// The words that the names of the made tools consist of.
var (
	verbs = []string{"get", "list", "create", "update", "delete", "search", "export", "import", "archive", "send"}
	nouns = []string{"issue", "invoice", "customer", "message", "calendar_event", "pull_request", "file", "ticket", "report", "workflow"}
)

// silence is a logger that discards everything.
func silence() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// makeTools makes tools with distinct names and distinct schemas of about
// 500 bytes, 50 to a resource.
func makeTools(n int) []gongu.Tool {
	tools := make([]gongu.Tool, n)
	for i := range tools {
		tools[i] = makeTool(i)
	}
	return tools
}

func makeTool(i int) gongu.Tool {
	verb, noun := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
	return gongu.Tool{
		Name:        fmt.Sprintf("service%d__%s_%s_%d", i/50, verb, noun, i),
		Description: fmt.Sprintf("Does %s with %s number %d.", verb, noun, i),
		Parameters: gongu.Schema(fmt.Sprintf(`{"type":"object","properties":{`+
			`"id":{"type":"string","description":"Identifier of the %[2]s, number %[1]d","minLength":1},`+
			`"limit":{"type":"integer","description":"How many at most","minimum":1,"maximum":%[3]d},`+
			`"state":{"type":"string","description":"Only those in this state","enum":["open","closed","all"]},`+
			`"labels":{"type":"array","description":"Only those with all of these labels","items":{"type":"string"}},`+
			`"notify":{"type":"boolean","description":"Whether to tell the people who follow it"}},`+
			`"required":["id"],"additionalProperties":false}`, i, noun, 100+i)),
		Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) },
	}
}

// makeRegistry registers n made tools in one batch.
func makeRegistry(n int) (*gongu.Registry, error) {
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	return registry, registry.Add(makeTools(n)...)
}

// sequenceLength is the number of names in a random sequence, a power of two.
const sequenceLength = 1 << 17

// randomNames is a long random sequence of names of n made tools. Each string
// is a copy of its own, as the name in a call is.
func randomNames(n int) []string {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	names := make([]string, n)
	for i := range names {
		names[i] = makeTool(i).Name
	}
	sequence := make([]string, sequenceLength)
	for i := range sequence {
		sequence[i] = strings.Clone(names[random.IntN(n)])
	}
	return sequence
}
