package auth_test

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/auth"
)

// allKeys is an issuer with a key of each kind.
func allKeys(t *testing.T) *issuer {
	t.Helper()
	return newIssuer(t, rsaJWK("r", &rsaKey().PublicKey), ecJWK("e", "P-256", &ecKey().PublicKey), edJWK("d", publicOf(edKey())))
}

func TestJWTAlgorithms(t *testing.T) {
	i := allKeys(t)
	j := i.verifier(t, nil)
	for name, token := range map[string]string{
		"RS256":          sign(`{"alg":"RS256","kid":"r","typ":"JWT"}`, i.claims(nil), rs256(rsaKey())),
		"PS256":          sign(`{"alg":"PS256","kid":"r","typ":"at+jwt"}`, i.claims(nil), ps256(rsaKey())),
		"ES256":          sign(`{"alg":"ES256","kid":"e","typ":"application/at+JWT"}`, i.claims(nil), es256(ecKey())),
		"EdDSA":          sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(nil), eddsa(edKey())),
		"no kid":         sign(`{"alg":"ES256"}`, i.claims(nil), es256(ecKey())),
		"many audiences": sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(object{"aud": []string{"x", "gongu"}}), eddsa(edKey())),
		"fractions":      sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(object{"exp": float64(i.now.Unix()) + 300.5}), eddsa(edKey())),
		"no nbf and iat": sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(object{"nbf": nil, "iat": nil}), eddsa(edKey())),
		"leeway exp":     sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(object{"exp": i.now.Unix() - 20}), eddsa(edKey())),
		"leeway nbf":     sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(object{"nbf": i.now.Unix() + 20}), eddsa(edKey())),
	} {
		t.Run(name, func(t *testing.T) {
			id, err := j.Verify(t.Context(), token)
			if err != nil || id.Name != i.URL+"#kim" || id.Kind != auth.KindOIDC || id.Agents != nil || !cmp.Equal(id.Allow, access.ReadOnlyAnd(nil)) {
				t.Errorf("got %+v, %v", id, err)
			}
		})
	}
}

