package secret

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// index finds many texts in one pass over a long one. A bit for each pair of
// bytes tells that no secret begins with it, which is true almost everywhere;
// only otherwise the first bytes are looked up. It is immutable.
type index struct {
	pairs [1 << 16 / 64]uint64
	// byHead has the patterns that begin with these bytes, the longest first.
	byHead map[string][]pattern
}

// pattern is a text to find, and what replaces it. After the text there must be
// tail letters or digits, which belong to it.
type pattern struct {
	text, mark string
	tail       int
}

// Tokens of gongu are known by their form: the server keeps only their hashes.
const (
	tokenHead = "gongu_"
	tokenTail = 43
)

func emptyIndex() *index { return newIndex(nil) }

func newIndex(values map[string]string) *index {
	x := &index{byHead: map[string][]pattern{}}
	x.add(pattern{tokenHead, "[secret gongu token]", tokenTail})
	for value, mark := range values {
		for _, text := range encodings(value) {
			x.add(pattern{text: text, mark: mark})
		}
	}
	for _, list := range x.byHead {
		slices.SortFunc(list, func(a, b pattern) int {
			return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text), strings.Compare(a.mark, b.mark))
		})
	}
	return x
}

func (x *index) add(p pattern) {
	head := p.text[:MinLength]
	x.byHead[head] = append(x.byHead[head], p)
	pair := uint(head[0])<<8 | uint(head[1])
	x.pairs[pair/64] |= 1 << (pair % 64)
}

func (x *index) replace(text string) string {
	var out []byte
	copied := 0
	for i := 0; i+MinLength <= len(text); {
		pair := uint(text[i])<<8 | uint(text[i+1])
		if x.pairs[pair/64]&(1<<(pair%64)) == 0 {
			i++
			continue
		}
		mark, length := x.at(text[i:])
		if length == 0 {
			i++
			continue
		}
		out = append(append(out, text[copied:i]...), mark...)
		i += length
		copied = i
	}
	if copied == 0 {
		return text
	}
	return string(append(out, text[copied:]...))
}

// at returns what replaces the beginning of a text, and how much of it.
func (x *index) at(text string) (mark string, length int) {
	for _, p := range x.byHead[text[:MinLength]] {
		if strings.HasPrefix(text, p.text) && len(text) >= len(p.text)+p.tail && alphanumeric(text[len(p.text):len(p.text)+p.tail]) {
			return p.mark, len(p.text) + p.tail
		}
	}
	return "", 0
}

func alphanumeric(text string) bool {
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// encodings are the forms in which a value appears in texts.
func encodings(value string) []string {
	forms := []string{value, url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value), inside(strconv.Quote(value))}
	forms = append(forms, lowerHex(forms[1]), lowerHex(forms[2]))
	once := []string{jsonText(value, true), jsonText(value, false)}
	forms = append(forms, once...)
	for _, text := range once { // JSON inside of JSON
		forms = append(forms, jsonText(text, true), jsonText(text, false))
	}
	forms = append(forms, base64Forms(value)...)
	slices.Sort(forms)
	return slices.DeleteFunc(slices.Compact(forms), func(text string) bool { return len(text) < MinLength })
}

func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// jsonText is a text as it is between the quotes of a JSON string.
func jsonText(text string, escapeHTML bool) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(escapeHTML)
	if encoder.Encode(text) != nil {
		return text
	}
	return inside(strings.TrimSuffix(b.String(), "\n"))
}

// lowerHex writes %2F as %2f.
func lowerHex(text string) string {
	out := []byte(text)
	for i := 0; i+2 < len(out); i++ {
		if out[i] == '%' {
			copy(out[i+1:i+3], strings.ToLower(string(out[i+1:i+3])))
			i += 2
		}
	}
	return string(out)
}

// minBase64 is the shortest part of a base64 text that is looked for.
const minBase64 = 8

// base64Forms are the value encoded alone and after any other bytes, such as the
// user name of basic authentication: the letters of base64 that depend on the
// value only, for each of the three positions it can have in a group.
func base64Forms(value string) []string {
	forms := []string{base64.StdEncoding.EncodeToString([]byte(value)), base64.URLEncoding.EncodeToString([]byte(value))}
	for offset, skip := range []int{0, 2, 3} {
		padded := append(make([]byte, offset), value...)
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString(padded)[skip:]
			if len(padded)%3 != 0 {
				text = text[:len(text)-1]
			}
			if len(text) >= minBase64 {
				forms = append(forms, text)
			}
		}
	}
	return forms
}
