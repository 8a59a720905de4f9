package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/telemetry"
	"github.com/gongu-ai/gongu/toolrequest"
)

// A bundle over HTTP, with a call of one of its tools. A server of its own
// would put a check of tokens in front.
func Example() {
	ctx := context.Background()
	h, err := host.Open(ctx, "", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	a, err := httpapi.New(httpapi.Options{Backend: hosted{h, toolrequest.NewMemory()}, Sources: h.Sources()})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle(httpapi.Prefix+"/", telemetry.Trace(nil, a.Handler()))
	mux.Handle("/healthz", a.Health())
	mux.Handle("/", a.Page())
	server := httptest.NewServer(mux)
	defer server.Close()

	response, err := server.Client().Post(server.URL+httpapi.Prefix+"/calls", "application/json",
		strings.NewReader(`{"name":"text-transform__case","arguments":{"text":"hello","to":"upper"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	var result gongu.Result
	if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, string(result.Output))
	// Output: ok {"original":"hello","result":"HELLO","to":"upper"}
}
