package auth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/auth"
)

// K10: a stream ends when its token is revoked, however the client asked for it.
func TestK10_RevokedStreams(t *testing.T) {
	for _, accept := range [][]string{{"text/event-stream"}, {"*/*"}, {"application/json", "text/event-stream"}} {
		tokens, secret := openTokens(t, auth.NewToken{Name: "laptop"}, nil)
		ended, began := make(chan bool, 1), make(chan bool, 1)
		server := start(t, auth.Options{Tokens: tokens}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			began <- true
			select {
			case <-r.Context().Done():
				ended <- true
			case <-time.After(5 * time.Second):
				ended <- false
			}
		}))
		req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + secret}, "Accept": accept}
		go func() {
			if resp, err := server.Client().Do(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
		<-began
		if _, err := tokens.Revoke(t.Context(), "laptop"); err != nil {
			t.Fatal(err)
		}
		if !<-ended {
			t.Errorf("%q: the stream goes on", accept)
		}
	}
}

// K10: a stream of a browser ends when its person logs out.
func TestK10_StreamsEndWithTheSession(t *testing.T) {
	ended, began := make(chan bool, 1), make(chan bool, 1)
	tokens, _ := openTokens(t, auth.NewToken{Name: "laptop"}, nil)
	logins := auth.NewLogins(nil)
	c := &console{tokens: tokens, logins: logins}
	c.Server = start(t, auth.Options{Tokens: tokens, Logins: logins}, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		began <- true
		select {
		case <-r.Context().Done():
			ended <- true
		case <-time.After(5 * time.Second):
			ended <- false
		}
	}))
	cookie := c.login(t)
	req, err := http.NewRequestWithContext(t.Context(), "GET", c.URL+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Accept": {"text/event-stream"}, "Cookie": {cookie.Name + "=" + cookie.Value}}
	go func() {
		if resp, err := c.Client().Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-began
	if code, _ := c.with(t, cookie, "POST", "/logout"); code != http.StatusNoContent {
		t.Fatal(code)
	}
	if !<-ended {
		t.Error("the stream goes on")
	}
}
