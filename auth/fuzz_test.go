package auth_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/auth"
)

// Whatever a Host header holds, only this machine passes for it.
func FuzzHost(f *testing.F) {
	for _, seed := range []string{"localhost", "localhost:80", "[::1]:80", "127.0.0.1", "LOCALHOST:1", "evil.com", "localhost@evil.com", "[::ffff:127.0.0.1]", "localhost.", "::1", "a:b:c", "[::1]]", "127.0.0.1.evil"} {
		f.Add(seed)
	}
	handler, err := auth.New(auth.Options{NoAuth: true, Addr: "127.0.0.1:7410", Logger: quiet()}, http.HandlerFunc(whoami))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, host string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		name, port, loopback, ok := auth.ParseHostPort(host)
		if (w.Code == 200) != (ok && loopback) {
			t.Fatalf("%q: %d", host, w.Code)
		}
		if !ok {
			return
		}
		if w.Code == 200 && name != "localhost" {
			if addr, err := netip.ParseAddr(name); err != nil || !addr.IsLoopback() {
				t.Fatalf("%q passes as %q", host, name)
			}
		}
		// What was read is all that was there.
		bare := strings.ToLower(strings.TrimSuffix(host, ":"+port))
		if !strings.HasPrefix(bare, "[") && bare != name {
			t.Fatalf("%q was read as %q and %q", host, name, port)
		}
		if strings.ContainsAny(name, "@/\\?# %\x00") {
			t.Fatalf("%q was read as %q", host, name)
		}
	})
}

// An Origin passes only when it is that of the Host.
func FuzzOrigin(f *testing.F) {
	for _, seed := range []string{"http://localhost:7410", "https://localhost:7410", "http://localhost:7410/", "null", "http://localhost:7410@evil", "HTTP://LOCALHOST:7410", "http://evil.com", "://", "http://"} {
		f.Add(seed)
	}
	handler, err := auth.New(auth.Options{NoAuth: true, Addr: "127.0.0.1:7410", Logger: quiet()}, http.HandlerFunc(whoami))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, origin string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = "localhost:7410"
		r.Header["Origin"] = []string{origin}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		lower := strings.ToLower(origin)
		if same := lower == "http://localhost:7410" || lower == "https://localhost:7410"; same != (w.Code == 200) {
			t.Fatalf("%q: %d", origin, w.Code)
		}
		auth.ParseOrigin(origin)
	})
}

// A token is what stands behind the one word Bearer, and nothing else.
func FuzzBearer(f *testing.F) {
	for _, seed := range []string{"Bearer x", "bearer  x", "Bearer", "Bearer ", "Basic x", "Bearer x y", "Bearer x,Bearer y", "Bearer =", "Bearer a=b", "\tBearer x", "Bearer " + strings.Repeat("a", 17<<10)} {
		f.Add(seed, "")
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		header := http.Header{"Authorization": {first}}
		if second != "" {
			header.Add("Authorization", second)
		}
		token, given, ok := auth.Bearer(header)
		if !given {
			t.Fatal("given, and not seen")
		}
		if !ok {
			if token != "" {
				t.Fatalf("%q", token)
			}
			return
		}
		scheme, rest, _ := strings.Cut(first, " ")
		if second != "" || !strings.EqualFold(scheme, "bearer") || strings.TrimLeft(rest, " ") != token ||
			token == "" || strings.ContainsAny(token, " ,;\"\t\r\n\x00") || len(token) > 16<<10 {
			t.Fatalf("%q, %q gives %q", first, second, token)
		}
	})
}

// Nobody without a key makes a token, whatever the parts are.
func FuzzJWT(f *testing.F) {
	f.Add(`{"alg":"EdDSA","kid":"d"}`, `{"iss":"x","sub":"x","aud":"gongu","exp":99999999999}`, []byte("x"))
	f.Add(`{"alg":"none"}`, `{}`, []byte{})
	f.Add(`{"alg":"ES256"}`, `{}`, make([]byte, 64))
	f.Add(`[[[[`, `{"a":`, []byte{0})
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(text(object{"keys": []object{edJWK("d", publicOf(edKey())), ecJWK("e", "P-256", &ecKey().PublicKey), rsaJWK("r", &rsaKey().PublicKey)}})))
	}))
	f.Cleanup(keys.Close)
	j, err := auth.NewJWT(auth.JWTOptions{Issuer: keys.URL, JWKS: keys.URL, Audience: []string{"gongu"}, Logger: quiet()})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, header, claims string, signature []byte) {
		for _, token := range []string{
			b64([]byte(header)) + "." + b64([]byte(claims)) + "." + b64(signature),
			header + "." + claims + "." + string(signature),
			header,
		} {
			if id, err := j.Verify(t.Context(), token); err == nil {
				t.Fatalf("%q gives %+v", token, id)
			}
		}
	})
}

// Whatever a file of tokens holds, reading it ends in tokens or an error, and a
// secret that is not in it is not good.
func FuzzTokensFile(f *testing.F) {
	f.Add(`{"format":1,"tokens":[]}`)
	f.Add(`{"format":1,"tokens":[{"name":"a","created":"2026-01-01T00:00:00Z","sha256":"8715b7b06b06d2d6b4d6e1aa6500243abc9d3c381db1dd78de33d23c55cb153a"}]}`)
	f.Add(`{"format":1,"tokens":[{"name":"a","sha256":""}]}`)
	f.Add(`{"format":1e400}`)
	f.Fuzz(func(t *testing.T, content string) {
		path := t.TempDir() + "/" + auth.TokensName
		writeFile(t, path, content)
		tokens, err := auth.OpenTokens(path, &auth.TokensOptions{Logger: quiet()})
		if err != nil {
			if err.Error() == "" || len(err.Error()) > 2000+len(content) {
				t.Fatal(err)
			}
			return
		}
		if known(t, tokens, "gongu_x") || known(t, tokens, "") {
			t.Fatal("good")
		}
	})
}
