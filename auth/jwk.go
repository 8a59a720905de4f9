package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"slices"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

const (
	maxKeys = 100
	// The modulus of an RSA key, in bits: a shorter one is broken, a longer one
	// takes too long to check for a token that anyone can send.
	minRSA, maxRSA = 2048, 8192
)

// parseKeys reads a key set and returns the keys that can verify our
// signatures. It skips all others: issuers publish keys for other uses, too.
func parseKeys(raw []byte) ([]jose.JSONWebKey, error) {
	if jsonx.Strict(raw) != nil {
		return nil, errors.New("the key set is not valid JSON")
	}
	var set struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, errors.New("the key set has members of the wrong type")
	}
	if len(set.Keys) > maxKeys {
		return nil, errors.New("the key set has too many keys")
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		if key, ok := parseKey(raw); ok {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// parseKey reads one key with go-jose and then checks what the library does
// not: how the key may be used, and lengths that it pads or cuts silently.
func parseKey(raw []byte) (jose.JSONWebKey, bool) {
	var members struct {
		Operations []string `json:"key_ops"`
		E          string   `json:"e"`
		X          string   `json:"x"`
	}
	var key jose.JSONWebKey
	if json.Unmarshal(raw, &members) != nil || key.UnmarshalJSON(raw) != nil {
		return key, false
	}
	if key.Use != "" && key.Use != "sig" || members.Operations != nil && !slices.Contains(members.Operations, "verify") {
		return key, false
	}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		e, err := decode64(members.E)
		bits := public.N.BitLen()
		return key, err == nil && len(e) <= 4 && public.E >= 3 && public.E < 1<<31 && public.E%2 == 1 &&
			bits >= minRSA && bits <= maxRSA && public.N.Bit(0) == 1
	case *ecdsa.PublicKey:
		return key, public.Curve == elliptic.P256()
	case ed25519.PublicKey:
		x, err := decode64(members.X)
		return key, err == nil && len(x) == ed25519.PublicKeySize
	}
	// A shared secret (oct) can sign as well as verify, and a published private
	// key can be used by anyone.
	return key, false
}

// keyFits reports whether a key is for an algorithm. The type of the key
// decides, so that a token cannot choose how it is verified.
func keyFits(key *jose.JSONWebKey, alg string) bool {
	if key.Algorithm != "" && key.Algorithm != alg {
		return false
	}
	switch key.Key.(type) {
	case *rsa.PublicKey:
		return alg == string(jose.RS256) || alg == string(jose.PS256)
	case *ecdsa.PublicKey:
		return alg == string(jose.ES256)
	case ed25519.PublicKey:
		return alg == string(jose.EdDSA)
	}
	return false
}
