package http1

import (
	"bufio"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// requests, and whether they are plain.
var requests = []struct {
	text  string
	plain bool
}{
	{"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:7410\r\nContent-Length: 2\r\n\r\n{}", true},
	{"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length:2\r\nx-a:  b c\t \r\nX-A: d\r\nx-empty:\r\n\r\n{}", true},
	{"POST /mcp/agent_1-x HTTP/1.1\r\nHost: [::1]:80\r\nConnection: Keep-Alive\r\nAuthorization: Bearer x\r\nCookie: a=b\r\nContent-Length: 02\r\n\r\n{}", true},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\n\r\n", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost:\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: a\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: a/b\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: a b\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: a@b\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: +2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2,2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 0x2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding : chunked\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n Transfer-Encoding: chunked\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nX: a\nTransfer-Encoding: chunked\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nX: a\rTransfer-Encoding: chunked\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nX: a\x00\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTrailer: X\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTE: trailers\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nPragma: no-cache\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}POST /mcp HTTP/1.1\r\n", false},
	{"POST /mcp HTTP/1.0\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp  HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST  /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /%6dcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST //mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /../mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /m;c HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST http://h/mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST * HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"post /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"GET /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\nHost: h\nContent-Length: 2\n\n{}", false},
	{"\r\nPOST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", false},
	{"POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n", false},
	{"POST /mcp HTTP/1.1\r\n\r\n{}", false},
	{"", false},
}

func TestPlainRequest(t *testing.T) {
	for _, tc := range requests {
		if plain := requestAsNetHTTP(t, tc.text); plain != tc.plain {
			t.Errorf("%q is plain: %v", tc.text, plain)
		}
	}
}

// FuzzPlainRequest finds requests that are read in another way than by
// net/http: what one of two readers sees that the other does not is smuggled.
func FuzzPlainRequest(f *testing.F) {
	for _, tc := range requests {
		f.Add(tc.text)
	}
	f.Fuzz(func(t *testing.T, text string) { requestAsNetHTTP(t, text) })
}

// requestAsNetHTTP reads a request in both ways, if it is plain.
func requestAsNetHTTP(t *testing.T, text string) (plain bool) {
	t.Helper()
	var got http.Request
	if !plainRequest([]byte(text), &got) {
		return false
	}
	in := bufio.NewReader(strings.NewReader(text))
	want, err := http.ReadRequest(in)
	if err != nil {
		t.Errorf("%q: net/http refuses it: %v", text, err)
		return true
	}
	gotBody, gotErr := io.ReadAll(got.Body)
	wantBody, wantErr := io.ReadAll(want.Body)
	if string(gotBody) != string(wantBody) || gotErr != nil || wantErr != nil {
		t.Errorf("%q: body %q %v, want %q %v", text, gotBody, gotErr, wantBody, wantErr)
	}
	if left, _ := io.ReadAll(in); len(left) > 0 || want.Close || len(want.TransferEncoding) > 0 || len(want.Trailer) > 0 {
		t.Errorf("%q: net/http sees more in it: %q %+v", text, left, want)
	}
	got.Body, want.Body = nil, nil
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("%q:\n%+v, want\n%+v", text, &got, want)
	}
	return true
}
