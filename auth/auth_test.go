package auth_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
)

// arrivedAt is a request whose connection was made to an address.
func arrivedAt(t *testing.T, local, host string) *http.Request {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", local)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = host
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(addr)))
}

func TestBearer(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{Name: "laptop"}, nil)
	server := start(t, auth.Options{Tokens: tokens}, http.HandlerFunc(whoami))
	b := "Authorization: Bearer "
	for _, tc := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"right", []string{b + secret}, 200},
		{"scheme in small letters", []string{"authorization: bearer " + secret}, 200},
		{"more spaces", []string{"Authorization: Bearer   " + secret}, 200},
		{"nothing", nil, 401},
		{"empty", []string{"Authorization:"}, 401},
		{"empty token", []string{b}, 401},
		{"other scheme", []string{"Authorization: Basic " + secret}, 401},
		{"no scheme", []string{"Authorization: " + secret}, 401},
		{"twice", []string{b + secret, b + secret}, 401},
		{"wrong then right", []string{b + "gongu_x", b + secret}, 401},
		{"two in one", []string{b + secret + ", Bearer " + secret}, 401},
		{"word behind it", []string{b + secret + " x"}, 401},
		{"longer", []string{b + secret + "x"}, 401},
		{"shorter", []string{b + secret[:len(secret)-1]}, 401},
		{"other case", []string{b + strings.ToUpper(secret)}, 401},
		{"without its beginning", []string{b + strings.TrimPrefix(secret, "gongu_")}, 401},
		{"its beginning alone", []string{b + "gongu_"}, 401},
		{"quoted", []string{b + `"` + secret + `"`}, 401},
		{"null byte", []string{b + secret + "%00"}, 401},
		{"huge", []string{b + strings.Repeat("a", 20<<10)}, 401},
		{"by proxy", []string{"Proxy-Authorization: Bearer " + secret}, 401},
		{"as a cookie", []string{"Cookie: gongu_session=" + secret}, 401},
	} {
		t.Run(tc.name, func(t *testing.T) {
			resp, body := raw(t, server, lines("GET /mcp HTTP/1.1", append([]string{"Host: localhost"}, tc.headers...)...))
			if resp.StatusCode != tc.want {
				t.Fatalf("got %d, want %d: %s", resp.StatusCode, tc.want, body)
			}
			if tc.want == 200 && body != `true name=laptop kind=token agents=[] allow=[] auth=[] cookie=[]` {
				t.Errorf("got %s", body)
			}
			if challenge := resp.Header.Get("WWW-Authenticate"); tc.want == 401 &&
				(!strings.HasPrefix(challenge, "Bearer ") || !strings.Contains(challenge, `resource_metadata="http://localhost/.well-known/oauth-protected-resource"`)) {
				t.Errorf("got %s", challenge)
			}
		})
	}
	// RFC 6750 has a third way, which ends in logs.
	if resp, _ := ask(t, server, "GET", "/mcp?access_token="+secret); resp.StatusCode != 401 {
		t.Errorf("in the query: %d", resp.StatusCode)
	}
	// Headers beyond the limit never reach the gate.
	if resp, _ := raw(t, server, lines("GET /mcp HTTP/1.1", "Host: localhost", b+strings.Repeat("a", 80<<10))); resp.StatusCode != 431 {
		t.Errorf("got %d", resp.StatusCode)
	}
}

// promise V5: what a token may use is cut down to the path, else 403.
func TestV5AgentOfThePath(t *testing.T) {
	tokens, one := openTokens(t, auth.NewToken{Name: "one", Grant: auth.Grant{Agents: []string{"reviewer"}, Tools: []string{"fs__*"}}}, nil)
	all, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "all"})
	if err != nil {
		t.Fatal(err)
	}
	none, _, err := tokens.Create(t.Context(), auth.NewToken{Name: "none", Grant: auth.Grant{Agents: []string{}, Tools: []string{}}})
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, auth.Options{Tokens: tokens, Agent: agentOf}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if who := gongu.PrincipalOf(r.Context()); who != nil {
			w.Header().Set("Entered", "entered "+who.Name)
		}
		whoami(w, r)
	}))
	for _, tc := range []struct {
		token, path string
		want        int
	}{
		{one, "/mcp/reviewer", 200},
		{one, "/mcp", 403}, // all tools
		{one, "/mcp/coder", 403},
		{one, "/mcp/Reviewer", 403},
		{one, "/mcp/reviewer/x", 403},
		{one, "/mcp/reviewer%2f..%2fcoder", 403},
		{one, "/mcp/", 403},
		{one, "/api/tools", 200}, // not a path of agents
		{all, "/mcp", 200},
		{all, "/mcp/coder", 200},
		{none, "/mcp", 403},
		{none, "/mcp/reviewer", 403},
	} {
		resp, body := ask(t, server, "POST", tc.path, "Authorization", "Bearer "+tc.token)
		if resp.StatusCode != tc.want {
			t.Errorf("%s: got %d, want %d: %s", tc.path, resp.StatusCode, tc.want, body)
		}
		if tc.want == 403 && (!strings.Contains(body, "agent_refused") || !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), `Bearer error="insufficient_scope", resource_metadata="`)) {
			t.Errorf("%s: %s %v", tc.path, body, resp.Header)
		}
		if tc.want == 200 && !strings.HasPrefix(resp.Header.Get("Entered"), "entered ") {
			t.Errorf("%s: not entered", tc.path)
		}
	}
	_, body := ask(t, server, "POST", "/mcp/reviewer", "Authorization", "Bearer "+one)
	if body != `true name=one kind=token agents=["reviewer"] allow=["fs__*"] auth=[] cookie=[]` {
		t.Errorf("got %s", body)
	}
}

