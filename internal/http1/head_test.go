package http1

import (
	"bufio"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// heads are answers, and whether they are plain.
var heads = []struct {
	text  string
	plain bool
}{
	{"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", true},
	{"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nCONTENT-LENGTH:2\r\nx-a:  b c\t \r\nX-A: d\r\nx-empty:\r\nX-A: e\r\n\r\n{}more", true},
	{"HTTP/1.1 503 \r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n", true},
	{"HTTP/1.1 401 Who are you\r\nWWW-Authenticate: Bearer\r\nContent-Length: 003\r\n\r\nabc", true},
	{"HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 1\r\n\r\nx", true},
	{"HTTP/1.1 200 OK\r\nX-\xc3\xa9: 1\r\nContent-Length: 1\r\n\r\nx", false},
	{"HTTP/1.1 200 OK\r\nX-A: \xc3\xa9\r\nContent-Length: 1\r\n\r\nx", true},
	{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", true},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive, Upgrade\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTrailer: X-A\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nPragma: no-cache\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nX-A: b\r\n folded\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nX-A : b\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nX-A: b\nX-B: c\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", false},
	{"HTTP/1.1 200 OK\r\nX-A\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nX-A: a\x00b\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\n\r\nuntil the end", false},
	{"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", false},
	{"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false},
	{"HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\n", false},
	{"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1 +20 OK\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", false},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", false},
	{"nonsense", false},
	{"", false},
}

func TestPlainAnswer(t *testing.T) {
	for _, tc := range heads {
		if plain := sameAsNetHTTP(t, tc.text); plain != tc.plain {
			t.Errorf("%q is plain: %v", tc.text, plain)
		}
	}
}

// FuzzPlainAnswer finds answers that are read in another way than by net/http.
func FuzzPlainAnswer(f *testing.F) {
	for _, tc := range heads {
		f.Add(tc.text)
	}
	f.Fuzz(func(t *testing.T, text string) { sameAsNetHTTP(t, text) })
}

// sameAsNetHTTP reads an answer in both ways, if it is plain.
func sameAsNetHTTP(t *testing.T, text string) (plain bool) {
	t.Helper()
	req := &http.Request{Method: http.MethodPost}
	in := bufio.NewReader(strings.NewReader(text))
	got, plain := plainAnswer(in, req)
	if !plain {
		if left, _ := io.ReadAll(in); string(left) != text {
			t.Errorf("%q: only %q is left to read", text, left)
		}
		return false
	}
	other := bufio.NewReader(strings.NewReader(text))
	want, err := http.ReadResponse(other, req)
	if err != nil {
		t.Errorf("%q: net/http refuses it: %v", text, err)
		return true
	}
	gotBody, gotErr := io.ReadAll(got.Body)
	wantBody, wantErr := io.ReadAll(want.Body)
	if string(gotBody) != string(wantBody) || gotErr != wantErr {
		t.Errorf("%q: body %q %v, want %q %v", text, gotBody, gotErr, wantBody, wantErr)
	}
	gotLeft, _ := io.ReadAll(in)
	wantLeft, _ := io.ReadAll(other)
	if string(gotLeft) != string(wantLeft) {
		t.Errorf("%q: %q follows, want %q", text, gotLeft, wantLeft)
	}
	got.Body, want.Body = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q:\n%+v, want\n%+v", text, got, want)
	}
	return true
}
