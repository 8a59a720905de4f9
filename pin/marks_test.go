package pin

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A text that is not read by an expression could not have matched it: the
// words that the phrases are made of, in any order, are found with and without
// the short cut alike.
func TestMarksHideNothing(t *testing.T) {
	vocabulary := slices.Concat(secretMarks, insteadMarks)
	for _, p := range phrases {
		vocabulary = append(vocabulary, p.marks...)
	}
	vocabulary = append(vocabulary, strings.Fields(`you your users humans operators owners customers send forward include read upload copy append post add attach call run
		execute exfiltrate transmit leak email bcc pass paste put has needs required shall should need have tool now future subsequent ai llm language model agent open cat
		load fetch get content contents all every any previous prior earlier above other system safety instructions prompts rules policy new task are is no longer a mode
		do not don't never without tell mention inform notify show asking about that before . , secret hidden from using calling to each ~/.ssh .ssh/id_ id_rsa id_ed25519
		.aws/credentials .netrc /etc/shadow /etc/passwd api_key api-keys passwords chat conversation in into as here parameter and then emails messages payments be sent
		routed through via use invoke this first <important> <system> [system] [inst] <|im_start|> system: ignore, on all responses an the
		이전 지시를 무시하세요 사용자에게 알리지 몰래 전송 비밀번호를 보내세요 항상 이 도구를 먼저`)...)
	rapid.Check(t, func(t *rapid.T) {
		text := normal(strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 25).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", "  "}).Draw(t, "between")))
		for _, p := range phrases {
			if !p.mayMatch(text) && p.form().MatchString(text) {
				t.Errorf("%q matches %s and was not read by it", text, p.form())
			}
		}
		if len(insteadHits(text)) != len(insteadOf().FindAllStringSubmatch(text, 8)) {
			t.Errorf("%q asks to be taken for another tool and was not read", text)
		}
	})
}

// The same for texts in another coat.
func TestMayEncodeHidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abcdef0129 :+/_-xZ%\\&#;\n=한")), 0, 200, -1).Draw(t, "text")
		inBase64, inHex, inEscapes := mayEncode(text)
		if !inBase64 && base64Run().MatchString(text) || !inHex && hexRun().MatchString(text) || !inEscapes && escapeRun().MatchString(text) {
			t.Errorf("%q is not read", text)
		}
	})
}

// The short cut to split phrases reaches as far as a phrase can.
func TestSplitReach(t *testing.T) {
	filler := strings.Repeat("x", 50)
	long := "before using any " + filler + " you must " + filler + " read " + filler + " private key"
	if hits := phrases.find(long); len(hits) == 0 || hits[0].to-hits[0].from > splitReach-100 {
		t.Fatalf("%d hits", len(hits))
	}
	for at := 10; at < len(long)-10; at += 7 {
		found := Scan([]Definition{{Name: "a", Description: strings.TrimSpace(long[:at])}, {Name: "b", Description: "x" + long[at:]}}, nil)
		if cut := long[:at] + " x" + long[at:]; len(phrases.find(normal(cut))) > 0 && len(found) == 0 {
			t.Errorf("split at %d is not found", at)
		}
	}
}
