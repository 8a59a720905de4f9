package host_test

import (
	"context"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
)

// A step shows what an agent may call now: here the tool that an extension in
// TypeScript registers.
func ExampleHost_Step() {
	ctx := context.Background()
	h, err := host.Open(ctx, "../examples/weather", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	err = h.Step(ctx, "", func(_ context.Context, x *gongu.Executor) error {
		if tool, ok := x.Catalog().Get("weather__get"); ok {
			fmt.Println(tool.Name, tool.Source.Identity())
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: weather__get Extension/weather-ext
}
