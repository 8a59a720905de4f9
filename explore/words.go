package explore

import (
	_ "embed"
	"strings"
)

//go:embed words_en.txt
var englishWords string

// shortWords are common words that cost one token each, with a blank before them
// or without, and with a capital or without. They are sorted.
var shortWords = strings.Fields(englishWords)

// shortHangul are the syllables that cost one token: nearly all that ordinary
// Korean is written with. Every other costs up to three.
//
//go:embed words_ko.txt
var shortHangul string