// Every token here was accepted by some library once.
func TestJWTHostile(t *testing.T) {
	i := allKeys(t)
	j := i.verifier(t, nil)
	good := i.claims(nil)
	ed := func(claims string) string { return sign(`{"alg":"EdDSA","kid":"d"}`, claims, eddsa(edKey())) }
	with := func(changes object) string { return ed(i.claims(changes)) }
	none := func(string) []byte { return nil }
	now := i.now.Unix()
	valid := ed(good)
	if _, err := j.Verify(t.Context(), valid); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(valid, ".")
	other := must(jwkText(otherKey()))
	modulus := rsaKey().PublicKey.N.Bytes()
	for name, token := range map[string]string{
		"alg none":                   sign(`{"alg":"none"}`, good, none),
		"alg None":                   sign(`{"alg":"nOnE","kid":"d"}`, good, none),
		"alg empty":                  sign(`{"alg":"","kid":"d"}`, good, none),
		"alg missing":                sign(`{"kid":"d"}`, good, eddsa(edKey())),
		"alg null":                   sign(`{"alg":null,"kid":"d"}`, good, eddsa(edKey())),
		"alg list":                   sign(`{"alg":["EdDSA"],"kid":"d"}`, good, eddsa(edKey())),
		"alg other case":             sign(`{"alg":"eddsa","kid":"d"}`, good, eddsa(edKey())),
		"ALG":                        sign(`{"ALG":"EdDSA","kid":"d"}`, good, eddsa(edKey())),
		"HS256 by modulus":           sign(`{"alg":"HS256","kid":"r"}`, good, hs256(modulus)),
		"HS256 by point":             sign(`{"alg":"HS256","kid":"d"}`, good, hs256(publicOf(edKey()))),
		"HS256 empty":                sign(`{"alg":"HS256"}`, good, hs256(nil)),
		"RS384":                      sign(`{"alg":"RS384","kid":"r"}`, good, rs256(rsaKey())),
		"RS as PS":                   sign(`{"alg":"PS256","kid":"r"}`, good, rs256(rsaKey())),
		"PS as RS":                   sign(`{"alg":"RS256","kid":"r"}`, good, ps256(rsaKey())),
		"kid of another":             sign(`{"alg":"EdDSA","kid":"e"}`, good, eddsa(edKey())),
		"kid unknown":                sign(`{"alg":"EdDSA","kid":"zz"}`, good, eddsa(edKey())),
		"kid path":                   sign(`{"alg":"EdDSA","kid":"../../../dev/null"}`, good, eddsa(edKey())),
		"kid injection":              sign(`{"alg":"EdDSA","kid":"d' OR '1'='1"}`, good, eddsa(edKey())),
		"kid number":                 sign(`{"alg":"EdDSA","kid":1}`, good, eddsa(edKey())),
		"kid null byte":              sign(`{"alg":"EdDSA","kid":"d\u0000"}`, good, eddsa(edKey())),
		"kid long":                   sign(`{"alg":"EdDSA","kid":"`+strings.Repeat("d", 300)+`"}`, good, eddsa(edKey())),
		"kid twice":                  sign(`{"alg":"EdDSA","kid":"d","kid":"d"}`, good, eddsa(edKey())),
		"own jwk":                    sign(`{"alg":"ES256","jwk":`+other+`}`, good, es256(otherKey())),
		"own jwk beside a known key": sign(`{"alg":"EdDSA","kid":"d","jwk":`+other+`}`, good, eddsa(edKey())),
		"own jku":                    sign(`{"alg":"ES256","jku":"`+i.URL+`/keys"}`, good, es256(otherKey())),
		"other key":                  sign(`{"alg":"ES256","kid":"e"}`, good, es256(otherKey())),
		"wrong curve":                sign(`{"alg":"ES256","kid":"e"}`, good, es256(p384Key())),
		"zero signature":             sign(`{"alg":"ES256","kid":"e"}`, good, func(string) []byte { return make([]byte, 64) }),
		"long signature": sign(`{"alg":"ES256","kid":"e"}`, good, func(text string) []byte {
			rs := es256(ecKey())(text)
			return slices.Concat(rs[:32], []byte{0}, rs[32:])
		}),
		"empty signature":    parts[0] + "." + parts[1] + ".",
		"no signature":       parts[0] + "." + parts[1],
		"four parts":         valid + ".x",
		"five parts":         valid + ".x.y",
		"empty":              "",
		"dots":               "..",
		"changed claims":     parts[0] + "." + b64([]byte(i.claims(object{"sub": "root"}))) + "." + parts[2],
		"changed header":     b64([]byte(`{"alg":"EdDSA","kid":"d","typ":"JWT"}`)) + "." + parts[1] + "." + parts[2],
		"loose base64":       valid[:len(valid)-1] + loosen(valid[len(valid)-1]),
		"padding":            valid + "==",
		"line break":         parts[0] + "." + parts[1] + ".\n" + parts[2],
		"crit":               sign(`{"alg":"EdDSA","kid":"d","crit":["exp"],"exp":1}`, good, eddsa(edKey())),
		"crit null":          sign(`{"alg":"EdDSA","kid":"d","crit":null}`, good, eddsa(edKey())),
		"b64 false":          sign(`{"alg":"EdDSA","kid":"d","b64":false}`, good, eddsa(edKey())),
		"typ of a logout":    sign(`{"alg":"EdDSA","kid":"d","typ":"logout+jwt"}`, good, eddsa(edKey())),
		"typ of a proof":     sign(`{"alg":"EdDSA","kid":"d","typ":"dpop+jwt"}`, good, eddsa(edKey())),
		"header a list":      sign(`["EdDSA"]`, good, eddsa(edKey())),
		"claims a text":      ed(`"x"`),
		"claims twice":       ed(strings.Replace(good, `{`, `{"sub":"root",`, 1)),
		"claims deep":        ed(strings.Replace(good, `{`, `{"x":`+strings.Repeat("[", 500)+strings.Repeat("]", 500)+`,`, 1)),
		"claims and more":    ed(good + "{}"),
		"huge":               ed(i.claims(object{"x": strings.Repeat("x", 20<<10)})),
		"no iss":             with(object{"iss": nil}),
		"other iss":          with(object{"iss": "https://evil.com"}),
		"iss with a slash":   with(object{"iss": i.URL + "/"}),
		"iss case":           ed(strings.Replace(good, `"iss"`, `"ISS"`, 1)),
		"no aud":             with(object{"aud": nil}),
		"other aud":          with(object{"aud": "another"}),
		"aud empty":          with(object{"aud": ""}),
		"aud empty list":     with(object{"aud": []string{}}),
		"aud mixed list":     with(object{"aud": []any{"gongu", 1}}),
		"aud object":         with(object{"aud": object{"gongu": true}}),
		"aud begins so":      with(object{"aud": "gongu2"}),
		"no exp":             with(object{"exp": nil}),
		"exp text":           with(object{"exp": "9999999999"}),
		"exp over":           with(object{"exp": now - 31}),
		"exp negative":       with(object{"exp": -1}),
		"exp for ever":       with(object{"exp": 260_000_000_000}),
		"exp overflows":      with(object{"exp": 1e18}),
		"exp too long":       ed(strings.Replace(good, `"exp":`, `"exp":1e999,"x":`, 1)),
		"nbf to come":        with(object{"nbf": now + 60}),
		"iat to come":        with(object{"iat": now + 60}),
		"no sub":             with(object{"sub": nil}),
		"sub empty":          with(object{"sub": ""}),
		"sub number":         with(object{"sub": 1}),
		"sub long":           with(object{"sub": strings.Repeat("a", 256)}),
		"sub steers":         with(object{"sub": "a\x1b[2J"}),
		"sub two lines":      with(object{"sub": "a\nb"}),
		"kid of no key here": sign(`{"alg":"RS256","kid":"d"}`, good, rs256(rsaKey())),
	} {
		t.Run(name, func(t *testing.T) {
			id, err := j.Verify(t.Context(), token)
			if err == nil || errors.Is(err, auth.ErrUnavailable) {
				t.Fatalf("got %+v, %v", id, err)
			}
			if len(err.Error()) > 100 || strings.Contains(err.Error(), "root") {
				t.Errorf("the error has parts of the token: %v", err)
			}
		})
	}
}

