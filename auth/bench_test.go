package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu/auth"
)

// What the gate adds to a request, with few tokens and with many.
func BenchmarkGate(b *testing.B) {
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, count := range []int{1, 50} {
		b.Run(fmt.Sprint(count, " tokens"), func(b *testing.B) {
			tokens, err := auth.OpenTokens(filepath.Join(b.TempDir(), auth.TokensName), nil)
			if err != nil {
				b.Fatal(err)
			}
			var secret string
			for range count {
				if secret, _, err = tokens.Create(b.Context(), auth.NewToken{}); err != nil {
					b.Fatal(err)
				}
			}
			handler, err := auth.New(auth.Options{Addr: "127.0.0.1:7410", Tokens: tokens, Agent: agentOf, Logger: quiet()}, next)
			if err != nil {
				b.Fatal(err)
			}
			r := httptest.NewRequest("POST", "http://localhost:7410/mcp", nil)
			r.Header.Set("Authorization", "Bearer "+secret)
			b.ReportAllocs()
			for b.Loop() {
				handler.ServeHTTP(nowhere{}, r)
			}
		})
	}
}

type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) WriteHeader(int)             {}
