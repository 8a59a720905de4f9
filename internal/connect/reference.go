package connect

import (
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/mcpclient"
)

// settleReferences asks a person once whether the servers may have the values
// that the file refers to: the file may be a stranger's, and a reference can name
// every variable and file of the user. Without a yes the references are written
// as text. Those that the bundle already has were accepted before.
func (o *Options) settleReferences(p *importPlan, candidates []*candidate, vars *variables) {
	var open []*candidate
	names := map[string]bool{}
	for _, c := range candidates {
		found := referencesOf(c.live)
		if c.problem != "" || c.kind != kindServer || len(found) == 0 || p.alreadyHas(c) {
			continue
		}
		open = append(open, c)
		for _, name := range found {
			names[name] = true
		}
	}
	if len(open) == 0 {
		return
	}
	listed := slices.Sorted(maps.Keys(names))
	accepted := !p.report.DryRun && o.Accept != nil && o.Accept(p.report.From, listed)
	if !accepted {
		p.report.Literal = listed
	}
	for _, c := range open {
		live := c.live
		c.live = literal(live)
		c.write(vars)
		if accepted {
			c.accepted = p.alreadyHas(c) // as text
			c.live = live
			c.write(vars)
		}
	}
}

func (p *importPlan) alreadyHas(c *candidate) bool {
	owner := p.target.owner(c.name)
	return owner != nil && c.sameAs(owner)
}

// referencesOf lists what the texts of a server refer to, without defaults.
func referencesOf(c mcpclient.Config) []string {
	var found []string
	eachText(&c, func(text string) string {
		for _, reference := range secret.References(text) {
			name, _, _ := strings.Cut(reference, ":-")
			found = append(found, name)
		}
		return text
	})
	return found
}

// literal returns a configuration whose references are text.
func literal(c mcpclient.Config) mcpclient.Config {
	eachText(&c, secret.Literal)
	return c
}

// eachText replaces every text of a configuration that is expanded when the
// server is started. The original keeps its own.
func eachText(c *mcpclient.Config, change func(string) string) {
	c.Command, c.Cwd, c.URL = change(c.Command), change(c.Cwd), change(c.URL)
	c.Args = slices.Clone(c.Args)
	for i := range c.Args {
		c.Args[i] = change(c.Args[i])
	}
	c.Env, c.Headers = maps.Clone(c.Env), maps.Clone(c.Headers)
	for _, settings := range []map[string]string{c.Env, c.Headers} {
		for name := range settings {
			settings[name] = change(settings[name])
		}
	}
	if c.OAuth != nil {
		own := *c.OAuth
		own.ClientID, own.ClientSecret = change(own.ClientID), change(own.ClientSecret)
		c.OAuth = &own
	}
}
