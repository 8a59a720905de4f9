package auth

import (
	"slices"
	"time"
)

// Source says how a caller proved who it is.
type Source string

// The sources of an [Identity].
const (
	SourceToken Source = "token"
	SourceJWT   Source = "jwt"
	// SourceLogin is a person who was given a link by somebody at the machine.
	SourceLogin     Source = "login"
	SourceAnonymous Source = "anonymous"
)

// anonymousName is what everyone is called without authentication. No token
// can have it.
const anonymousName = "anonymous"

// Identity is who calls and what it may reach.
type Identity struct {
	// Name tells callers apart: the name of a token, or the issuer and the
	// subject of a JWT, which no token can be named like.
	Name string
	// Agents are those whose paths it may use. Nil is all of them and the path
	// of none; an empty list is nothing.
	Agents []string
	// Allow are globs of tools. Nil is all tools, an empty list none.
	Allow []string
	// Manage lets it decide about requests and pins. It is a person's: such an
	// identity is kept away from the paths of agents, where models are.
	Manage bool
	// Source is how it proved who it is.
	Source Source

	key   digest    // of the token, so that a session ends with it
	until time.Time // when the proof ends, or zero
}

// MayUse reports whether the path of an agent is open to the caller; "" stands
// for the path of none, which has the tools of all.
func (i Identity) MayUse(agent string) bool {
	return i.Agents == nil || agent != "" && slices.Contains(i.Agents, agent)
}

// clone keeps callers from changing what the gate holds.
func (i Identity) clone() Identity {
	i.Agents, i.Allow = slices.Clone(i.Agents), slices.Clone(i.Allow)
	return i
}
