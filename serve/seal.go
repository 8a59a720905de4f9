package serve

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// sealer signs the states that clients send back with a later request. The keys
// are records: a state is valid at every host of a store, and after a restart.
type sealer struct {
	store PendingStore
	life  time.Duration // of the longest-lived state

	mu   sync.Mutex
	keys []state.SealKey // the newest first
	read time.Time
}

const (
	// sealRotation is how old the key gets that signs.
	sealRotation = 24 * time.Hour
	// sealRefresh is how often the keys are read again, so that all hosts sign
	// with a new one; sealRetry is how soon, for a state with an unknown key.
	sealRefresh = 10 * time.Minute
	sealRetry   = time.Second
	// upstreamTaskLife is how long a client can ask for the task of an upstream.
	upstreamTaskLife = 7 * 24 * time.Hour
)

// sealed is a state. It is valid only for the principal and the request that it
// was made for.
type sealed struct {
	Kind string `json:"k"` // run, tool or task
	For  string `json:"f"` // digest of principal, agent, method, name, arguments
	Till int64  `json:"t"`
	// Run and Round identify a waiting call; State is the state of a tool.
	Run   string `json:"r,omitempty"`
	Round int    `json:"n,omitempty"`
	State string `json:"s,omitempty"`
}

func (s *sealer) seal(ctx context.Context, v sealed) (string, error) {
	key, ok, err := s.find(ctx, "")
	if err != nil || !ok {
		return "", fmt.Errorf("no key to sign with: %w", err)
	}
	payload := key.ID + "." + base64.RawURLEncoding.EncodeToString(marshal(v))
	return payload + "." + sign(key, payload), nil
}

func sign(key state.SealKey, payload string) string {
	mac := hmac.New(sha256.New, key.Secret)
	mac.Write([]byte("gongu requestState\x00" + payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// open returns a state that was sealed for this request, if the signature is
// right and it has not expired.
func (s *sealer) open(ctx context.Context, text, purpose string, now time.Time) (sealed, bool) {
	var v sealed
	cut := strings.LastIndexByte(text, '.')
	id, encoded, ok := strings.Cut(text[:max(cut, 0)], ".")
	if !ok || id == "" {
		return v, false
	}
	key, ok, err := s.find(ctx, id)
	if err != nil || !ok || !hmac.Equal([]byte(text[cut+1:]), []byte(sign(key, text[:cut]))) {
		return v, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || json.Unmarshal(raw, &v) != nil {
		return v, false
	}
	return v, v.For == purpose && now.Unix() <= v.Till
}

// find returns the key with an id, or the one that signs for "".
func (s *sealer) find(ctx context.Context, id string) (state.SealKey, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, ok := s.findLocked(id)
	age := time.Since(s.read)
	if ok && age < sealRefresh || !ok && !s.read.IsZero() && age < sealRetry {
		return key, ok, nil
	}
	keys, err := s.store.SealKeys(ctx, sealRotation, s.life)
	if err != nil {
		return key, ok, err
	}
	s.keys, s.read = keys, time.Now()
	key, ok = s.findLocked(id)
	return key, ok, nil
}

func (s *sealer) findLocked(id string) (state.SealKey, bool) {
	for _, key := range s.keys {
		if id == "" || key.ID == id {
			return key, true
		}
	}
	return state.SealKey{}, false
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
