package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/internal/lang"
)

func (a *app) tokenLogin() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "login [--json]",
		Short: lang.CLITokenLoginShort.In(a.lang),
		Long:  lang.CLITokenLoginLong.In(a.lang),
		Args:  a.noArguments,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		running, ok := a.runningServer(cmd.Context())
		if !ok {
			return a.fail(lang.CLILoginNoServer.In(a.lang), lang.CLILoginStart.In(a.lang, a.againWords("serve")))
		}
		if running.NoAuth {
			home := strings.TrimSuffix(running.URL, "/mcp") + "/"
			return a.fail(lang.CLILoginNoAuth.In(a.lang, home), lang.CLILoginOpen.In(a.lang, home))
		}
		logins, err := a.logins()
		if err != nil {
			return err
		}
		link, expires, err := a.loginLink(logins, running.URL)
		if err != nil {
			return err
		}
		return a.printLogin(link, expires)
	}
	return cmd
}

func (a *app) printLogin(link string, expires time.Time) error {
	if a.json {
		return a.writeJSON(struct {
			URL     string    `json:"url"`
			Manage  bool      `json:"manage,omitempty"`
			Expires time.Time `json:"expires"`
		}{link, a.terminal, expires.UTC().Truncate(time.Second)})
	}
	if _, err := fmt.Fprintln(a.stdout, link); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, lang.CLILoginOnce.In(a.lang, when(expires)))
	if a.terminal {
		fmt.Fprintln(a.stderr, lang.CLILoginManages.In(a.lang, a.person().Name))
	} else {
		fmt.Fprintln(a.stderr, lang.CLILoginLooks.In(a.lang))
	}
	return nil
}

// person is the principal of a session that a link starts. Only a link made at a
// terminal may approve requests: a program that runs this command may act for a
// model.
func (a *app) person() *gongu.Principal {
	p := &gongu.Principal{Name: a.userName() + " (browser)", Kind: auth.KindSession}
	if a.terminal {
		p.Person, p.Manage = true, "all"
	}
	return p
}

// loginLink makes a link for the server whose MCP is at url.
func (a *app) loginLink(logins *auth.Logins, url string) (link string, expires time.Time, err error) {
	login, err := logins.IssueLogin(a.person())
	if err != nil {
		return "", time.Time{}, a.tokenFailed(nil, err)
	}
	return strings.TrimSuffix(url, "/mcp") + login.Path, login.Expires, nil
}

// logins are those of the server of the same bundle and state root.
func (a *app) logins() (*auth.Logins, error) {
	state, err := a.statePath()
	if err != nil {
		return nil, err
	}
	return auth.NewLogins(&auth.LoginOptions{Dir: filepath.Join(state, auth.LoginsName)}), nil
}
