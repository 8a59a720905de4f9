package gongu

import "context"

// Preview is what a call will do, found out without doing it. It is for a person
// who is asked about the call, and for rules. [Tool].Preview makes it.
type Preview struct {
	// Files are the files that the call changes, in a fixed order.
	Files []FileChange
	// InWorkdir is true if all of them are inside the workdir of the call.
	InWorkdir bool
	// Method, Host and URL are those of an HTTP request. Host is the name that
	// is looked up, with its port if the URL has one.
	Method, Host, URL string
	// Problem says why the call would fail now, such as an edit whose text is
	// not in the file.
	Problem string
}

// FileChange is what a call does to one file.
type FileChange struct {
	// Path is absolute, with all links resolved.
	Path string `json:"path"`
	// Action is create, change, delete or mkdir.
	Action string `json:"action"`
	// From is the file that a created one is the continuation of: it is renamed.
	From string `json:"from,omitempty"`
	// Digest identifies the content of the file now; it is empty if there is no
	// file.
	Digest string `json:"digest,omitempty"`
	// Diff is the change as a unified diff, perhaps cut. Note says what Diff
	// does not show.
	Diff string `json:"diff,omitempty"`
	Note string `json:"note,omitempty"`
}

// Expect binds the call to files as a preview has found them: the handler must not
// change others, nor these if their content is another by then. A handler learns of
// it by [ExpectedFiles].
func (a *Attempt) Expect(files []FileChange) { a.expected = append([]FileChange{}, files...) }

// ExpectedFiles returns the files that a guard has bound the call to, or nil. A
// handler that changes files compares them at the last moment, because guards look
// before the call is recorded and started.
func ExpectedFiles(ctx context.Context) []FileChange {
	if d, ok := ctx.Value(dispatchKey{}).(*dispatch); ok {
		return d.attempt.expected
	}
	return nil
}
