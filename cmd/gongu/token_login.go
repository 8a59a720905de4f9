package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
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
		manage, err := a.mayManage()
		if err != nil {
			return err
		}
		link, expires, err := a.loginLink(logins, running.URL, manage)
		if err != nil {
			return err
		}
		a.recordDecision(cmd.Context(), "login.new", loginSubject(manage), "")
		return a.printLogin(link, expires, manage)
	}
	return cmd
}

// mayManage reports whether a person at the terminal wants a session that
// decides. Without a terminal the session can only look; a program that gongu
// started gets none.
func (a *app) mayManage() (bool, error) {
	tty, err := openPerson()
	switch {
	case errors.Is(err, errNoTerminal):
		return false, nil
	case err == nil:
		tty.Close()
	}
	err = a.decided(lang.CLIDecideLogin.In(a.lang, a.person(true).Name))
	return err == nil, err
}

func (a *app) printLogin(link string, expires time.Time, manage bool) error {
	if a.json {
		return a.writeJSON(struct {
			URL     string    `json:"url"`
			Manage  bool      `json:"manage,omitempty"`
			Expires time.Time `json:"expires"`
		}{link, manage, expires.UTC().Truncate(time.Second)})
	}
	if _, err := fmt.Fprintln(a.stdout, link); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, lang.CLILoginOnce.In(a.lang, when(expires)))
	if manage {
		fmt.Fprintln(a.stderr, lang.CLILoginManages.In(a.lang, a.person(true).Name))
	} else {
		fmt.Fprintln(a.stderr, lang.CLILoginLooks.In(a.lang))
	}
	return nil
}

// person is the principal of a session that a link starts. Only a link for which
// a person said yes at a terminal may approve requests: a program that runs this
// command may act for a model.
func (a *app) person(manage bool) *gongu.Principal {
	p := &gongu.Principal{Name: a.userName() + " (browser)", Kind: auth.KindSession}
	if manage {
		p.Person, p.Manage = true, access.ManageAll
	}
	return p
}

// loginLink makes a link for the server whose MCP is at url.
func (a *app) loginLink(logins *auth.Logins, url string, manage bool) (link string, expires time.Time, err error) {
	login, err := logins.IssueLogin(a.person(manage))
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

// loginSubject is what a login is for, in the audit.
func loginSubject(manage bool) string {
	if manage {
		return "session that may decide"
	}
	return "session that may look"
}