// Keys that an issuer must not have are passed over, one by one.
func TestJWTWeakKeys(t *testing.T) {
	change := func(key object, name string, value any) object {
		key[name] = value
		return key
	}
	ec := func() object { return ecJWK("k", "P-256", &ecKey().PublicKey) }
	ecToken := func(i *issuer) string { return sign(`{"alg":"ES256","kid":"k"}`, i.claims(nil), es256(ecKey())) }
	rsaToken := func(i *issuer) string {
		return sign(`{"alg":"RS256","kid":"k"}`, i.claims(nil), rs256(rsaKey()))
	}
	for name, tc := range map[string]struct {
		key   object
		token func(*issuer) string
	}{
		"RSA of 1024 bits": {rsaJWK("k", &shortKey().PublicKey), func(i *issuer) string {
			return sign(`{"alg":"RS256","kid":"k"}`, i.claims(nil), rs256(shortKey()))
		}},
		"RSA for encryption":   {change(rsaJWK("k", &rsaKey().PublicKey), "use", "enc"), rsaToken},
		"RSA for signing only": {change(rsaJWK("k", &rsaKey().PublicKey), "key_ops", []string{"sign"}), rsaToken},
		"RSA for PS256":        {change(rsaJWK("k", &rsaKey().PublicKey), "alg", "PS256"), rsaToken},
		"RSA exponent 1":       {change(rsaJWK("k", &rsaKey().PublicKey), "e", "AQ"), rsaToken},
		"RSA huge exponent":    {change(rsaJWK("k", &rsaKey().PublicKey), "e", b64(make([]byte, 300))), rsaToken},
		"RSA cut exponent":     {change(rsaJWK("k", &rsaKey().PublicKey), "e", b64(slices.Concat([]byte{1}, make([]byte, 8), []byte{1, 0, 1}))), rsaToken},
		"RSA huge modulus":     {change(rsaJWK("k", &rsaKey().PublicKey), "n", b64([]byte(strings.Repeat("\xff", 4096)))), rsaToken},
		"EC not on the curve":  {change(ec(), "x", b64(make([]byte, 32))), ecToken},
		"EC short":             {change(ec(), "x", b64(make([]byte, 31))), ecToken},
		"EC other curve":       {change(ec(), "crv", "P-384"), ecToken},
		"EC no curve":          {change(ec(), "crv", ""), ecToken},
		"P-384 as P-256":       {ecJWK("k", "P-256", &p384Key().PublicKey), func(i *issuer) string { return sign(`{"alg":"ES256","kid":"k"}`, i.claims(nil), es256(p384Key())) }},
		"secret": {object{"kty": "oct", "kid": "k", "k": b64([]byte("secret"))}, func(i *issuer) string {
			return sign(`{"alg":"HS256","kid":"k"}`, i.claims(nil), hs256([]byte("secret")))
		}},
		"long Ed25519": {object{"kty": "OKP", "kid": "k", "crv": "Ed25519", "x": b64(append(slices.Clone(publicOf(edKey())), 0))}, func(i *issuer) string {
			return sign(`{"alg":"EdDSA","kid":"k"}`, i.claims(nil), eddsa(edKey()))
		}},
		"published private key": {change(edJWK("k", publicOf(edKey())), "d", b64(edKey().Seed())), func(i *issuer) string {
			return sign(`{"alg":"EdDSA","kid":"k"}`, i.claims(nil), eddsa(edKey()))
		}},
		"short Ed25519": {object{"kty": "OKP", "kid": "k", "crv": "Ed25519", "x": b64(make([]byte, 31))}, func(i *issuer) string {
			return sign(`{"alg":"EdDSA","kid":"k"}`, i.claims(nil), eddsa(edKey()))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			i := newIssuer(t, tc.key, edJWK("d", publicOf(edKey())))
			j := i.verifier(t, nil)
			if id, err := j.Verify(t.Context(), tc.token(i)); err == nil {
				t.Errorf("got %+v", id)
			}
			// The others still count.
			if _, err := j.Verify(t.Context(), sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(nil), eddsa(edKey()))); err != nil {
				t.Error(err)
			}
		})
	}
	// Without a kid, and with the same kid twice, nobody can say which is meant.
	for _, header := range []string{`{"alg":"ES256"}`, `{"alg":"ES256","kid":"k"}`} {
		i := newIssuer(t, ec(), ecJWK("k", "P-256", &otherKey().PublicKey))
		for _, key := range []*ecdsa.PrivateKey{ecKey(), otherKey()} {
			if id, err := i.verifier(t, nil).Verify(t.Context(), sign(header, i.claims(nil), es256(key))); err == nil {
				t.Errorf("%s: got %+v", header, id)
			}
		}
	}
}

