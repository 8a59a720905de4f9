package main

import (
	"cmp"
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
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/internal/terminal"
)

func (a *app) tokenLogin() *cobra.Command {
	var approvals bool
	cmd := &cobra.Command{
		Use:   "login [--approvals] [--json]",
		Short: lang.CLITokenLoginShort.In(a.lang),
		Long:  lang.CLITokenLoginLong.In(a.lang),
		Args:  a.noArguments,
	}
	cmd.Flags().BoolVar(&approvals, "approvals", false, lang.CLIFlagLoginApprovals.In(a.lang))
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
		manage, err := a.mayManage(approvals)
		if err != nil {
			return err
		}
		link, expires, err := a.loginLink(logins, cmp.Or(running.Public, running.URL), manage)
		if err != nil {
			return err
		}
		a.recordDecision(cmd.Context(), "login.new", loginSubject(manage), "")
		return a.printLogin(link, expires, manage)
	}
	return cmd
}

// mayManage returns what a person at the terminal wants the session to decide:
// everything, or approvals only. Without a terminal the session can only look,
// and there is none for approvals; a program that gongu started gets none.
func (a *app) mayManage(approvals bool) (manage string, err error) {
	if approvals {
		manage = access.ManageApprovals
		return manage, a.decided(lang.CLIDecideLoginApprovals.In(a.lang, a.person(manage).Name))
	}
	tty, err := terminal.Open()
	switch {
	case errors.Is(err, terminal.ErrNone):
		return "", nil
	case err == nil:
		tty.Close()
	}
	manage = access.ManageAll
	return manage, a.decided(lang.CLIDecideLogin.In(a.lang, a.person(manage).Name))
}

func (a *app) printLogin(link string, expires time.Time, manage string) error {
	if a.json {
		return a.writeJSON(struct {
			URL       string    `json:"url"`
			Manage    bool      `json:"manage,omitempty"`
			Approvals bool      `json:"approvals,omitempty"`
			Expires   time.Time `json:"expires"`
		}{link, manage == access.ManageAll, manage == access.ManageApprovals, expires.UTC().Truncate(time.Second)})
	}
	if _, err := fmt.Fprintln(a.stdout, link); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, lang.CLILoginOnce.In(a.lang, report.When(expires)))
	switch manage {
	case access.ManageAll:
		fmt.Fprintln(a.stderr, lang.CLILoginManages.In(a.lang, a.person(manage).Name))
	case access.ManageApprovals:
		fmt.Fprintln(a.stderr, lang.CLILoginApproves.In(a.lang, a.person(manage).Name))
	default:
		fmt.Fprintln(a.stderr, lang.CLILoginLooks.In(a.lang))
	}
	return nil
}

// person is the principal of a session that a link starts. Only a link for which
// a person said yes at a terminal may approve requests: a program that runs this
// command may act for a model. A session for approvals can do nothing else.
func (a *app) person(manage string) *gongu.Principal {
	p := &gongu.Principal{Name: a.userName() + " (browser)", Kind: auth.KindSession, Person: manage != "", Manage: manage}
	if manage == access.ManageApprovals {
		none := []gongu.Rule{}
		p.Allow, p.Resources, p.Prompts, p.Logs = none, none, none, none
	}
	return p
}

// loginLink makes a link for the server whose MCP is at url.
func (a *app) loginLink(logins *auth.Logins, url, manage string) (link string, expires time.Time, err error) {
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
func loginSubject(manage string) string {
	switch manage {
	case access.ManageAll:
		return "session that may decide"
	case access.ManageApprovals:
		return "session that may decide about approvals"
	}
	return "session that may look"
}
