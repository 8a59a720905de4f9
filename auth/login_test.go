package auth_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
)

// console is a server with tokens and logins, and a clock.
type console struct {
	*httptest.Server
	tokens *auth.Tokens
	logins *auth.Logins
	secret string
	now    time.Time
}

func startConsole(t *testing.T, n auth.NewToken, opts *auth.LoginOptions) *console {
	t.Helper()
	c := &console{now: time.Now()}
	clock := func() time.Time { return c.now }
	if opts == nil {
		opts = &auth.LoginOptions{}
	}
	opts.Now = clock
	c.tokens, c.secret = openTokens(t, n, &auth.TokensOptions{Now: clock, Logger: quiet()})
	c.logins = auth.NewLogins(opts)
	c.Server = start(t, auth.Options{Tokens: c.tokens, Logins: c.logins, Agent: agentOf}, http.HandlerFunc(whoami))
	return c
}

func (c *console) issue(t *testing.T) auth.Login {
	t.Helper()
	list, err := c.tokens.List()
	if err != nil {
		t.Fatal(err)
	}
	return issueLogin(t, c.logins, &gongu.Principal{Name: list[0].Name, Kind: auth.KindSession, Agents: list[0].Agents, Expires: list[0].Expires})
}

func issueLogin(t *testing.T, logins *auth.Logins, who *gongu.Principal) auth.Login {
	t.Helper()
	login, err := logins.IssueLogin(who)
	if err != nil {
		t.Fatal(err)
	}
	return login
}

// login opens a session and returns its cookie.
func (c *console) login(t *testing.T) *http.Cookie {
	t.Helper()
	resp, body := ask(t, c.Server, "GET", c.issue(t).Path)
	if resp.StatusCode != 200 || len(resp.Cookies()) != 1 {
		t.Fatalf("got %d %s", resp.StatusCode, body)
	}
	return resp.Cookies()[0]
}

func (c *console) with(t *testing.T, cookie *http.Cookie, method, path string, more ...string) (int, string) {
	t.Helper()
	resp, body := ask(t, c.Server, method, path, append(more, "Cookie", cookie.Name+"="+cookie.Value)...)
	return resp.StatusCode, body
}

// promise V3: a one-time login code is single-use, five minutes, never the
// bearer token.
func TestV3LoginCode(t *testing.T) {
	t.Run("in memory", func(t *testing.T) { testLoginCode(t, "") })
	t.Run("in a folder", func(t *testing.T) { testLoginCode(t, filepath.Join(t.TempDir(), auth.LoginsName)) })
}

