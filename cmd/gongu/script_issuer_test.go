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

// startIssuer is a team's issuer of tokens on loopback: issuer NAME. $NAME is
// its address.
func startIssuer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: issuer NAME")
	}
	public, ok := issuerKey().Public().(ed25519.PublicKey)
	if !ok {
		ts.Fatalf("the key has no public part")
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	answer := func(path string, value any) {
		raw, err := json.Marshal(value)
		ts.Check(err)
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(raw) // a client that is gone needs no answer
		})
	}
	answer("/.well-known/openid-configuration", map[string]string{"issuer": server.URL, "jwks_uri": server.URL + "/keys"})
	answer("/keys", map[string]any{"keys": []any{map[string]string{
		"kty": "OKP", "kid": "one", "crv": "Ed25519", "x": base64.RawURLEncoding.EncodeToString(public),
	}}})
	ts.Setenv(args[0], server.URL)
}

// signJWT makes a token of that issuer: jwt NAME ISSUER AUDIENCE [SUBJECT].
func signJWT(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: jwt NAME ISSUER AUDIENCE [SUBJECT]")
	}
	claims := map[string]any{"iss": args[1], "aud": args[2], "sub": strings.Join(args[3:], ""), "exp": time.Now().Add(time.Hour).Unix()}
	var parts []string
	for _, part := range []any{map[string]string{"alg": "EdDSA", "kid": "one"}, claims} {
		raw, err := json.Marshal(part)
		ts.Check(err)
		parts = append(parts, base64.RawURLEncoding.EncodeToString(raw))
	}
	text := strings.Join(parts, ".")
	ts.Setenv(args[0], text+"."+base64.RawURLEncoding.EncodeToString(ed25519.Sign(issuerKey(), []byte(text))))
}
