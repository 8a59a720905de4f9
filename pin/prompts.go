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

// Admits reports whether a source that lists no tools may be used: the policy
// trusts new sources, or a prompt of it was accepted.
func (b *Book) Admits(source string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.policy(source).FirstUse.strictness() == Trust.strictness() {
		return true
	}
	l, _, err := b.load()
	return err == nil && l.Sources[PromptsOf(source)] != nil
}
