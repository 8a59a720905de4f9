package serve

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// sealer signs the states that clients send back with a later request.
type sealer struct{ key []byte }

// sealed is a state. It is valid only for the principal and the request that it
// was made for.
type sealed struct {
	Kind string `json:"k"` // run or tool
	For  string `json:"f"` // digest of principal, agent, method, name, arguments
	Till int64  `json:"t"`
	// Run and Round identify a waiting call; State is the state of a tool.
	Run   string `json:"r,omitempty"`
	Round int    `json:"n,omitempty"`
	State string `json:"s,omitempty"`
}

func (s sealer) seal(v sealed) string {
	payload := base64.RawURLEncoding.EncodeToString(marshal(v))
	return payload + "." + s.sign(payload)
}

func (s sealer) sign(payload string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte("gongu requestState\x00" + payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// open returns a state that was sealed for this request, if the signature is
// right and it has not expired.
func (s sealer) open(state, purpose string, now time.Time) (sealed, bool) {
	var v sealed
	payload, signature, ok := strings.Cut(state, ".")
	if !ok || !hmac.Equal([]byte(signature), []byte(s.sign(payload))) {
		return v, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || json.Unmarshal(raw, &v) != nil {
		return v, false
	}
	return v, v.For == purpose && now.Unix() <= v.Till
}

// purposeOf returns a digest of the principal and the request.
func purposeOf(rq *request, name string, arguments []byte) string {
	h := sha256.New()
	for _, part := range []string{rq.principal.Name, rq.agent, rq.msg.method, name, string(arguments)} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func randomID() string {
	raw := make([]byte, 16)
	rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}
