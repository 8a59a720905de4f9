package gateway

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/clients"
)

// Callers finds principals by the names that people use for them.
type Callers struct {
	// Tokens and Clients may be nil.
	Tokens  *auth.Tokens
	Clients *clients.Book
	// Bundle is the folder that the entries of clients are for.
	Bundle string
	// User is the name of the person at the terminal.
	User string
}

// The errors of [Callers.Named].
var (
	ErrNoCaller      = errors.New("no token, client or caller has this name")
	ErrExpiredCaller = errors.New("the token has expired")
	ErrTwoCallers    = errors.New("a token and a client have this name: use token:NAME or client:NAME")
)

// named are the callers that need neither a token nor an entry.
func (c Callers) named() map[string]*gongu.Principal {
	return map[string]*gongu.Principal{
		"terminal":  {Name: c.User, Kind: "cli", Person: true},
		"script":    {Name: c.User, Kind: "cli"},
		"stdio":     StdioPrincipal(nil, attach.Client{}),
		"anonymous": {Name: "anonymous", Kind: auth.KindAnonymous},
		"session":   {Name: "session", Kind: auth.KindSession, Person: true, Manage: access.ManageAll},
		"agent":     {Name: "agent", Kind: "agent"},
	}
}

// Named returns the principal with a name: that of a token or of a connected client,
// or one of terminal, script (a command without a terminal), stdio (a client without
// an entry), anonymous, session and agent. token:NAME and client:NAME say which. With
// the error ErrNoCaller it returns the names that there are.
func (c Callers) Named(name string) (p *gongu.Principal, names []string, err error) {
	own := c.named()
	if found := own[name]; found != nil {
		return found, nil, nil
	}
	for known := range own {
		names = append(names, known)
	}
	token, tokens, err := c.token(name)
	if err != nil {
		return nil, nil, err
	}
	client, entries, err := c.client(name)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case token != nil && client != nil:
		return nil, nil, ErrTwoCallers
	case token != nil && !token.Expires.IsZero() && !time.Now().Before(token.Expires):
		return nil, nil, ErrExpiredCaller
	case token != nil:
		return token, nil, nil
	case client != nil:
		return client, nil, nil
	}
	names = slices.Concat(names, tokens, entries)
	slices.Sort(names)
	return nil, slices.Compact(names), ErrNoCaller
}

func (c Callers) token(name string) (found *gongu.Principal, names []string, err error) {
	if c.Tokens == nil || strings.HasPrefix(name, "client:") {
		return nil, nil, nil
	}
	list, err := c.Tokens.List()
	for _, t := range list {
		names = append(names, t.Name)
		if t.Name == strings.TrimPrefix(name, "token:") {
			found = t.Principal()
		}
	}
	return found, names, err
}

func (c Callers) client(name string) (found *gongu.Principal, names []string, err error) {
	if c.Clients == nil || strings.HasPrefix(name, "token:") {
		return nil, nil, nil
	}
	entries, err := c.Clients.Of(c.Bundle)
	for known, e := range entries {
		names = append(names, known)
		if known == strings.TrimPrefix(name, "client:") {
			found = StdioPrincipal(e, attach.Client{})
		}
	}
	return found, names, err
}
