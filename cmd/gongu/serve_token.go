package main

import (
	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
)

// firstToken returns the line about the first token: where it is, or how to make
// one. The token itself is in it only on a terminal.
func (a *app) firstToken(f *serveFlags, s gateway.Started, file *secret.File) (string, error) {
	switch {
	case s.FirstToken != "" && file != nil:
		if err := file.Write(s.FirstToken); err != nil {
			return "", err
		}
		return lang.CLIServeTokenIn.In(a.lang, f.tokenFile), nil
	case s.FirstToken != "":
		return lang.CLIServeToken.In(a.lang, s.FirstToken), nil
	case f.tokenless:
		return lang.CLIServeNoToken.In(a.lang, a.againWords("token", "new")), nil
	}
	return "", nil
}

// tokenless reports whether clients need a token and there is none yet.
func (a *app) tokenless(f *serveFlags) (bool, error) {
	if f.noAuth {
		return false, nil
	}
	tokens, err := a.tokens()
	if err != nil {
		return false, err
	}
	list, err := tokens.List()
	return len(list) == 0, a.tokenFailed(nil, err)
}
