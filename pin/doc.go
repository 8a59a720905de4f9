// Package pin stores the definitions of imported tools that a person accepted, and
// reports when a definition changes.
//
// A [Book] is a lock file that is meant to be committed, and a cache that is
// not. [Book.Review] takes what a source lists now and answers, tool by tool,
// whether it may be used, with the bytes to show. A definition that changed is
// held back until a person accepts it; [Scan] searches every text of a definition
// for instructions to the model.
//
// A pin covers the definition of a tool, and not what a server does when it
// is called.
package pin
