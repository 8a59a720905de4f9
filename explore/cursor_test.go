package explore

import (
	"fmt"
	"testing"

	"github.com/gongu-ai/gongu"
)

// A cursor is written by whoever calls: it is read without trust.
func FuzzCursor(f *testing.F) {
	var tools []gongu.Tool
	for i := range 9 {
		tools = append(tools, gongu.Tool{Name: fmt.Sprintf("tool_%d", i)})
	}
	for i := range tools {
		f.Add(cursorAfter("", tools, i), 9)
		f.Add(cursorAfter("", tools, i), 2)
	}
	f.Add("", 0)
	f.Add("AAAA", 3)
	f.Add("gRyd_____w8AAAA", 3)
	f.Fuzz(func(t *testing.T, cursor string, left int) {
		list := tools[:min(max(left, 0), len(tools))]
		at, err := resume(cursor, "", list)
		if err == nil && (at < 0 || at > len(list)) {
			t.Errorf("%q stands at %d of %d", cursor, at, len(list))
		}
	})
}

func TestCursorIsShort(t *testing.T) {
	tools := make([]gongu.Tool, 5000)
	for i := range tools {
		tools[i].Name = fmt.Sprintf("a_long_name_for_a_tool_of_a_server__number_%d", i)
	}
	if cursor := cursorAfter("domain", tools, 4800); len(cursor) > 40 {
		t.Errorf("%d characters", len(cursor))
	}
}

// The last tool shown is gone, and all others that the cursor knows.
func TestCursorWithoutItsTools(t *testing.T) {
	var tools []gongu.Tool
	for i := range 20 {
		tools = append(tools, gongu.Tool{Name: fmt.Sprintf("tool_%d", i)})
	}
	cursor := cursorAfter("", tools, 10)
	left := append(append([]gongu.Tool{}, tools[:6]...), tools[10:]...)
	if at, err := resume(cursor, "", left); err != nil || left[at].Name != "tool_10" {
		t.Errorf("goes on at %d, %v", at, err)
	}
	if at, err := resume(cursor, "", nil); err != nil || at != 0 {
		t.Errorf("in an empty list at %d, %v", at, err)
	}
}
