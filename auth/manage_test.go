package auth_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
)

// manages answers with what a caller may decide.
func manages(w http.ResponseWriter, r *http.Request) {
	who := gongu.PrincipalOf(r.Context())
	fmt.Fprintf(w, "%s manages=%t kind=%s", who.Name, who.Manage == "all" && who.Person, who.Kind)
}

// A token that decides is a person's: it works everywhere but on the paths of
// agents, where a client would hand it to a model.
func TestManageToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	tokens, err := auth.OpenTokens(file, &auth.TokensOptions{Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	secrets, kinds := map[bool]string{}, map[bool]string{true: "all"}
	for _, manage := range []bool{false, true} {
		secret, made, err := tokens.Create(t.Context(), auth.NewToken{Name: fmt.Sprintf("m-%t", manage), Grant: auth.Grant{Manage: kinds[manage]}})
		if err != nil || made.Manage != kinds[manage] {
			t.Fatal(made, err)
		}
		secrets[manage] = secret
	}
	server := start(t, auth.Options{Tokens: tokens, Agent: agentOf}, http.HandlerFunc(manages))
	for _, c := range []struct {
		manage bool
		path   string
		status int
		body   string
	}{
		{false, "/api/v1/requests", 200, "m-false manages=false kind=token"},
		{true, "/api/v1/requests", 200, "m-true manages=true kind=token"},
		{false, "/mcp", 200, "m-false manages=false kind=token"},
		{true, "/mcp", 403, `"error":"manage_refused"`},
		{true, "/mcp/a", 403, "gongu token new"},
	} {
		resp, body := ask(t, server, "GET", c.path, "Authorization", "Bearer "+secrets[c.manage])
		if resp.StatusCode != c.status || !strings.Contains(body, c.body) {
			t.Errorf("%s, manage %t: %d %s", c.path, c.manage, resp.StatusCode, body)
		}
	}
	// Another process reads the same from the file, and only there where it was
	// said.
	again, err := auth.OpenTokens(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := again.List()
	if err != nil || len(list) != 2 || list[0].Manage != "" || list[1].Manage != "all" {
		t.Errorf("got %+v %v", list, err)
	}
}

// A link that another process of the same user made lets a browser in, as the
// person it was made for.
func TestLoginFromAnotherProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), auth.LoginsName)
	tokens, _ := openTokens(t, auth.NewToken{Name: "me"}, nil)
	server := start(t, auth.Options{Tokens: tokens, Logins: auth.NewLogins(&auth.LoginOptions{Dir: dir}), Agent: agentOf}, http.HandlerFunc(manages))
	other := auth.NewLogins(&auth.LoginOptions{Dir: dir})
	person := &gongu.Principal{Name: "kim (browser)", Person: true, Manage: "all", Kind: auth.KindSession}
	login := issueLogin(t, other, person)
	resp, body := ask(t, server, "GET", login.Path)
	if resp.StatusCode != 200 || len(resp.Cookies()) != 1 {
		t.Fatalf("got %d %s", resp.StatusCode, body)
	}
	cookie := resp.Cookies()[0].Name + "=" + resp.Cookies()[0].Value
	if resp, body := ask(t, server, "GET", "/api/v1/pins", "Cookie", cookie); resp.StatusCode != 200 || body != "kim (browser) manages=true kind=session" {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
	if resp, _ := ask(t, server, "GET", "/mcp", "Cookie", cookie); resp.StatusCode != 403 {
		t.Errorf("a person at the path of models: %d", resp.StatusCode)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("a used code is left behind: %v %v", left, err)
	}
	// The file alone is no code: it is named by the hash.
	login = issueLogin(t, other, person)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || strings.Contains(left[0].Name(), login.Code) {
		t.Fatalf("got %v %v", left, err)
	}
	name := strings.TrimSuffix(left[0].Name(), ".json")
	if resp, _ := ask(t, server, "GET", "/login?code="+name); resp.StatusCode != 403 {
		t.Errorf("the name of the file is a code: %d", resp.StatusCode)
	}
	// One that others could have written is refused, and used up.
	if err := os.Chmod(filepath.Join(dir, left[0].Name()), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if resp, _ := ask(t, server, "GET", login.Path); resp.StatusCode != 403 {
			t.Errorf("a file that others can read: %d", resp.StatusCode)
		}
	}
}

// promise V3: once means once, however many ask at the same time.
func TestV3LoginRace(t *testing.T) {
	dir := t.TempDir()
	tokens, _ := openTokens(t, auth.NewToken{Name: "me"}, nil)
	server := start(t, auth.Options{Tokens: tokens, Logins: auth.NewLogins(&auth.LoginOptions{Dir: dir})}, http.HandlerFunc(manages))
	login := issueLogin(t, auth.NewLogins(&auth.LoginOptions{Dir: dir}), &gongu.Principal{Name: "kim", Kind: auth.KindSession})
	var let atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if resp, _ := ask(t, server, "GET", login.Path); resp.StatusCode == 200 {
				let.Add(1)
			}
		})
	}
	all.Wait()
	if let.Load() != 1 {
		t.Errorf("%d sessions of one code", let.Load())
	}
}

// Codes that nobody used do not pile up, and a folder that cannot be written is
// said so.
func TestLoginFolder(t *testing.T) {
	dir := t.TempDir()
	logins := auth.NewLogins(&auth.LoginOptions{Dir: dir})
	for range 110 {
		issueLogin(t, logins, &gongu.Principal{Name: "kim", Kind: auth.KindSession})
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 100 {
		t.Errorf("%d codes wait, %v", len(left), err)
	}
	long := time.Now().Add(-time.Hour)
	for _, e := range left {
		if err := os.Chtimes(filepath.Join(dir, e.Name()), long, long); err != nil {
			t.Fatal(err)
		}
	}
	issueLogin(t, logins, &gongu.Principal{Name: "kim", Kind: auth.KindSession})
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d codes wait, %v", len(left), err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = auth.NewLogins(&auth.LoginOptions{Dir: filepath.Join(file, "below")}).IssueLogin(&gongu.Principal{Name: "kim"})
	if err == nil || !strings.Contains(err.Error(), "--state-root") {
		t.Errorf("got %v", err)
	}
}
