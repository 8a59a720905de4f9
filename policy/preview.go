package policy

import (
	"context"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/state"
)

// The kinds of a preview.
const (
	KindCommand = "command"
	KindEdit    = "edit"
	KindRequest = "request"
	KindCall    = "call"
)

// Preview is what a call will do, as a person should see it, and what the
// approval is bound to. Its JSON is stored with the approval; [Preview.Text]
// renders it.
type Preview struct {
	// Kind is command, edit, request or call.
	Kind string `json:"kind"`
	// Command is the text of a shell command, Commands what it runs. Undecided
	// are the indexes of those with a word that the text does not decide.
	Command   string     `json:"command,omitempty"`
	Commands  [][]string `json:"commands,omitempty"`
	Undecided []int      `json:"undecided,omitempty"`
	Dynamic   bool       `json:"dynamic,omitempty"`
	// Files are the files that the call changes.
	Files []gongu.FileChange `json:"files,omitempty"`
	// InWorkdir means that the call changes only files inside the workdir.
	InWorkdir bool `json:"inWorkdir,omitempty"`
	// Method, Host and URL are those of an HTTP request.
	Method string `json:"method,omitempty"`
	Host   string `json:"host,omitempty"`
	URL    string `json:"url,omitempty"`
	// Problem says why the call would fail now, such as an edit whose text is
	// not in the file.
	Problem string `json:"problem,omitempty"`
}

// maxPreviewTime bounds the work for a preview. A file system that does not
// answer must not keep a call from being asked about.
const maxPreviewTime = 5 * time.Second

// Describe returns the preview of a call, from the Shell and Preview functions of
// its tool. It is a [Describer].
func Describe(ctx context.Context, a *gongu.Attempt) Preview {
	tool, found := a.Tool()
	if !found {
		return Preview{Kind: KindCall}
	}
	return DescribeTool(ctx, &tool, a.Call)
}

// DescribeTool is [Describe] for a call that is not attempted.
func DescribeTool(ctx context.Context, tool *gongu.Tool, call gongu.Call) Preview {
	p := Preview{Kind: KindCall}
	if tool.Preview != nil {
		bounded, cancel := context.WithTimeout(ctx, maxPreviewTime)
		defer cancel()
		made := tool.Preview(bounded, call)
		p.Files, p.InWorkdir, p.Problem = made.Files, made.InWorkdir, made.Problem
		p.Method, p.Host, p.URL = made.Method, made.Host, made.URL
		switch {
		case len(p.Files) > 0:
			p.Kind = KindEdit
		case p.Method != "":
			p.Kind = KindRequest
		}
	}
	if tool.Shell != nil {
		if text, ok := tool.Shell(call.Args); ok {
			shell := ParseShell(text)
			p.Kind, p.Command = KindCommand, text
			p.Commands, p.Undecided, p.Dynamic = shell.Commands, shell.Undecided, shell.Dynamic
			p.InWorkdir = false // a command can change anything
		}
	}
	return p
}

// Bound returns the files that the approval of the call is bound to. The call may
// run only while a new preview returns the same ones.
func (p *Preview) Bound() []state.ApprovalFile {
	var files []state.ApprovalFile
	for _, f := range p.Files {
		files = append(files, state.ApprovalFile{Path: f.Path, Digest: f.Digest})
	}
	return files
}
