package cursor_test

import (
	"fmt"
	"testing"

	"github.com/gongu-ai/gongu/internal/cursor"
)

func same(key string) string { return key }

func keys(format string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return list
}

// A cursor is written by whoever calls: it is read without trust.
func FuzzCursor(f *testing.F) {
	all := keys("tool_%d", 9)
	for i := range all {
		f.Add(cursor.After("", all, i, same), 9)
		f.Add(cursor.After("", all, i, same), 2)
	}
	f.Add("", 0)
	f.Add("AAAA", 3)
	f.Add("gRyd_____w8AAAA", 3)
	f.Fuzz(func(t *testing.T, text string, left int) {
		list := all[:min(max(left, 0), len(all))]
		at, err := cursor.Resume(text, "", list, same)
		if err == nil && (at < 0 || at > len(list)) {
			t.Errorf("%q stands at %d of %d", text, at, len(list))
		}
	})
}

func TestCursorIsShort(t *testing.T) {
	list := keys("a_long_name_for_a_tool_of_a_server__number_%d", 5000)
	if text := cursor.After("domain", list, 4800, same); len(text) > 40 {
		t.Errorf("%d characters", len(text))
	}
}

// The last entry shown is gone, and all others that the cursor knows.
func TestCursorWithoutItsEntries(t *testing.T) {
	list := keys("tool_%d", 20)
	text := cursor.After("", list, 10, same)
	left := append(append([]string{}, list[:6]...), list[10:]...)
	if at, err := cursor.Resume(text, "", left, same); err != nil || left[at] != "tool_10" {
		t.Errorf("goes on at %d, %v", at, err)
	}
	if at, err := cursor.Resume(text, "", nil, same); err != nil || at != 0 {
		t.Errorf("in an empty list at %d, %v", at, err)
	}
}

// The last one shown is gone, and the one before it is not.
func TestCursorAfterTheOneBefore(t *testing.T) {
	list := keys("tool_%d", 20)
	text := cursor.After("", list, 10, same)
	left := append(append([]string{"new_1", "new_2"}, list[:9]...), list[10:]...)
	if at, err := cursor.Resume(text, "", left, same); err != nil || left[at] != "tool_10" {
		t.Errorf("goes on at %d, %v", at, err)
	}
}

func TestCursorOfAnotherList(t *testing.T) {
	list := keys("tool_%d", 20)
	text := cursor.After("a", list, 10, same)
	for _, wrong := range []string{text[:4], text + "AAAA" + "AAAA", text + "=", "!!"} {
		if at, err := cursor.Resume(wrong, "a", list, same); err == nil {
			t.Errorf("%q: %d", wrong, at)
		}
	}
	if at, err := cursor.Resume(text, "b", list, same); err == nil {
		t.Errorf("of another list: %d", at)
	}
}
