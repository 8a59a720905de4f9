package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// ErrUnavailable means that the keys of the issuer could not be fetched, so
// that the JWT could not be checked.
var ErrUnavailable = errors.New("the issuer's keys cannot be fetched")

const (
	defaultLeeway = 30 * time.Second
	maxLeeway     = 5 * time.Minute
	maxSubject    = 255
	// lastSecond is the end of the year 9999; later times are rejected.
	lastSecond = 253402300799
)

// JWTOptions configure which JWTs are accepted, and what they allow.
type JWTOptions struct {
	// Issuer signs the tokens, such as https://login.example.com. The claim iss
	// must equal it byte for byte. http is for loopback only.
	Issuer string
	// Audience are the names of this server; the claim aud must have one.
	Audience []string
	// JWKS is the address of the issuer's keys (default: the one in its
	// discovery document).
	JWKS string
	// Manage lets tokens with the scope gongu:manage:approvals or
	// gongu:manage:all decide. Without it such a token is rejected, so that it is
	// not taken for one of a client.
	Manage bool
	// Leeway is how far clocks may differ (default 30 seconds, at most 5
	// minutes).
	Leeway time.Duration
	// Logger logs failures to fetch keys (default: slog's).
	Logger *slog.Logger
	// Now is the clock (default: the system's).
	Now func() time.Time
}

// JWT checks tokens of one issuer. It fetches the issuer's keys at the first
// token, and again when a token names a key it does not know.
type JWT struct {
	opts JWTOptions
	keys *keySet
	// principals has one for each token that was verified.
	principals interned
}

// NewJWT checks the options. It sends no request yet, so that a server starts while
// its issuer is down.
func NewJWT(opts JWTOptions) (*JWT, error) {
	if !isSafeURL(opts.Issuer) || strings.ContainsAny(opts.Issuer, "?#") {
		return nil, lang.NewError(ErrInvalid, lang.AuthBadIssuer.With(opts.Issuer), lang.AuthBadIssuerHint.With())
	}
	if opts.JWKS != "" && !isSafeURL(opts.JWKS) {
		return nil, lang.NewError(ErrInvalid, lang.AuthBadIssuer.With(opts.JWKS), lang.AuthBadIssuerHint.With())
	}
	if len(opts.Audience) == 0 || slices.Contains(opts.Audience, "") {
		return nil, lang.NewError(ErrInvalid, lang.AuthNoAudience.With(), lang.AuthNoAudienceHint.With())
	}
	if opts.Leeway == 0 {
		opts.Leeway = defaultLeeway
	}
	if opts.Leeway < 0 || opts.Leeway > maxLeeway {
		return nil, lang.NewError(ErrInvalid, lang.AuthBadLeeway.With(opts.Leeway), lang.AuthBadLeewayHint.With(maxLeeway))
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	return &JWT{opts: opts, keys: newKeySet(&opts)}, nil
}

// joseHeader holds the members of a token's header that are checked here. Keys
// and addresses of keys that a token names (jku, x5c, x5u) are never used.
type joseHeader struct {
	Alg  string         `json:"alg"`
	Kid  string         `json:"kid"`
	Typ  string         `json:"typ"`
	Crit jsontext.Value `json:"crit"`
	B64  jsontext.Value `json:"b64"`
	JWK  jsontext.Value `json:"jwk"`
}

// claims holds the claims that are always checked.
type claims struct {
	Issuer   string         `json:"iss"`
	Subject  string         `json:"sub"`
	Audience jsontext.Value `json:"aud"`
	Expires  *float64       `json:"exp"`
	NotFrom  *float64       `json:"nbf"`
	Issued   *float64       `json:"iat"`
	Scope    jsontext.Value `json:"scope"`
	SCP      jsontext.Value `json:"scp"`
}

// Verify returns the principal of a token, the same pointer for the same token.
// The error never holds a part of the token; with [ErrUnavailable] the token
// was not checked.
func (j *JWT) Verify(ctx context.Context, token string) (*gongu.Principal, error) {
	if len(token) > maxBearer {
		return nil, errors.New("jwt: too long")
	}
	header, err := parseHeader(token)
	if err != nil {
		return nil, err
	}
	signed, err := jose.ParseSignedCompact(token, algorithms())
	if err != nil { // its text may quote the token
		return nil, errors.New("jwt: malformed")
	}
	key, err := j.keys.key(ctx, header)
	if err != nil {
		return nil, err
	}
	payload, err := signed.Verify(key.Key)
	if err != nil {
		return nil, errors.New("jwt: wrong signature")
	}
	// From here on only signed content is read.
	var c claims
	if err := decodeObject(payload, &c); err != nil {
		return nil, fmt.Errorf("jwt: claims: %w", err)
	}
	if err := j.check(&c); err != nil {
		return nil, err
	}
	who, err := j.principal(&c)
	if err != nil {
		return nil, err
	}
	return j.principals.get(digestOf(token), who), nil
}

// parseHeader parses and checks the header of a token. It also rejects
// non-canonical base64: go-jose skips line breaks and stray bits.
func parseHeader(token string) (*joseHeader, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, errors.New("jwt: not three parts")
	}
	var decoded [3][]byte
	for i, part := range parts {
		var err error
		if decoded[i], err = decode64(part); err != nil {
			return nil, errors.New("jwt: not base64url")
		}
	}
	var header joseHeader
	if err := decodeObject(decoded[0], &header); err != nil {
		return nil, fmt.Errorf("jwt: header: %w", err)
	}
	return &header, header.check()
}

