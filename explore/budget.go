package explore

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A search reply is small whatever the tools say about themselves: all figures
// but lineBytes are costs, hundredths of a token at worst.
const (
	// replyCost is for a whole reply.
	replyCost = 400_00
	// replyFrame is the cost of the text around the entries, entryFrame around the
	// name and the description of one.
	replyFrame = 6_00
	entryFrame = 9_00
	// lineBytes is the longest line of a description, when the budget has room.
	lineBytes = 200
)

// lineOf is the first line of a text, without what cannot be seen.
func lineOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r), r == utf8.RuneError, unicode.Is(unicode.Variation_Selector, r):
			return -1
		}
		return r
	}, line)
	line = strings.Join(strings.Fields(line), " ")
	return cut(line, lineBytes, 1<<30)
}

const ellipsis = "…"

// cut shortens a text to so many bytes and to a cost, at the end of a word
// where one is near.
func cut(text string, most, cost int) string {
	if len(text) <= most && costOf(text) <= cost {
		return text
	}
	most -= len(ellipsis)
	cost -= costOf(ellipsis)
	end, word := 0, 0
	for end < len(text) {
		n, c := piece(text[end:])
		cost -= c
		if end+n > most || cost < 0 {
			break
		}
		end += n
		if end < len(text) && text[end] == ' ' {
			word = end
		}
	}
	if word > end/2 {
		end = word
	}
	if end == 0 {
		return ""
	}
	return text[:end] + ellipsis
}

// fit shortens the descriptions of tools until all of them fit the budget, and
// leaves out the last tools when even their names do not. What a short
// description does not use, the others share.
func fit(tools []brief, budget int) []brief {
	budget -= replyFrame
	shown := 0
	for _, t := range tools {
		need := entryFrame + costOf(t.Name)
		if need > budget {
			break
		}
		budget -= need
		shown++
	}
	tools = tools[:shown]
	costs := make([]int, shown)
	for i := range tools {
		tools[i].Description = lineOf(tools[i].Description)
		costs[i] = costOf(tools[i].Description)
	}
	share := fairShare(costs, budget)
	for i := range tools {
		tools[i].Description = cut(tools[i].Description, lineBytes, max(share, 0))
	}
	return tools
}

// fairShare is the most that each may take so that all of them together stay
// within the budget.
func fairShare(costs []int, budget int) int {
	share, open := 0, len(costs)
	taken := make([]bool, len(costs))
	for open > 0 {
		share = budget / open
		settled := false
		for i, cost := range costs {
			if !taken[i] && cost <= share {
				taken[i], settled = true, true
				budget -= cost
				open--
			}
		}
		if !settled {
			return share
		}
	}
	return share
}