// A set is bounded, and so is what it costs to use a key of it.
func TestJWTKeySetIsBounded(t *testing.T) {
	key := func(bytes int) object {
		return object{"kty": "RSA", "kid": "k", "n": b64([]byte(strings.Repeat("\xff", bytes))), "e": "AQAB"}
	}
	for bytes, want := range map[int]int{128: 0, 255: 0, 256: 1, 1024: 1, 1025: 0, 4096: 0} {
		if n, err := auth.UsableKeys([]byte(text(object{"keys": []object{key(bytes)}}))); err != nil || n != want {
			t.Errorf("%d bytes: got %d, %v", bytes, n, err)
		}
	}
	if n, err := auth.UsableKeys([]byte(text(object{"keys": []object{ecJWK("k", "P-384", &p384Key().PublicKey)}}))); err != nil || n != 0 {
		t.Errorf("P-384: got %d, %v", n, err)
	}
	many := make([]object, 101)
	for i := range many {
		many[i] = edJWK("d", publicOf(edKey()))
	}
	for _, set := range []string{text(object{"keys": many}), `{"keys":{}}`, `{"keys":[],"keys":[]}`, `[`, ``} {
		if n, err := auth.UsableKeys([]byte(set)); err == nil {
			t.Errorf("%.20s: got %d", set, n)
		}
	}
}

