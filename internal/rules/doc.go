// Package rules holds the rules of this repository as tests: what the layers
// may import, what the root may depend on, how long a function may be, that the
// documentation compiles and that every error code has its page. A rule that
// is only written in a guide is broken within a month; a rule that is a test is not.
//
// Each failure gives the places, the reason for the rule and the way to fix it.
// Each check is a function over parsed sources, so that a sample which breaks
// the rule proves that the check can fail.
package rules