func testLoginCode(t *testing.T, dir string) {
	c := startConsole(t, auth.NewToken{Name: "me", Grant: auth.Grant{Agents: []string{"a"}}}, &auth.LoginOptions{Dir: dir})
	login := c.issue(t)
	if login.Path != "/login?code="+login.Code || !login.Expires.Equal(c.now.Add(5*time.Minute)) || len(login.Code) < 26 || strings.Contains(c.secret, login.Code) {
		t.Errorf("got %+v", login)
	}
	resp, body := ask(t, c.Server, "GET", login.Path)
	if resp.StatusCode != 200 || !strings.Contains(body, `http-equiv="refresh" content="0;url=/"`) || strings.Contains(body, login.Code) {
		t.Fatalf("got %d %s", resp.StatusCode, body)
	}
	if resp.Header.Get("Referrer-Policy") != "no-referrer" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %v", resp.Header)
	}
	cookie := resp.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Value == login.Code || cookie.Value == c.secret {
		t.Errorf("got %+v", cookie)
	}
	// The session is the identity's, and its cookie stays outside.
	if code, body := c.with(t, cookie, "GET", "/mcp/a"); code != 200 || body != `true name=me kind=session agents=["a"] allow=[] auth=[] cookie=[]` {
		t.Errorf("got %d %s", code, body)
	}
	if code, _ := c.with(t, cookie, "GET", "/mcp/b"); code != 403 {
		t.Errorf("got %d", code)
	}
	// Once.
	if resp, _ := ask(t, c.Server, "GET", login.Path); resp.StatusCode != 403 || len(resp.Cookies()) != 0 {
		t.Errorf("used twice: %d", resp.StatusCode)
	}
	// Five minutes.
	login = c.issue(t)
	c.now = c.now.Add(5*time.Minute - time.Second)
	other := c.issue(t)
	if resp, _ := ask(t, c.Server, "GET", login.Path); resp.StatusCode != 200 {
		t.Errorf("before its end: %d", resp.StatusCode)
	}
	c.now = c.now.Add(5 * time.Minute)
	if resp, _ := ask(t, c.Server, "GET", other.Path); resp.StatusCode != 403 {
		t.Errorf("after its end: %d", resp.StatusCode)
	}
	// A code is no token, and a token or a session no code.
	login = c.issue(t)
	for _, word := range []string{login.Code, cookie.Value} {
		if resp, _ := ask(t, c.Server, "GET", "/mcp/a", "Authorization", "Bearer "+word); resp.StatusCode != 401 {
			t.Errorf("a code or session as a token: %d", resp.StatusCode)
		}
	}
	for _, word := range []string{c.secret, cookie.Value, "", "x"} {
		if resp, _ := ask(t, c.Server, "GET", "/login?code="+word); resp.StatusCode != 403 {
			t.Errorf("%q as a code: %d", word, resp.StatusCode)
		}
	}
	if code, _ := c.with(t, &http.Cookie{Name: cookie.Name, Value: login.Code}, "GET", "/mcp/a"); code != 401 {
		t.Errorf("a code as a session: %d", code)
	}
}

// What looks at a link before the person does must not use it up.
func TestV3LoginIsNotUsedUpByOthers(t *testing.T) {
	c := startConsole(t, auth.NewToken{}, nil)
	login := c.issue(t)
	for _, tc := range []struct {
		method string
		header []string
		want   int
	}{
		{"HEAD", nil, 405},
		{"POST", nil, 405},
		{"GET", []string{"Sec-Purpose", "prefetch;prerender"}, 503},
		{"GET", []string{"Purpose", "prefetch"}, 503},
		{"GET", []string{"Origin", "https://evil.com"}, 403},
	} {
		if resp, _ := ask(t, c.Server, tc.method, login.Path, tc.header...); resp.StatusCode != tc.want {
			t.Errorf("%s %v: got %d", tc.method, tc.header, resp.StatusCode)
		}
	}
	if resp, _ := ask(t, c.Server, "GET", login.Path); resp.StatusCode != 200 {
		t.Errorf("got %d", resp.StatusCode)
	}
}

// A session ends with its time, its token and its owner's wish.
func TestSessionEnds(t *testing.T) {
	t.Run("time", func(t *testing.T) {
		c := startConsole(t, auth.NewToken{}, &auth.LoginOptions{SessionTime: time.Hour})
		cookie := c.login(t)
		c.now = c.now.Add(time.Hour - time.Second)
		if code, _ := c.with(t, cookie, "GET", "/mcp"); code != 200 {
			t.Errorf("got %d", code)
		}
		c.now = c.now.Add(time.Second)
		if code, _ := c.with(t, cookie, "GET", "/mcp"); code != 401 {
			t.Errorf("got %d", code)
		}
	})
	t.Run("principal expires", func(t *testing.T) {
		c := startConsole(t, auth.NewToken{Lifetime: time.Minute}, nil)
		cookie := c.login(t)
		c.now = c.now.Add(time.Minute)
		if code, _ := c.with(t, cookie, "GET", "/mcp"); code != 401 {
			t.Errorf("got %d", code)
		}
	})
	t.Run("logout", func(t *testing.T) {
		c := startConsole(t, auth.NewToken{}, nil)
		cookie := c.login(t)
		for _, tc := range []struct{ method, site string }{{"GET", "same-origin"}, {"POST", "cross-site"}, {"POST", "same-site"}} {
			if code, _ := c.with(t, cookie, tc.method, "/logout", "Sec-Fetch-Site", tc.site); code != 405 {
				t.Errorf("%v: got %d", tc, code)
			}
		}
		if code, _ := c.with(t, cookie, "GET", "/mcp"); code != 200 {
			t.Errorf("got %d", code)
		}
		if code, _ := c.with(t, cookie, "POST", "/logout", "Sec-Fetch-Site", "same-origin"); code != 204 {
			t.Errorf("got %d", code)
		}
		if code, _ := c.with(t, cookie, "GET", "/mcp"); code != 401 {
			t.Errorf("got %d", code)
		}
	})
}

