package host_test

import (
	"context"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
)

// Open without a folder has the starter tools at once.
func ExampleOpen() {
	h, err := host.Open(context.Background(), "", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	result, err := h.Call(context.Background(), "", gongu.Call{Name: "json-query__query", Args: []byte(`{"data":"{\"a\":[1,2]}","path":"a[1]"}`)})
	fmt.Println(string(result.Output), err)
	// Output: {"path":"a[1]","found":true,"value":2} <nil>
}
