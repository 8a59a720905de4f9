package main

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/toolrequest"
)

// serverCost is what the tools of one server take of a model's context in
// every turn.
type serverCost struct {
	Name string `json:"name"`
	// Tools and Tokens are nil when the server could not be asked.
	Tools  *int   `json:"tools"`
	Tokens *int   `json:"tokens"`
	Reason string `json:"reason,omitempty"`
}

// turnCost compares a turn with and without gongu between.
type turnCost struct {
	Servers []serverCost `json:"servers"`
	// Now and Behind are sums over the servers that answered.
	Now    int `json:"now"`
	Behind int `json:"behind"`
	// Mode is direct or search: what gongu shows the model.
	Mode    string `json:"mode"`
	Unknown int    `json:"unknown"`
}

// showBudget is up to where serve shows the tools themselves.
const showBudget = 10_000

// measure asks all servers for their tools, side by side. They run as the
// client runs them; a server that does not answer in time is unknown.
func (a *app) measure(ctx context.Context, candidates []*candidate, dir string, timeout time.Duration) turnCost {
	c := turnCost{Servers: []serverCost{}}
	var asked []*candidate
	for _, candidate := range candidates {
		if candidate.kind == kindServer && candidate.problem == "" {
			asked = append(asked, candidate)
			c.Servers = append(c.Servers, serverCost{Name: candidate.from})
		}
	}
	var all sync.WaitGroup
	for i, candidate := range asked {
		all.Go(func() { a.measureOne(ctx, candidate, dir, timeout, &c.Servers[i]) })
	}
	all.Wait()
	for _, s := range c.Servers {
		if s.Tokens == nil {
			c.Unknown++
			continue
		}
		c.Now += *s.Tokens
	}
	c.Mode, c.Behind = "direct", c.Now
	if c.Now > showBudget {
		c.Mode, c.Behind = "search", a.searchTokens()
	}
	return c
}

func (a *app) measureOne(ctx context.Context, c *candidate, dir string, timeout time.Duration, cost *serverCost) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	server, err := mcpclient.New(c.live, &mcpclient.Options{Dir: dir, Lang: string(a.lang), Version: version, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		cost.Reason = err.Error()
		return
	}
	defer server.Close()
	listing, err := server.Tools(ctx)
	if err != nil {
		cost.Reason = err.Error()
		if ctx.Err() != nil {
			cost.Reason = lang.ConnectNoAnswer.In(a.lang, timeout)
		}
		return
	}
	tools, tokens := len(listing.Tools), 0
	for _, definition := range listing.Tools {
		tokens += definition.Tool.Tokens()
	}
	cost.Tools, cost.Tokens = &tools, &tokens
}

// searchTokens is what the tools take that find and call all others.
func (a *app) searchTokens() int {
	tokens := 0
	for _, tool := range explore.Tools(&explore.Options{
		Lang: string(a.lang), Requests: toolrequest.NewFile(toolrequest.FileName, &toolrequest.Options{Lang: string(a.lang)}), Macros: host.CheckMacro,
	}) {
		tokens += tool.Tokens()
	}
	return tokens
}

// costText is the comparison for a person.
func (a *app) costText(c turnCost) string {
	rows := [][]string{{lang.ConnectColumnServer.In(a.lang), lang.CLIColumnTools.In(a.lang), lang.CLIColumnTokens.In(a.lang), ""}}
	for _, s := range c.Servers {
		row := []string{visible(s.Name), "-", lang.ConnectUnknown.In(a.lang), oneLine(visible(s.Reason))}
		if s.Tokens != nil {
			row[1], row[2] = strconv.Itoa(*s.Tools), strconv.Itoa(*s.Tokens)
		}
		rows = append(rows, row)
	}
	text := lang.ConnectBehindDirect
	if c.Mode == "search" {
		text = lang.ConnectBehindSearch
	}
	out := trimLines(table(rows, 1, 2)) + "\n"
	if c.Unknown < len(c.Servers) {
		out += text.In(a.lang, c.Now, c.Behind) + "\n"
	}
	if c.Unknown > 0 {
		out += lang.ConnectUnknownMore.In(a.lang, c.Unknown) + "\n"
	}
	return out
}
