package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

const (
	maxKeys = 100
	// The modulus of an RSA key, in bits: a shorter one is broken, a longer one
	// costs more to check than a stranger's token is worth.
	minRSA, maxRSA = 2048, 8192
)

// jwk is a key as issuers publish it.
type jwk struct {
	Type  string   `json:"kty"`
	ID    string   `json:"kid"`
	Use   string   `json:"use"`
	Alg   string   `json:"alg"`
	Ops   []string `json:"key_ops"`
	Curve string   `json:"crv"`
	N     string   `json:"n"`
	E     string   `json:"e"`
	X     string   `json:"x"`
	Y     string   `json:"y"`
}

// verifyKey is a public key that signatures are checked with.
type verifyKey struct {
	id, alg string // alg is "" when the issuer names none
	public  crypto.PublicKey
}

// parseKeys reads a key set. Keys that are not for our signatures are passed
// over: issuers publish other ones, too.
func parseKeys(raw []byte) ([]verifyKey, error) {
	if jsonx.Strict(raw) != nil {
		return nil, errors.New("the key set is not sound JSON")
	}
	var set struct {
		Keys []jwk `json:"keys"`
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, errors.New("the key set has members of the wrong type")
	}
	if len(set.Keys) > maxKeys {
		return nil, errors.New("the key set has too many keys")
	}
	var keys []verifyKey
	for i := range set.Keys {
		k := &set.Keys[i]
		if k.Use != "" && k.Use != "sig" || k.Ops != nil && !slices.Contains(k.Ops, "verify") {
			continue
		}
		if public := k.public(); public != nil {
			keys = append(keys, verifyKey{k.ID, k.Alg, public})
		}
	}
	return keys, nil
}

// public is the key, or nil when it is none of ours. A shared secret (oct) is
// none: whoever could check with it could sign with it.
func (k *jwk) public() crypto.PublicKey {
	switch {
	case k.Type == "RSA":
		return k.rsa()
	case k.Type == "EC" && k.Curve == "P-256":
		x, errX := decode64(k.X)
		y, errY := decode64(k.Y)
		if errX != nil || errY != nil || len(x) != 32 || len(y) != 32 {
			return nil
		}
		// The parser refuses points that are not on the curve.
		public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil {
			return nil
		}
		return public
	case k.Type == "OKP" && k.Curve == "Ed25519":
		if x, err := decode64(k.X); err == nil && len(x) == ed25519.PublicKeySize {
			return ed25519.PublicKey(x)
		}
	}
	return nil
}

func (k *jwk) rsa() crypto.PublicKey {
	n, errN := decode64(k.N)
	e, errE := decode64(k.E)
	if errN != nil || errE != nil || len(n) > maxRSA/8 || len(e) > 4 {
		return nil
	}
	modulus, exponent := new(big.Int).SetBytes(n), new(big.Int).SetBytes(e)
	if modulus.BitLen() < minRSA || modulus.Bit(0) == 0 || exponent.BitLen() > 31 || exponent.Int64() < 3 || exponent.Bit(0) == 0 {
		return nil
	}
	return &rsa.PublicKey{N: modulus, E: int(exponent.Int64())}
}

// fits holds when a key is one for an algorithm. The kind of key decides, not
// the token: that is what keeps a token from choosing how it is checked.
func (k *verifyKey) fits(alg string) bool {
	if k.alg != "" && k.alg != alg {
		return false
	}
	switch k.public.(type) {
	case *rsa.PublicKey:
		return alg == "RS256" || alg == "PS256"
	case *ecdsa.PublicKey:
		return alg == "ES256"
	case ed25519.PublicKey:
		return alg == "EdDSA"
	}
	return false
}

// signed reports whether a signature over a text is of this key.
func (k *verifyKey) signed(alg, text string, signature []byte) bool {
	sum := sha256.Sum256([]byte(text))
	switch public := k.public.(type) {
	case *rsa.PublicKey:
		if alg == "PS256" {
			return rsa.VerifyPSS(public, crypto.SHA256, sum[:], signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}) == nil
		}
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, sum[:], signature) == nil
	case *ecdsa.PublicKey:
		if len(signature) != 64 {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return ecdsa.Verify(public, sum[:], r, s)
	case ed25519.PublicKey:
		return ed25519.Verify(public, []byte(text), signature)
	}
	return false
}
