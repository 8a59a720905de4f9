package bundle

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// version is a version of a package, as semver.org defines it.
type version struct {
	text string
	core [3]uint64
	pre  string
}

var versionPattern = regexp.MustCompile(`^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$`)

func parseVersion(text string) (version, bool) {
	m := versionPattern.FindStringSubmatch(text)
	if m == nil {
		return version{}, false
	}
	v := version{text: text, pre: m[4]}
	for i := range v.core {
		n, err := strconv.ParseUint(m[i+1], 10, 64)
		if err != nil {
			return version{}, false
		}
		v.core[i] = n
	}
	return v, true
}

// compare orders versions; a pre-release comes before its release.
func (v version) compare(o version) int {
	for i := range v.core {
		if c := cmp.Compare(v.core[i], o.core[i]); c != 0 {
			return c
		}
	}
	switch {
	case v.pre == o.pre:
		return 0
	case v.pre == "":
		return 1
	case o.pre == "":
		return -1
	}
	return comparePre(strings.Split(v.pre, "."), strings.Split(o.pre, "."))
}

func comparePre(a, b []string) int {
	for i := range min(len(a), len(b)) {
		x, errX := strconv.ParseUint(a[i], 10, 64)
		y, errY := strconv.ParseUint(b[i], 10, 64)
		var c int
		switch {
		case errX == nil && errY == nil:
			c = cmp.Compare(x, y)
		case errX == nil:
			c = -1
		case errY == nil:
			c = 1
		default:
			c = strings.Compare(a[i], b[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// satisfies checks the forms of ranges that people write. One that it does not
// know is left to whoever wrote the lock file.
func satisfies(wanted string, v version) bool {
	wanted = strings.TrimSpace(wanted)
	if wanted == "*" || wanted == "latest" {
		return true
	}
	operator := strings.TrimRight(wanted[:len(wanted)-len(strings.TrimLeft(wanted, "^~<>="))], " ")
	low, ok := parseVersion(strings.TrimSpace(strings.TrimLeft(wanted, "^~<>=")))
	if !ok {
		return true
	}
	c := v.compare(low)
	switch operator {
	case "^":
		return c >= 0 && samePrefix(v, low, leading(low))
	case "~":
		return c >= 0 && samePrefix(v, low, 2)
	case ">=":
		return c >= 0
	case ">":
		return c > 0
	case "<=":
		return c <= 0
	case "<":
		return c < 0
	}
	return c == 0
}

// leading is how many parts a caret keeps: up to the first that is not zero.
func leading(v version) int {
	for i, part := range v.core {
		if part != 0 {
			return i + 1
		}
	}
	return len(v.core)
}

func samePrefix(a, b version, parts int) bool {
	for i := range parts {
		if a.core[i] != b.core[i] {
			return false
		}
	}
	return true
}
