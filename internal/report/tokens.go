package report

import (
	"cmp"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// NewToken shows what a new token allows.
func (x *Texts) NewToken(n auth.NewToken) string {
	expires := "-"
	if n.Lifetime > 0 {
		expires = n.Lifetime.String()
	}
	return terminal.Table([][]string{
		{
			lang.CLIColumnName.In(x.Lang), lang.CLIColumnAgents.In(x.Lang), lang.CLIColumnAllowed.In(x.Lang), lang.CLIColumnAlso.In(x.Lang),
			lang.CLIColumnManages.In(x.Lang), lang.CLIColumnExpires.In(x.Lang),
		},
		{terminal.Visible(n.Name), x.those(n.Agents), x.toolsOf(n.Grant), also(n.Grant), cmp.Or(n.Manage, "-"), expires},
	})
}

// Tokens lists tokens.
func (x *Texts) Tokens(list []auth.Token) string {
	rows := [][]string{{
		lang.CLIColumnName.In(x.Lang), lang.CLIColumnAgents.In(x.Lang), lang.CLIColumnAllowed.In(x.Lang), lang.CLIColumnAlso.In(x.Lang), lang.CLIColumnManages.In(x.Lang),
		lang.CLIColumnMade.In(x.Lang), lang.CLIColumnExpires.In(x.Lang), lang.CLIColumnLastUsed.In(x.Lang),
	}}
	for _, t := range list {
		expires := When(t.Expires)
		if t.Expired(time.Now()) {
			expires = lang.CLITokenExpired.In(x.Lang, expires)
		}
		rows = append(rows, []string{
			t.Name, x.those(t.Agents), x.toolsOf(t.Grant), also(t.Grant), cmp.Or(t.Manage, "-"), When(t.Created), expires, When(t.LastUsed),
		})
	}
	return terminal.Table(rows)
}

// toolsOf are the tools that a token is for.
func (x *Texts) toolsOf(g auth.Grant) string {
	if !g.ReadOnly {
		return x.those(g.Tools)
	}
	return terminal.Visible(strings.Join(append([]string{lang.CLITokenReadOnly.In(x.Lang)}, g.Tools...), ","))
}

// also is what a token has beside tools, in the words of the flags.
func also(g auth.Grant) string {
	var words []string
	for _, list := range []struct {
		name  string
		items []string
	}{{"ask", g.Ask}, {"resources", g.Resources}, {"prompts", g.Prompts}, {"logs", g.Logs}} {
		if len(list.items) > 0 {
			words = append(words, list.name+"="+strings.Join(list.items, ","))
		}
	}
	if g.Sampling {
		words = append(words, "sampling")
	}
	if g.Attended {
		words = append(words, "attended")
	}
	return cmp.Or(terminal.Visible(strings.Join(words, " ")), "-")
}

// those are what a token is for; no list is everything, an empty one nothing.
func (x *Texts) those(list []string) string {
	switch {
	case list == nil:
		return lang.CLITokenAll.In(x.Lang)
	case len(list) == 0:
		return lang.CLITokenNothing.In(x.Lang)
	}
	return terminal.Visible(strings.Join(list, ","))
}