// promise V5: inbound Authorization is never forwarded, on no way.
func TestV5AuthorizationStaysOutside(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{}, nil)
	inner := make(chan *http.Request, 1)
	next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		buffer := make([]byte, 100)
		for {
			if _, err := r.Body.Read(buffer); err != nil {
				break
			}
		}
		inner <- r
	})
	withTokens := start(t, auth.Options{Tokens: tokens, Public: []string{"/healthz"}}, next)
	without := start(t, auth.Options{NoAuth: true}, next)
	request := func(path string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nauthorization: Bearer " + secret +
			"\r\nProxy-Authorization: Basic eDp5\r\nCookie: a=1; gongu_session=zzz; b=2\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n" +
			"2\r\n{}\r\n0\r\nAuthorization: Bearer " + secret + "\r\n\r\n"
	}
	for name, server := range map[string]*httptest.Server{"/mcp": withTokens, "/healthz": withTokens, "/": without} {
		if resp, body := raw(t, server, request(name)); resp.StatusCode != 200 {
			t.Fatalf("%s: got %d: %s", name, resp.StatusCode, body)
		}
		r := <-inner
		for _, headers := range []http.Header{r.Header, r.Trailer} {
			for key, values := range headers {
				if text := key + strings.Join(values, ""); strings.Contains(text, secret) || strings.Contains(strings.ToLower(key), "authorization") || strings.Contains(text, "zzz") {
					t.Errorf("%s: %s came through", name, key)
				}
			}
		}
		if got := r.Header.Get("Cookie"); got != "a=1; b=2" {
			t.Errorf("%s: other cookies: %q", name, got)
		}
	}
}

func TestAnonymous(t *testing.T) {
	server := start(t, auth.Options{NoAuth: true, Agent: agentOf}, http.HandlerFunc(whoami))
	for _, path := range []string{"/mcp", "/mcp/a"} {
		if _, body := ask(t, server, "GET", path, "Authorization", "Bearer x"); body != `true name=anonymous kind=anonymous agents=[] allow=[] auth=[] cookie=[]` {
			t.Errorf("got %s", body)
		}
	}
	if resp, _ := ask(t, server, "GET", "/.well-known/oauth-protected-resource"); resp.StatusCode != 404 {
		t.Errorf("nothing is protected: %d", resp.StatusCode)
	}
}

func TestPublicPaths(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{}, nil)
	server := start(t, auth.Options{Tokens: tokens, Public: []string{"/healthz"}}, http.HandlerFunc(whoami))
	for path, want := range map[string]int{
		"/healthz":                200,
		"/healthz?x=1":            200,
		"/healthz/":               401,
		"/healthz/../mcp":         401,
		"/healthzz":               401,
		"/HEALTHZ":                401,
		"//healthz":               401,
		"/healthz/%2e%2e/mcp":     401,
		"/healthz/..%2fmcp":       401,
		"/healthz/..%5cmcp":       401,
		"/healthz/%252e%252e/mcp": 401,
		"/":                       401,
	} {
		resp, body := raw(t, server, lines("GET "+path+" HTTP/1.1", "Host: localhost", "Authorization: Bearer wrong"))
		if resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, resp.StatusCode, want)
		}
		if want == 200 && body != `false name= kind= agents=[] allow=[] auth=[] cookie=[]` {
			t.Errorf("%s: %s", path, body)
		}
	}
	if resp, _ := ask(t, server, "GET", "/mcp", "Authorization", "Bearer "+secret); resp.StatusCode != 200 {
		t.Errorf("got %d", resp.StatusCode)
	}
}

