package pin

import "strings"

// promptsMark follows the identity of a source under which its prompts are
// pinned. No identity has it.
const promptsMark = "#prompts"

// PromptsOf returns the name under which the prompts of a source are pinned.
func PromptsOf(source string) string { return source + promptsMark }

// Owner returns the source of what is pinned under a name: for prompts, the
// source that has them.
func Owner(name string) string { return strings.TrimSuffix(name, promptsMark) }

// Admits reports whether a source that lists no tools may be used: it is started
// as it was when it was first used, and the policy trusts new sources or a prompt
// of it was accepted.
func (b *Book) Admits(source string, launch Launch) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, _, err := b.load()
	if err != nil {
		return false
	}
	for _, name := range []string{source, PromptsOf(source)} {
		if entry := l.Sources[name]; entry != nil && len(entry.launchDiff(launch)) > 0 {
			return false
		}
	}
	return b.policy(source).trustsNew() || l.Sources[PromptsOf(source)] != nil
}

// trustsNew reports whether a source is used before a person has accepted it.
func (p Policy) trustsNew() bool { return p.FirstUse.strictness() == Trust.strictness() }