// Keys are fetched when they are needed, and strangers cannot make us ask
// often.
func TestJWTKeysAreFetched(t *testing.T) {
	i := newIssuer(t, edJWK("d", publicOf(edKey())))
	j := i.verifier(t, nil)
	token := func() string { return sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(nil), eddsa(edKey())) }
	next := func() string { return sign(`{"alg":"ES256","kid":"new"}`, i.claims(nil), es256(ecKey())) }
	step := func(d time.Duration) { i.change(func() { i.now = i.now.Add(d) }) }
	if i.count() != 0 {
		t.Error("asked before there was a token")
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := j.Verify(t.Context(), token()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if i.count() != 1 {
		t.Errorf("asked %d times", i.count())
	}
	// A new key is found when a token names it, but not at every token.
	i.change(func() { i.keys = append(i.keys, ecJWK("new", "P-256", &ecKey().PublicKey)) })
	for range 5 {
		if _, err := j.Verify(t.Context(), next()); err == nil || errors.Is(err, auth.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
	}
	if i.count() != 1 {
		t.Errorf("asked %d times", i.count())
	}
	step(31 * time.Second)
	if _, err := j.Verify(t.Context(), next()); err != nil || i.count() != 2 {
		t.Errorf("got %v after %d", err, i.count())
	}
	// A key that the issuer took back is forgotten within the hour.
	i.change(func() { i.keys = i.keys[1:] })
	step(time.Hour)
	if _, err := j.Verify(t.Context(), token()); err == nil {
		t.Error("a withdrawn key is good")
	}
	// While the issuer is down its keys stay good, for a day.
	i.change(func() { i.broken = true })
	step(23 * time.Hour)
	if _, err := j.Verify(t.Context(), next()); err != nil {
		t.Error(err)
	}
	step(2 * time.Hour)
	if _, err := j.Verify(t.Context(), next()); !errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	i.change(func() { i.broken = false })
	if _, err := j.Verify(t.Context(), next()); !errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("asked at once again: %v", err)
	}
	step(31 * time.Second)
	if _, err := j.Verify(t.Context(), next()); err != nil {
		t.Error(err)
	}
}

// A caller who leaves takes nobody's keys along.
func TestJWTCallerLeaves(t *testing.T) {
	i := newIssuer(t, edJWK("d", publicOf(edKey())))
	j := i.verifier(t, nil)
	token := sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(nil), eddsa(edKey()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = j.Verify(ctx, token) // whichever it is
	if _, err := j.Verify(t.Context(), token); err != nil {
		t.Error(err)
	}
}

// A discovery document speaks for its own issuer only.
func TestJWTDiscovery(t *testing.T) {
	i := newIssuer(t, edJWK("d", publicOf(edKey())))
	i.named = "https://evil.com"
	token := sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(nil), eddsa(edKey()))
	if _, err := i.verifier(t, nil).Verify(t.Context(), token); !errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	direct := i.verifier(t, func(o *auth.JWTOptions) { o.JWKS = i.URL + "/keys" })
	if _, err := direct.Verify(t.Context(), token); err != nil {
		t.Error(err)
	}
	lost := i.verifier(t, func(o *auth.JWTOptions) { o.JWKS = i.URL + "/nothing" })
	if _, err := lost.Verify(t.Context(), token); !errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// globsOf is the opposite of what makes rules of globs.
func globsOf(rules []gongu.Rule) []string {
	if rules == nil {
		return nil
	}
	globs := []string{}
	for _, rule := range rules {
		globs = append(globs, rule.Name)
	}
	return globs
}

// K10: scopes use the words of gongu token new. Without one of ours a caller has
// the read-only tools, and only where the owner says so it decides.
func TestK10Scopes(t *testing.T) {
	i := newIssuer(t, edJWK("d", publicOf(edKey())))
	none := []gongu.Rule{}
	for _, tc := range []struct {
		name    string
		claims  object
		manage  bool
		want    gongu.Principal
		refused bool
	}{
		{name: "none", want: gongu.Principal{Allow: access.ReadOnlyAnd(nil)}},
		{name: "of another program", claims: object{"scope": "openid tools:* gongu"}, want: gongu.Principal{Allow: access.ReadOnlyAnd(nil)}},
		{
			name: "all", claims: object{"scope": "openid gongu:agent:a gongu:tools:fs__* gongu:tools:web__get gongu:ask:rm gongu:resources:far:test://* gongu:resources:McpServer/near gongu:prompts:far__* gongu:logs:* gongu:sampling gongu:attended"},
			want: gongu.Principal{
				Agents: []string{"a"}, Allow: []gongu.Rule{{Name: "fs__*"}, {Name: "web__get"}}, Ask: []gongu.Rule{{Name: "rm"}},
				Resources: []gongu.Rule{{Source: "*/far", Name: "test://*"}, {Source: "McpServer/near"}}, Prompts: []gongu.Rule{{Name: "far__*"}},
				Logs: []gongu.Rule{{Source: "*/*"}}, Sampling: true, Attended: true,
			},
		},
		{name: "a list", claims: object{"scp": []string{"gongu:prompts:x"}}, want: gongu.Principal{Allow: none, Prompts: []gongu.Rule{{Name: "x"}}}},
		{name: "an agent alone", claims: object{"scope": "gongu:agent:a"}, want: gongu.Principal{Agents: []string{"a"}, Allow: access.ReadOnlyAnd(nil)}},
		{name: "manages", claims: object{"scope": "gongu:manage:all gongu:manage:approvals"}, manage: true, want: gongu.Principal{Person: true, Manage: "all"}},
		{name: "approves", claims: object{"scope": "gongu:manage:approvals"}, manage: true, want: gongu.Principal{Person: true, Manage: "approvals", Allow: access.ReadOnlyAnd(nil)}},
		{name: "may not manage", claims: object{"scope": "gongu:manage:approvals"}, refused: true},
		{name: "an unknown decision", claims: object{"scope": "gongu:manage:everything"}, manage: true, refused: true},
		{name: "an unknown scope", claims: object{"scope": "gongu:tools:x gongu:limit:5"}, refused: true},
		{name: "an empty glob", claims: object{"scope": "gongu:tools:"}, refused: true},
		{name: "a broken glob", claims: object{"scope": "gongu:tools:["}, refused: true},
		{name: "an empty agent", claims: object{"scope": "gongu:agent:"}, refused: true},
		{name: "a value too many", claims: object{"scope": "gongu:sampling:x"}, refused: true},
		{name: "a value too few", claims: object{"scope": "gongu:tools"}, refused: true},
		{name: "a number", claims: object{"scope": 1}, refused: true},
		{name: "a list of numbers", claims: object{"scp": []int{1}}, refused: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j := i.verifier(t, func(o *auth.JWTOptions) { o.Manage = tc.manage })
			id, err := j.Verify(t.Context(), sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(tc.claims), eddsa(edKey())))
			if tc.refused {
				if err == nil {
					t.Errorf("got %+v", id)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Name, tc.want.Kind, tc.want.Expires = id.Name, auth.KindOIDC, id.Expires
			if diff := cmp.Diff(tc.want, *id); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJWTOptions(t *testing.T) {
	for name, opts := range map[string]auth.JWTOptions{
		"nothing":         {},
		"no audience":     {Issuer: "https://login.example.com"},
		"empty audience":  {Issuer: "https://login.example.com", Audience: []string{""}},
		"http":            {Issuer: "http://login.example.com", Audience: []string{"gongu"}},
		"http keys":       {Issuer: "https://login.example.com", JWKS: "http://login.example.com/keys", Audience: []string{"gongu"}},
		"file":            {Issuer: "file:///etc/passwd", Audience: []string{"gongu"}},
		"user":            {Issuer: "https://a:b@login.example.com", Audience: []string{"gongu"}},
		"query":           {Issuer: "https://login.example.com?a=b", Audience: []string{"gongu"}},
		"leeway":          {Issuer: "https://login.example.com", Audience: []string{"gongu"}, Leeway: time.Hour},
		"negative leeway": {Issuer: "https://login.example.com", Audience: []string{"gongu"}, Leeway: -1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := auth.NewJWT(opts)
			wantInvalid(t, err)
		})
	}
}

// Through the gate: beside tokens, with the issuer in the description, and 503
// while the issuer is down.
func TestJWTThroughTheGate(t *testing.T) {
	i := newIssuer(t, edJWK("d", publicOf(edKey())))
	tokens, secret := openTokens(t, auth.NewToken{Name: "me"}, nil)
	server := start(t, auth.Options{
		Tokens: tokens, Agent: agentOf,
		JWT: i.verifier(t, nil),
	}, http.HandlerFunc(whoami))
	token := sign(`{"alg":"EdDSA","kid":"d"}`, i.claims(object{"scope": "gongu:agent:a"}), eddsa(edKey()))
	i.change(func() { i.broken = true })
	if resp, _ := ask(t, server, "GET", "/mcp/a", "Authorization", "Bearer "+token); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("got %d", resp.StatusCode)
	}
	i.change(func() { i.broken = false; i.now = i.now.Add(time.Minute) })
	for _, tc := range []struct {
		token, path string
		want        int
	}{{token, "/mcp/a", 200}, {token, "/mcp/b", 403}, {token, "/mcp", 403}, {token + "x", "/mcp/a", 401}, {secret, "/mcp", 200}, {secret + ".a.b", "/mcp", 401}} {
		resp, body := ask(t, server, "GET", tc.path, "Authorization", "Bearer "+tc.token)
		if resp.StatusCode != tc.want {
			t.Errorf("%s: got %d %s", tc.path, resp.StatusCode, body)
		}
		if tc.want == 200 && tc.token == token && !strings.Contains(body, "name="+i.URL+"#kim kind=oidc") {
			t.Errorf("got %s", body)
		}
	}
	if _, body := ask(t, server, "GET", "/.well-known/oauth-protected-resource/mcp/a"); !strings.Contains(body, `"authorization_servers":["`+i.URL+`"]`) {
		t.Errorf("got %s", body)
	}
}
