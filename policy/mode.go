package policy

import (
	"slices"

	"github.com/gongu-ai/gongu"
)

// Modes lists the modes, the strictest first.
func Modes() []Mode { return []Mode{Plan, Default, Edits, Bypass} }

// Stricter returns the stricter of two modes. An unknown one, such as "", counts as
// [Default].
func (m Mode) Stricter(other Mode) Mode {
	all := Modes()
	return all[min(m.rank(), other.rank())]
}

func (m Mode) rank() int {
	if i := slices.Index(Modes(), m); i >= 0 {
		return i
	}
	return slices.Index(Modes(), Default)
}

// For returns the mode of a caller in a process with mode m: the caller's own, if it
// has one. Plan holds for every caller of the process.
func (m Mode) For(p *gongu.Principal) Mode {
	if p == nil || p.Permission == "" || m == Plan {
		return m
	}
	return Mode(p.Permission).Stricter(Bypass)
}