// RFC 9728: each path of an agent is a resource, and its description says what
// was asked for.
func TestMetadata(t *testing.T) {
	tokens, _ := openTokens(t, auth.NewToken{}, nil)
	const well = "/.well-known/oauth-protected-resource"
	plain := start(t, auth.Options{Tokens: tokens, Agent: agentOf}, http.HandlerFunc(whoami))
	named := start(t, auth.Options{Tokens: tokens, Agent: agentOf, Resource: "https://tools.example.com/gongu/", AuthorizationServers: []string{"https://login.example.com"}}, http.HandlerFunc(whoami))
	for _, tc := range []struct {
		server     *httptest.Server
		path, want string
	}{
		{plain, well, `{"resource":"` + plain.URL + `","bearer_methods_supported":["header"],"resource_name":"gongu"}`},
		{plain, well + "/mcp", `{"resource":"` + plain.URL + `/mcp","bearer_methods_supported":["header"],"resource_name":"gongu"}`},
		{plain, well + "/mcp/a%22b", `{"resource":"` + plain.URL + `/mcp/a%22b","bearer_methods_supported":["header"],"resource_name":"gongu"}`},
		{named, well, `{"resource":"https://tools.example.com/gongu","authorization_servers":["https://login.example.com"],"bearer_methods_supported":["header"],"resource_name":"gongu"}`},
		{named, well + "/gongu/mcp/a", `{"resource":"https://tools.example.com/gongu/mcp/a","authorization_servers":["https://login.example.com"],"bearer_methods_supported":["header"],"resource_name":"gongu"}`},
	} {
		resp, body := ask(t, tc.server, "GET", tc.path)
		if resp.StatusCode != 200 || strings.TrimSpace(body) != tc.want || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %d %s", tc.path, resp.StatusCode, body)
		}
	}
	for path, want := range map[string]int{
		well + "/": 404, well + "/a/../b": 404, well + "//a": 404, well + "x": 401, well + "/" + strings.Repeat("a", 600): 404,
	} {
		if resp, _ := raw(t, plain, lines("GET "+path+" HTTP/1.1", "Host: localhost")); resp.StatusCode != want {
			t.Errorf("%s: got %d", path, resp.StatusCode)
		}
	}
	if resp, _ := ask(t, plain, "POST", well); resp.StatusCode != 405 {
		t.Errorf("got %d", resp.StatusCode)
	}
	for _, tc := range []struct {
		server     *httptest.Server
		path, want string
	}{
		{plain, "/mcp", `Bearer resource_metadata="` + plain.URL + well + `/mcp"`},
		{plain, "/mcp/a%22b", `Bearer resource_metadata="` + plain.URL + well + `/mcp/a%22b"`},
		{plain, "/other", `Bearer resource_metadata="` + plain.URL + well + `"`},
		{named, "/mcp/a", `Bearer resource_metadata="https://tools.example.com` + well + `/gongu/mcp/a"`},
	} {
		resp, _ := ask(t, tc.server, "POST", tc.path)
		if got := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != 401 || got != tc.want {
			t.Errorf("%s: got %d %s", tc.path, resp.StatusCode, got)
		}
	}
}

// Nothing that proves who somebody is, and no value of a panic, gets into the
// log.
func TestLogHasNoSecrets(t *testing.T) {
	var log logged
	tokens, secret := openTokens(t, auth.NewToken{Grant: auth.Grant{Agents: []string{"a"}}}, &auth.TokensOptions{Logger: log.logger()})
	logins := auth.NewLogins(nil)
	server := start(t, auth.Options{Tokens: tokens, Logins: logins, Agent: agentOf, Logger: log.logger()}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/value":
			panic("the password is hunter2")
		case "/runtime":
			_ = []int{}[len(r.URL.Path)]
		}
	}))
	code := issueLogin(t, logins, &gongu.Principal{Name: "kim", Kind: auth.KindSession, Agents: []string{"a"}}).Code
	wrong := secret[:len(secret)-4] + "WXYZ"
	for _, path := range []string{"/mcp/a", "/mcp/b", "/value", "/runtime", "/login?code=" + code, "/login?code=" + code} {
		for _, token := range []string{secret, wrong} {
			ask(t, server, "GET", path, "Authorization", "Bearer "+token, "X-Request-Id", secret, "Cookie", "gongu_session=cookievalue")
		}
	}
	text := log.String()
	for _, never := range []string{secret, wrong, secret[6:20], code, "hunter2", "cookievalue", "Bearer"} {
		if strings.Contains(text, never) {
			t.Errorf("the log has %q:\n%s", never, text)
		}
	}
	for _, wanted := range []string{"agent_refused", "unauthorized", "panic=string", "index out of range", "path=/value", "login code refused"} {
		if !strings.Contains(text, wanted) {
			t.Errorf("the log has no %q:\n%s", wanted, text)
		}
	}
}

// While the file cannot be trusted nobody comes in, and no client throws its
// token away.
func TestBrokenTokensLetNobodyIn(t *testing.T) {
	tokens, secret := openTokens(t, auth.NewToken{}, &auth.TokensOptions{Logger: quiet()})
	server := start(t, auth.Options{Tokens: tokens}, http.HandlerFunc(whoami))
	writeFile(t, tokens.Path(), `{"format":1,"tokens":[`)
	resp, body := ask(t, server, "GET", "/mcp", "Authorization", "Bearer "+secret)
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || strings.Contains(body, filepath.Dir(tokens.Path())) {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
}
