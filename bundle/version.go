package bundle

import (
	"strings"

	"golang.org/x/mod/semver"
)

// version is a version of a package, as semver.org defines it, with a v before
// it as package semver wants it. The zero value is none.
type version string

// parseVersion reads a version with all three numbers.
func parseVersion(text string) (version, bool) {
	v := "v" + text
	if semver.Canonical(v)+semver.Build(v) != v {
		return "", false
	}
	return version(v), true
}

func (v version) String() string { return strings.TrimPrefix(string(v), "v") }

// compare orders versions; a pre-release comes before its release.
func (v version) compare(o version) int { return semver.Compare(string(v), string(o)) }

// satisfies checks the forms of ranges that people write. One that it does not
// know is satisfied: the author of the lock file knew better.
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
		return c >= 0 && compatible(string(v), string(low))
	case "~":
		return c >= 0 && semver.MajorMinor(string(v)) == semver.MajorMinor(string(low))
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

// compatible reports whether two versions are the same up to the first number
// of low that is not zero.
func compatible(v, low string) bool {
	switch {
	case semver.Major(low) != "v0":
		return semver.Major(v) == semver.Major(low)
	case semver.MajorMinor(low) != "v0.0":
		return semver.MajorMinor(v) == semver.MajorMinor(low)
	}
	return numbers(v) == numbers(low)
}

// numbers returns a version without its pre-release and build.
func numbers(v string) string {
	return strings.TrimSuffix(semver.Canonical(v), semver.Prerelease(v))
}
