// Package policy decides whether a call may run: it is allowed, a person is
// asked, or it is denied.
package policy
