// Package pin remembers what tools from elsewhere looked like when they were
// accepted, and says when they look different.
//
// A [Book] is a lock file that is meant to be committed, and a cache that is
// not. [Book.Review] takes what a source lists now and answers, tool by tool,
// whether it may be used, with the bytes to show. A definition that changed is
// held back until a person accepts it; [Scan] reads every text of a definition
// for what is aimed at the model instead of the user.
//
// A pin covers what was read. It says nothing about what a server does when it
// is called.
package pin
