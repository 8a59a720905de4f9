package explore

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLineOf(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"one":                             "one",
		"  one \t two\u00a0three \nfour":  "one two three",
		"a\u200bb\u2060c\U000E0041d\x00e": "abcde",
		"tab\tand\rreturn":                "tab and return",
		strings.Repeat("word ", 60):       strings.TrimSuffix(strings.Repeat("word ", 39), " ") + "…",
		strings.Repeat("가", 100):          strings.Repeat("가", 65) + "…",
		"\ufffd broken, and a heart \u2764\ufe0f": "broken, and a heart \u2764",
	} {
		if got := lineOf(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A cut text is a beginning of the text within both bounds, at a rune.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := lineOf(rapid.String().Draw(t, "text"))
		most, cost := rapid.IntRange(0, 300).Draw(t, "bytes"), rapid.IntRange(0, 20_000).Draw(t, "cost")
		got := cut(text, most, cost)
		if got == text && len(text) <= most && costOf(text) <= cost || got == "" {
			return
		}
		head, ok := strings.CutSuffix(got, ellipsis)
		if !ok || !strings.HasPrefix(text, head) || !utf8.ValidString(got) || len(got) > most || costOf(got) > cost+costByte {
			t.Errorf("%q to %d bytes and %d: %q with %d bytes and %d", text, most, cost, got, len(got), costOf(got))
		}
	})
}

// Whatever tools there are, the reply stays within its budget, and the first
// ones are in it.
func TestFitKeepsTheBudget(t *testing.T) {
	name := rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`)
	rapid.Check(t, func(t *rapid.T) {
		var tools []brief
		for range rapid.IntRange(1, 8).Draw(t, "tools") {
			tools = append(tools, brief{name.Draw(t, "name"), rapid.String().Draw(t, "description")})
		}
		given := slices.Clone(tools)
		fitted := fit(tools, replyCost)
		total := replyFrame
		for i, f := range fitted {
			if f.Name != given[i].Name {
				t.Fatalf("%d is %s", i, f.Name)
			}
			total += entryFrame + costOf(f.Name) + costOf(f.Description)
		}
		if total > replyCost+len(fitted)*costByte || len(fitted) == 0 {
			t.Errorf("%d tools cost %d", len(fitted), total)
		}
	})
}

// Even names alone can be too much: then the last ones are left out.
func TestFitLeavesOutTheLast(t *testing.T) {
	var tools []brief
	for range 8 {
		tools = append(tools, brief{strings.Repeat("Qz8_", 16), "Find the data of a user"})
	}
	total := replyFrame
	fitted := fit(tools, replyCost)
	for _, f := range fitted {
		total += entryFrame + costOf(f.Name) + costOf(f.Description)
	}
	if len(fitted) == 0 || len(fitted) == 8 || total > replyCost {
		t.Errorf("%d tools cost %d", len(fitted), total)
	}
}

func TestFairShare(t *testing.T) {
	for _, c := range []struct {
		costs        []int
		budget, want int
	}{
		{[]int{10, 10, 10}, 60, 20},
		{[]int{10, 100, 100}, 110, 50},
		{[]int{100, 10, 40}, 110, 60},
		{[]int{100, 100}, 50, 25},
		{nil, 50, 0},
	} {
		if got := fairShare(c.costs, c.budget); got != c.want {
			t.Errorf("%v of %d: got %d, want %d", c.costs, c.budget, got, c.want)
		}
	}
}

func TestTheWordsAreSorted(t *testing.T) {
	if !slices.IsSorted(shortWords) || len(shortWords) < 500 {
		t.Error("the look-up of words is by halves")
	}
	if isShort("Getx") || !isShort("Get") || !isShort("get") || isShort("GET") {
		t.Error("a word is taken for another")
	}
}

// An ordinary sentence costs little more than its words; a hostile one costs
// nearly its bytes.
func TestCostOf(t *testing.T) {
	const honest, hostile = "Get the weather report of a city", "q7ZxJ8vKw3QzYgHfTtWzGmPqXjVkBd"
	if got := costOf(honest); got > 8_00 {
		t.Errorf("the honest one costs %d", got)
	}
	if got := costOf(hostile); got < 25_00 {
		t.Errorf("the hostile one costs %d", got)
	}
}
