package connect

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/toolrequest"
)

// ServerCost is the number of tokens that the tools of one server use in every
// turn.
type ServerCost struct {
	Name string `json:"name"`
	// Tools and Tokens are nil when the server could not be asked.
	Tools  *int   `json:"tools"`
	Tokens *int   `json:"tokens"`
	Reason string `json:"reason,omitempty"`
}

// TurnCost compares a turn with and without gongu between.
type TurnCost struct {
	Servers []ServerCost `json:"servers"`
	// Now and Behind are sums over the servers that answered.
	Now    int `json:"now"`
	Behind int `json:"behind"`
	// Mode is direct or search: what gongu shows the model.
	Mode    string `json:"mode"`
	Unknown int    `json:"unknown"`
}

// ShowBudget is the number of tokens up to which serve declares the tools
// themselves.
const ShowBudget = 10_000

// measure lists the tools of all servers concurrently. It starts them as the
// client does; the cost of a server that does not answer in time is unknown.
func (o *Options) measure(ctx context.Context, candidates []*candidate, dir string, timeout time.Duration) TurnCost {
	c := TurnCost{Servers: []ServerCost{}}
	var asked []*candidate
	for _, candidate := range candidates {
		if candidate.kind == kindServer && candidate.problem == "" {
			asked = append(asked, candidate)
			c.Servers = append(c.Servers, ServerCost{Name: candidate.from})
		}
	}
	if o.Starting != nil && len(asked) > 0 {
		o.Starting(launches(asked))
	}
	var all sync.WaitGroup
	for i, candidate := range asked {
		all.Go(func() { o.measureOne(ctx, candidate, dir, timeout, &c.Servers[i]) })
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
	if c.Now > ShowBudget {
		c.Mode, c.Behind = "search", o.searchTokens()
	}
	return c
}

// launches describe servers as they are started, without their secrets.
func launches(asked []*candidate) []Launch {
	var out []Launch
	for _, c := range asked {
		what := c.spec.URL
		if what == "" {
			what = strings.Join(append([]string{c.spec.Command}, c.spec.Args...), " ")
		}
		out = append(out, Launch{c.from, what})
	}
	return out
}

func (o *Options) measureOne(ctx context.Context, c *candidate, dir string, timeout time.Duration, cost *ServerCost) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	server, err := mcpclient.New(c.live, &mcpclient.Options{Dir: dir, Lang: string(o.Lang), Version: o.Version, Secrets: o.Secrets, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		cost.Reason = err.Error()
		return
	}
	defer server.Close()
	listing, err := server.Tools(ctx)
	if err != nil {
		cost.Reason = err.Error()
		if ctx.Err() != nil {
			cost.Reason = lang.ConnectNoAnswer.In(o.Lang, timeout)
		}
		return
	}
	tools, tokens := len(listing.Tools), 0
	for _, definition := range listing.Tools {
		tokens += definition.Tool.Tokens()
	}
	cost.Tools, cost.Tokens = &tools, &tokens
}

// searchTokens is the number of tokens of the discovery tools.
func (o *Options) searchTokens() int {
	tokens := 0
	for _, tool := range explore.Tools(&explore.Options{
		Lang: string(o.Lang), Requests: toolrequest.NewFile(toolrequest.FileName, &toolrequest.Options{Lang: string(o.Lang)}), Macros: host.CheckMacro,
	}) {
		tokens += tool.Tokens()
	}
	return tokens
}
