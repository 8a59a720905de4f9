package toolrequest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gongu-ai/gongu/toolrequest"
)

// A model asks for a tool, and a person decides.
func ExampleNewFile() {
	dir, err := os.MkdirTemp("", "requests")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	queue := toolrequest.NewFile(filepath.Join(dir, toolrequest.FileName), nil)

	asked := toolrequest.New{Name: "draw_rounded_rect", Description: "a rectangle with round corners"}
	r, already, err := queue.Add(ctx, asked)
	fmt.Println(r.ID, r.Status, already, err)
	r, already, err = queue.Add(ctx, asked)
	fmt.Println(r.ID, r.Status, already, err)

	r, err = queue.Review(ctx, "req_001", toolrequest.Decision{Status: toolrequest.Approved, Reviewer: "kim"})
	fmt.Println(r.ID, r.Status, r.Reviewer, err)
	made, err := queue.Fulfil(ctx, "draw_rounded_rect")
	fmt.Println(len(made), made[0].Status, err)
	// Output:
	// req_001 queued false <nil>
	// req_001 queued true <nil>
	// req_001 approved kim <nil>
	// 1 fulfilled <nil>
}

// Errors say what is wrong and what to do, in English and Korean.
func ExampleError() {
	queue := toolrequest.NewMemory()
	if _, _, err := queue.Add(context.Background(), toolrequest.New{Name: "sofa", Description: "a sofa"}); err != nil {
		panic(err)
	}
	_, err := queue.Get(context.Background(), "req_1")
	var e *toolrequest.Error
	if errors.As(err, &e) && errors.Is(err, toolrequest.ErrNotFound) {
		fmt.Println(e.Message("en"))
		fmt.Println(e.Hint("en"))
		fmt.Println(e.Hint("ko"))
	}
	// Output:
	// there is no tool request "req_1"
	// Did you mean: req_001?
	// 혹시 다음을 찾으셨나요: req_001
}

// Pages are the oldest first.
func ExampleMemory() {
	ctx := context.Background()
	queue := toolrequest.NewMemory()
	for _, name := range []string{"a", "b", "c"} {
		if _, _, err := queue.Add(ctx, toolrequest.New{Name: name, Description: "something"}); err != nil {
			panic(err)
		}
	}
	page, err := queue.List(ctx, toolrequest.Filter{Limit: 2})
	fmt.Println(len(page.Requests), page.NextCursor, err)
	page, err = queue.List(ctx, toolrequest.Filter{Limit: 2, Cursor: page.NextCursor})
	fmt.Println(len(page.Requests), page.NextCursor, err)
	// Output:
	// 2 req_002 <nil>
	// 1  <nil>
}