// Browsers send cookies unasked, also for pages of other ports of this machine,
// which a strict cookie does not keep out.
func TestSessionAgainstForgery(t *testing.T) {
	c := startConsole(t, auth.NewToken{}, nil)
	cookie := c.login(t)
	own := c.URL
	for _, tc := range []struct {
		method  string
		headers []string
		want    int
	}{
		{"POST", []string{"Sec-Fetch-Site", "same-origin", "Origin", own}, 200},
		{"POST", []string{"Origin", own}, 200},
		{"GET", []string{"Sec-Fetch-Site", "none"}, 200},
		{"GET", []string{"Sec-Fetch-Site", "same-site"}, 200}, // a link on another page
		{"POST", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"DELETE", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"POST", []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"POST", []string{"Origin", "null"}, 403},
	} {
		if code, body := c.with(t, cookie, tc.method, "/mcp", tc.headers...); code != tc.want {
			t.Errorf("%s %v: got %d %s", tc.method, tc.headers, code, body)
		}
	}
	// A wrong token is wrong, whatever the cookie says.
	if code, _ := c.with(t, cookie, "GET", "/mcp", "Authorization", "Bearer wrong"); code != 401 {
		t.Errorf("got %d", code)
	}
}

// Codes and sessions do not pile up: the oldest makes room.
func TestSessionsAreBounded(t *testing.T) {
	c := startConsole(t, auth.NewToken{}, &auth.LoginOptions{Sessions: 2})
	var cookies []*http.Cookie
	for range 3 {
		cookies = append(cookies, c.login(t))
		c.now = c.now.Add(time.Second)
	}
	for i, want := range []int{401, 200, 200} {
		if code, _ := c.with(t, cookies[i], "GET", "/mcp"); code != want {
			t.Errorf("session %d: got %d", i, code)
		}
	}
	first := c.issue(t)
	for range 100 {
		c.now = c.now.Add(time.Second)
		c.issue(t)
	}
	last := c.issue(t)
	if resp, _ := ask(t, c.Server, "GET", first.Path); resp.StatusCode != 403 {
		t.Errorf("the oldest: %d", resp.StatusCode)
	}
	if resp, _ := ask(t, c.Server, "GET", last.Path); resp.StatusCode != 200 {
		t.Errorf("the newest: %d", resp.StatusCode)
	}
}

// Behind TLS the cookie is for TLS alone.
func TestSessionIsSecure(t *testing.T) {
	tokens, _ := openTokens(t, auth.NewToken{Name: "me"}, nil)
	logins := auth.NewLogins(nil)
	server := start(t, auth.Options{Tokens: tokens, Logins: logins, Resource: "https://gongu.example.com", Lang: "ko"}, http.HandlerFunc(whoami))
	resp, body := ask(t, server, "GET", issueLogin(t, logins, &gongu.Principal{Name: "me", Kind: auth.KindSession}).Path)
	cookie := resp.Cookies()[0]
	if !cookie.Secure || !strings.HasPrefix(cookie.Name, "__Host-") || !strings.Contains(body, `url=/"`) || !strings.Contains(body, "로그인했습니다") {
		t.Errorf("got %+v %s", cookie, body)
	}
	if resp, _ := ask(t, server, "GET", "/", "Cookie", cookie.Name+"="+cookie.Value); resp.StatusCode != 200 {
		t.Errorf("got %d", resp.StatusCode)
	}
	if resp, _ := ask(t, server, "GET", "/", "Cookie", strings.TrimPrefix(cookie.Name, "__Host-")+"="+cookie.Value); resp.StatusCode != 401 {
		t.Errorf("got %d", resp.StatusCode)
	}
}
