package secret

import (
	"slices"
	"strings"
	"unicode"
)

// Named reports whether a setting of this name, such as API_KEY or
// clientSecret, holds a secret.
func Named(name string) bool {
	parts := strings.FieldsFunc(spaceCamel(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(parts) == 0 {
		return false
	}
	switch strings.ToUpper(parts[len(parts)-1]) {
	case "FILE", "PATH", "DIR", "URL", "URI", "HOST", "TYPE", "NAME":
		return false // where it is, not what it is
	}
	return slices.ContainsFunc(parts, func(part string) bool {
		part = strings.ToUpper(part)
		return slices.ContainsFunc(words(), func(word string) bool {
			return part == word || len(word) > 3 && strings.HasSuffix(part, word) || strings.HasSuffix(part, "APIKEY")
		})
	})
}

// words end the names of settings that hold secrets.
func words() []string {
	return []string{
		"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "KEY", "APIKEY", "AUTH", "AUTHORIZATION", "CREDENTIAL", "CREDENTIALS",
		"CREDS", "PRIVATE", "PAT", "COOKIE", "BEARER",
	}
}

// spaceCamel puts spaces into camelCase.
func spaceCamel(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}
