package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// issuerKey is the key of the issuer of the scripts. It signs nothing else.
func issuerKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte("the issuer of the test scripts.."))
}

// issuerHandler is a team's issuer of tokens that is reached at url.
func issuerHandler(url func() string) http.Handler {
	public, _ := issuerKey().Public().(ed25519.PublicKey)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var reply any = map[string]string{"issuer": url(), "jwks_uri": url() + "/keys"}
		if r.URL.Path == "/keys" {
			reply = map[string]any{"keys": []any{map[string]string{
				"kty": "OKP", "kid": "one", "crv": "Ed25519", "x": base64.RawURLEncoding.EncodeToString(public),
			}}}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(reply) // a client that is gone needs no answer
	})
}

// newIssuer starts an issuer on loopback.
func newIssuer() *httptest.Server {
	var server *httptest.Server
	server = httptest.NewServer(issuerHandler(func() string { return server.URL }))
	return server
}

// jwtOf is a token of that issuer.
func jwtOf(issuer, audience, subject, scope string, lifetime time.Duration) string {
	claims := map[string]any{"iss": issuer, "aud": audience, "sub": subject, "exp": time.Now().Add(lifetime).Unix()}
	if scope != "" {
		claims["scope"] = scope
	}
	var parts []string
	for _, part := range []any{map[string]string{"alg": "EdDSA", "kid": "one"}, claims} {
		raw, err := json.Marshal(part)
		if err != nil {
			panic(err) // maps of texts and numbers can be encoded
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(raw))
	}
	text := strings.Join(parts, ".")
	return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(issuerKey(), []byte(text)))
}

// startIssuer is an issuer for a script: issuer NAME. $NAME is its address.
func startIssuer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: issuer NAME")
	}
	server := newIssuer()
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// signJWT makes a token of that issuer: jwt NAME ISSUER AUDIENCE [SUBJECT [SCOPES]].
func signJWT(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 5 {
		ts.Fatalf("usage: jwt NAME ISSUER AUDIENCE [SUBJECT [SCOPES]]")
	}
	args = append(args, "", "")
	ts.Setenv(args[0], jwtOf(args[1], args[2], args[3], args[4], time.Hour))
}
