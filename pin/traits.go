package pin

import "strings"

// traits are the kinds of words that a text has. Each phrase names those that
// it cannot match without, so that a harmless text costs one walk over it.
type traits uint32

const (
	hasPutAside traits = 1 << iota
	hasYou
	hasPerson
	hasHide
	hasSecretly
	hasSend
	hasBefore
	hasDuty
	hasTool
	hasMark
	hasRole
	hasFuture
	hasModel
	hasRead
	hasEvery
	hasForeign
	hasSecret
)

func (t traits) all(needs traits) bool { return t&needs == needs }

// wordTraits are whole words; a form asks for them between word boundaries.
var wordTraits = words(map[traits]string{
	hasPutAside: "ignore disregard forget override bypass",
	hasYou:      "you your",
	hasPerson:   "user users human humans operator operators owner owners customer customers",
	hasHide:     "keep hide conceal",
	hasSecretly: "silently secretly covertly quietly discreetly",
	hasSend:     "send forward include read upload copy append post add attach call run execute exfiltrate transmit leak email bcc pass paste put",
	hasBefore:   "before prior",
	hasDuty:     "must has needs required shall should need have",
	hasTool:     "tool",
	hasRole:     "system assistant",
	hasFuture:   "now future subsequent",
	hasModel:    "ai llm language assistant model agent",
	hasRead:     "read open cat load fetch get content contents",
	hasEvery:    "all every any",
})

func words(groups map[traits]string) map[string]traits {
	out := make(map[string]traits)
	for trait, list := range groups {
		for word := range strings.FieldsSeq(list) {
			out[word] |= trait
		}
	}
	return out
}

// longestTrait is the longest of the words.
const longestTrait = 12

// secretMarks are parts of what secretThings matches, anywhere in a text.
var secretMarks = []string{
	"ssh", "id_", "credentials", "netrc", "shadow", "passwd", ".env", "mcp.json", "claude_desktop", "private key",
	"seed", "access token", "api", "password", "session cookie", "system prompt", "history",
}

// traitsOf reads a text that [normal] made.
func traitsOf(text string) traits {
	var has traits
	from := -1
	for i := range len(text) {
		c := text[i]
		if c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 {
			has |= traitOf(text[from:i])
			from = -1
		}
		switch {
		case c >= 0x80:
			has |= hasForeign
		case c == '<':
			has |= hasMark | hasRole
		case c == '[':
			has |= hasRole
		}
	}
	if from >= 0 {
		has |= traitOf(text[from:])
	}
	for _, mark := range secretMarks {
		if strings.Contains(text, mark) {
			return has | hasSecret
		}
	}
	return has
}

func traitOf(word string) traits {
	if len(word) < 2 || len(word) > longestTrait {
		return 0
	}
	return wordTraits[word]
}
