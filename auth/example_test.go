package auth_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
)

// exampleTokens is a file of tokens in a folder of its own.
func exampleTokens() (tokens *auth.Tokens, done func()) {
	dir, err := os.MkdirTemp("", "gongu-gate-")
	if err != nil {
		log.Fatal(err)
	}
	tokens, err = auth.OpenTokens(filepath.Join(dir, auth.TokensName), nil)
	if err != nil {
		log.Fatal(err)
	}
	return tokens, func() { _ = os.RemoveAll(dir) }
}

func ExampleNew() {
	tokens, done := exampleTokens()
	defer done()
	secret, _, err := tokens.Create(context.Background(), auth.NewToken{Name: "laptop", Grant: auth.Grant{Agents: []string{"reviewer"}}})
	if err != nil {
		log.Fatal(err)
	}
	handler, err := auth.New(auth.Options{
		Addr:   "127.0.0.1:7410",
		Tokens: tokens,
		Agent: func(r *http.Request) (string, bool) {
			return r.PathValue("agent"), r.PathValue("agent") != ""
		},
	}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello %s", gongu.PrincipalOf(r.Context()).Name)
	}))
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp/{agent}", handler)

	for _, path := range []string{"/mcp/reviewer", "/mcp/coder"} {
		r := httptest.NewRequest("POST", "http://localhost:7410"+path, nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(path, w.Code)
	}
	// Output:
	// /mcp/reviewer 200
	// /mcp/coder 403
}

func ExampleNewServer() {
	server := auth.NewServer(http.NotFoundHandler(), nil)
	fmt.Println(server.ReadHeaderTimeout, server.IdleTimeout, server.WriteTimeout)
	// Output: 10s 2m0s 0s
}

func ExampleOpenTokens() {
	tokens, done := exampleTokens()
	defer done()
	secret, err := tokens.EnsureDefault(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	id, ok, err := tokens.Identify(context.Background(), secret)
	fmt.Println(len(secret), id.Name, ok, err)
	again, err := tokens.EnsureDefault(context.Background())
	fmt.Printf("%q %v\n", again, err)
	// Output:
	// 49 default true <nil>
	// "" <nil>
}

func ExampleCheckBind() {
	err := auth.CheckBind("0.0.0.0:7410", false)
	if e, ok := errors.AsType[*auth.Error](err); ok {
		fmt.Println(e.Message("en"))
		fmt.Println(e.Hint("en"))
	}
	fmt.Println(auth.CheckBind("127.0.0.1:7410", false))
	// Output:
	// 0.0.0.0:7410 is reachable from other machines, and --no-auth turns authentication off
	// Leave out --no-auth, or listen on 127.0.0.1:7410.
	// <nil>
}

func ExampleLogins_IssueLogin() {
	logins := auth.NewLogins(nil)
	login, err := logins.IssueLogin(&gongu.Principal{Name: "kim (browser)", Kind: auth.KindSession})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(login.Path == "/login?code="+login.Code)
	// Output: true
}

func ExampleNewJWT() {
	_, err := auth.NewJWT(auth.JWTOptions{
		Issuer:   "https://login.example.com",
		Audience: []string{"https://gongu.example.com/mcp"},
	})
	fmt.Println(err)
	_, err = auth.NewJWT(auth.JWTOptions{Issuer: "https://login.example.com"})
	fmt.Println(errors.Is(err, auth.ErrInvalid))
	// Output:
	// <nil>
	// true
}
