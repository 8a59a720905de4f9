package audit

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/rawjson"
	"github.com/gongu-ai/gongu/internal/secret"
)

// redactor makes the copies of arguments and results that rows keep.
type redactor struct {
	secrets *secret.Vault

	mu    sync.Mutex
	hints map[gongu.Schema]*hints
	named map[string]bool // names of members that were looked at
}

// redactedMark replaces a value that a schema or a name marks as secret.
const redactedMark = `"[redacted]"`

// redact returns JSON without the secrets that gongu knows, the values that the
// schema or their names mark as secret, and texts that look like credentials. The
// JSON may be cut at its end.
func (r *redactor) redact(raw []byte, schema gongu.Schema) []byte {
	if len(raw) == 0 {
		return raw
	}
	text := r.secrets.Redact(string(raw))
	h := r.hintsOf(schema)
	if h.all {
		return []byte(redactedMark)
	}
	s := scrubber{redactor: r, raw: []byte(text), names: h.names}
	return withoutShapes(s.run())
}

// scrubber copies JSON and replaces the values of members with secret names.
type scrubber struct {
	redactor *redactor
	raw      []byte
	names    map[string]bool
	out      []byte
}

func (s *scrubber) run() []byte {
	copied := 0
	for i := 0; i < len(s.raw); {
		if s.raw[i] != '"' {
			i++
			continue
		}
		end, _ := rawjson.StringEnd(s.raw, i)
		if end <= i || end > len(s.raw) {
			break // cut inside of a text
		}
		colon := rawjson.Space(s.raw, end)
		if colon >= len(s.raw) || s.raw[colon] != ':' || !s.secret(s.raw[i:end]) {
			i = end
			continue
		}
		value := rawjson.Space(s.raw, colon+1)
		if value >= len(s.raw) || bytes.IndexByte([]byte("tfn"), s.raw[value]) >= 0 {
			i = value // true, false and null tell nothing
			continue
		}
		after := skip(s.raw, value)
		s.out = append(append(s.out, s.raw[copied:value]...), redactedMark...)
		i, copied = after, after
	}
	return append(s.out, s.raw[copied:]...)
}

// skip returns the end of a value, which may be cut.
func skip(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			end, _ := rawjson.StringEnd(raw, i)
			if end <= i || end > len(raw) {
				return len(raw)
			}
			i = end
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of a number
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// secret reports whether the member with this quoted name holds a secret.
func (s *scrubber) secret(quoted []byte) bool {
	var name string
	if bytes.IndexByte(quoted, '\\') < 0 {
		name = string(quoted[1 : len(quoted)-1])
	} else if json.Unmarshal(quoted, &name) != nil {
		return true // a name that cannot be read hides something
	}
	return s.names[name] || s.redactor.namedSecret(name)
}

// maxNames is how many names of members are kept. Beyond it all are looked at
// again.
const maxNames = 4096

// namedSecret reports whether a name is one for secrets. A plain "key" is
// usually the key of a map or a record.
func (r *redactor) namedSecret(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.named[name]
	if ok {
		return known
	}
	if len(r.named) >= maxNames || r.named == nil {
		r.named = map[string]bool{}
	}
	known = !strings.EqualFold(name, "key") && secret.Named(name)
	if len(name) <= maxName {
		r.named[name] = known
	}
	return known
}

// maxName is the longest name that is kept.
const maxName = 128

// shape is a form of credentials. The pattern is tried where the sign occurs,
// because a search for the sign costs little.
type shape struct {
	sign    string
	pattern *regexp.Regexp
	with    string
}

// shapes are well-known forms of credentials, in lower case.
var shapes = []shape{
	{"sk-", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`), shapeMark},
	{"sk_", regexp.MustCompile(`\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`), shapeMark},
	{"gh", regexp.MustCompile(`\bgh[opsur]_[A-Za-z0-9]{20,}`), shapeMark},
	{"github_pat_", regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{20,}`), shapeMark},
	{"glpat-", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`), shapeMark},
	{"xox", regexp.MustCompile(`\bxox[abeprs]-[A-Za-z0-9-]{10,}`), shapeMark},
	{"akia", regexp.MustCompile(`\bA[KS]IA[0-9A-Z]{16}\b`), shapeMark},
	{"asia", regexp.MustCompile(`\bA[KS]IA[0-9A-Z]{16}\b`), shapeMark},
	{"aiza", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`), shapeMark},
	{"npm_", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{30,}`), shapeMark},
	{"hf_", regexp.MustCompile(`\bhf_[A-Za-z0-9]{30,}`), shapeMark},
	{"eyj", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), shapeMark},
	{"bearer", regexp.MustCompile(`(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}`), "${1}" + shapeMark},
	{"basic", regexp.MustCompile(`(?i)\b(basic\s+)[A-Za-z0-9+/]{8,}={0,2}`), "${1}" + shapeMark},
	{"private key-----", regexp.MustCompile(`(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^"]*?(-----END|"|$)`), "${1}" + shapeMark + "${2}"},
	{"://", regexp.MustCompile(`(://[^\s/?#:@"\\]*:)[^\s/?#@"\\]+@`), "${1}" + shapeMark + "@"},
	{"pass", assignment(`pass(?:word|wd|phrase)?`), "${1}" + shapeMark},
	{"pwd", assignment(`pwd`), "${1}" + shapeMark},
	{"secret", assignment(`secret`), "${1}" + shapeMark},
	{"token", assignment(`token`), "${1}" + shapeMark},
	{"key", assignment(`(?:api|access|private)[_-]?key`), "${1}" + shapeMark},
}

const shapeMark = "[secret]"

// assignment matches a value that belongs to a word, as in --password x,
// TOKEN=x and "token": x. In JSON the quotes of a text are escaped.
func assignment(word string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)((?:-[a-z0-9_-]*` + word + `\s+|` + word + `(?:\\"|')?\s*[:=]\s*)(?:\\"|')?)[^\s"'\\,;&\[\]{}]{4,}`)
}

// withoutShapes replaces texts that look like credentials.
func withoutShapes(raw []byte) []byte {
	lower := bytes.ToLower(raw)
	for _, s := range shapes {
		if bytes.Contains(lower, []byte(s.sign)) {
			raw = s.pattern.ReplaceAll(raw, []byte(s.with))
		}
	}
	return raw
}
