package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/auth"
)

// The keys of the tests; making an RSA key takes long.
var (
	rsaKey   = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	shortKey = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 1024)) })
	ecKey    = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	otherKey = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	p384Key  = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)) })
	edKey    = sync.OnceValue(func() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(make([]byte, 32)) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func b64(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

type object = map[string]any

// signer makes the signature of a text.
type signer func(text string) []byte

func rs256(key *rsa.PrivateKey) signer {
	return func(text string) []byte {
		sum := sha256.Sum256([]byte(text))
		return must(rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:]))
	}
}

func ps256(key *rsa.PrivateKey) signer {
	return func(text string) []byte {
		sum := sha256.Sum256([]byte(text))
		return must(rsa.SignPSS(rand.Reader, key, crypto.SHA256, sum[:], &rsa.PSSOptions{SaltLength: 32}))
	}
}

func es256(key *ecdsa.PrivateKey) signer {
	return func(text string) []byte {
		sum := sha256.Sum256([]byte(text))
		r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
		if err != nil {
			panic(err)
		}
		size := (key.Params().BitSize + 7) / 8
		return append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
	}
}

func eddsa(key ed25519.PrivateKey) signer {
	return func(text string) []byte { return ed25519.Sign(key, []byte(text)) }
}

func hs256(secret []byte) signer {
	return func(text string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
}

// sign makes a token of texts as they are.
func sign(header, claims string, s signer) string {
	text := b64([]byte(header)) + "." + b64([]byte(claims))
	return text + "." + b64(s(text))
}

func text(v any) string { return string(must(json.Marshal(v))) }

func rsaJWK(kid string, key *rsa.PublicKey) object {
	return object{"kty": "RSA", "kid": kid, "n": b64(key.N.Bytes()), "e": "AQAB", "use": "sig"}
}

func ecJWK(kid, curve string, key *ecdsa.PublicKey) object {
	raw := must(key.Bytes())[1:]
	return object{"kty": "EC", "kid": kid, "crv": curve, "x": b64(raw[:len(raw)/2]), "y": b64(raw[len(raw)/2:])}
}

func edJWK(kid string, key ed25519.PublicKey) object {
	return object{"kty": "OKP", "kid": kid, "crv": "Ed25519", "x": b64(key)}
}

// issuer publishes keys, and counts who asks.
type issuer struct {
	*httptest.Server
	mu     sync.Mutex
	keys   []object
	asked  int
	broken bool
	// claims is the issuer that the discovery document names, when set.
	named string
	now   time.Time
}

func newIssuer(t *testing.T, keys ...object) *issuer {
	t.Helper()
	i := &issuer{keys: keys, now: time.Now()}
	i.Server = httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.broken:
		w.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/.well-known/openid-configuration":
		name := i.URL
		if i.named != "" {
			name = i.named
		}
		_, _ = io.WriteString(w, text(object{"issuer": name, "jwks_uri": i.URL + "/keys"}))
	case r.URL.Path == "/keys":
		i.asked++
		_, _ = io.WriteString(w, text(object{"keys": i.keys}))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (i *issuer) change(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f()
}

func (i *issuer) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

func (i *issuer) clock() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.now
}

// verifier checks the tokens of the issuer for the audience "gongu".
func (i *issuer) verifier(t *testing.T, change func(*auth.JWTOptions)) *auth.JWT {
	t.Helper()
	opts := auth.JWTOptions{Issuer: i.URL, Audience: []string{"gongu"}, Logger: quiet(), Now: i.clock}
	if change != nil {
		change(&opts)
	}
	j, err := auth.NewJWT(opts)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// claims are good ones, with changes; nil takes a claim away.
func (i *issuer) claims(changes object) string {
	now := i.clock().Unix()
	c := object{"iss": i.URL, "sub": "kim", "aud": "gongu", "exp": now + 300, "nbf": now - 10, "iat": now - 10}
	for k, v := range changes {
		c[k] = v
		if v == nil {
			delete(c, k)
		}
	}
	return text(c)
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		panic("not an Ed25519 key")
	}
	return public
}

func jwkText(key *ecdsa.PrivateKey) (string, error) {
	raw, err := json.Marshal(ecJWK("own", "P-256", &key.PublicKey))
	return string(raw), err
}

// loosen is another last digit for the same bytes: its low bits are not used.
func loosen(last byte) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range digits {
		if digits[i] == last {
			return string(digits[i^1])
		}
	}
	return "A"
}