// algorithms are the signatures that are accepted.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.EdDSA}
}

func (h *joseHeader) check() error {
	if !slices.Contains(algorithms(), jose.SignatureAlgorithm(h.Alg)) {
		return errors.New("jwt: alg is not one of RS256, PS256, ES256 and EdDSA")
	}
	switch strings.TrimPrefix(strings.ToLower(h.Typ), "application/") {
	case "", "jwt", "at+jwt":
	default:
		return errors.New("jwt: typ is not that of an access token")
	}
	if h.Crit != nil || h.B64 != nil {
		return errors.New("jwt: header has unsupported critical extensions")
	}
	if h.JWK != nil {
		// go-jose would parse it, and checking a private RSA key is much work.
		return errors.New("jwt: header has an embedded key")
	}
	return nil
}

func (j *JWT) check(c *claims) error {
	now := j.opts.Now()
	earliest, latest := now.Add(-j.opts.Leeway), now.Add(j.opts.Leeway)
	for _, moment := range []*float64{c.Expires, c.NotFrom, c.Issued} {
		if moment != nil && (*moment < 0 || *moment > lastSecond) {
			return errors.New("jwt: exp, nbf or iat is not a time")
		}
	}
	switch {
	case c.Issuer != j.opts.Issuer:
		return errors.New("jwt: iss is another issuer")
	case !j.isFor(c.Audience):
		return errors.New("jwt: aud is not this server")
	case c.Expires == nil:
		return errors.New("jwt: exp is missing")
	case !earliest.Before(numericDate(*c.Expires)):
		return errors.New("jwt: expired")
	case c.NotFrom != nil && numericDate(*c.NotFrom).After(latest):
		return errors.New("jwt: not valid yet")
	case c.Issued != nil && numericDate(*c.Issued).After(latest):
		return errors.New("jwt: issued in the future")
	case c.Subject == "" || len(c.Subject) > maxSubject || strings.ContainsFunc(c.Subject, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("jwt: sub is missing, too long or not printable")
	}
	return nil
}

func numericDate(seconds float64) time.Time {
	return time.UnixMilli(int64(seconds * 1000))
}

// isFor reports whether aud, a text or a list of texts, names this server.
func (j *JWT) isFor(aud jsontext.Value) bool {
	var one string
	if json.Unmarshal(aud, &one) == nil {
		return slices.Contains(j.opts.Audience, one)
	}
	var list []string
	return json.Unmarshal(aud, &list) == nil && slices.ContainsFunc(list, func(name string) bool {
		return slices.Contains(j.opts.Audience, name)
	})
}

// principal returns the principal of a token. Its scopes say what it may use;
// without one of ours it may use the read-only tools.
func (j *JWT) principal(c *claims) (*gongu.Principal, error) {
	scopes, err := scopesOf(c)
	if err != nil {
		return nil, err
	}
	g, err := grantOf(scopes)
	switch {
	case err != nil:
		return nil, err
	case g.Manage != "" && !j.opts.Manage:
		return nil, errors.New("jwt: a scope allows decisions, which this server takes from no issuer")
	}
	g = g.WithDefault()
	// Requests are rejected after the leeway, so streams end then, too.
	return g.principal(c.Issuer+"#"+c.Subject, KindOIDC, numericDate(*c.Expires).Add(j.opts.Leeway)), nil
}

// scopesOf returns the scopes of a token: one text with spaces between them, or
// a list of texts, as some issuers have it under scp.
func scopesOf(c *claims) ([]string, error) {
	raw := c.Scope
	if raw == nil {
		raw = c.SCP
	}
	if raw == nil {
		return nil, nil
	}
	switch raw.Kind() {
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text); err == nil {
			return strings.Fields(text), nil
		}
	case '[':
		var list []string
		if err := json.Unmarshal(raw, &list); err == nil {
			return list, nil
		}
	}
	return nil, errors.New("jwt: scope is not a list of texts")
}

// decodeObject decodes a JSON object strictly: names are case-sensitive and
// duplicates are errors.
func decodeObject(raw []byte, target any) error {
	if jsonx.Strict(raw) != nil || jsonx.Kind(raw) != "object" {
		return errors.New("not one valid JSON object")
	}
	if err := json.Unmarshal(raw, target); err != nil {
		return errors.New("a member has the wrong type")
	}
	return nil
}

// decode64 decodes canonical base64url only. The standard decoder skips line
// breaks.
func decode64(part string) ([]byte, error) {
	if strings.ContainsAny(part, "\r\n") {
		return nil, errors.New("line break")
	}
	return base64.RawURLEncoding.Strict().DecodeString(part)
}
