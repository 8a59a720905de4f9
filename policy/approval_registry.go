package policy

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// ApprovalRequest is the question about one call.
type ApprovalRequest struct {
	ToolName string
	// Input has the argument bytes that the handler will get.
	Input json.RawMessage
	// Description is the question for a person.
	Description string
}

// ApprovalManager asks a person.
type ApprovalManager interface {
	Request(ctx context.Context, r ApprovalRequest) (approved bool, err error)
}

// ApprovalRegistry is a registry whose listed tools run only after the manager
// has approved the call. It is the small form for a program of its own; a
// [Policy] decides by rules.
type ApprovalRegistry struct {
	*gongu.Registry
	executor *gongu.Executor
}

// ApprovalOptions changes how an [ApprovalRegistry] answers. Nil is the default.
type ApprovalOptions struct {
	Lang string // en (default) or ko
	// Executor has further options; its catalog is every tool of the registry
	// unless it is set.
	Executor *gongu.ExecutorOptions
}

// NewApprovalRegistry wraps a registry. The tools named in requireApproval ask the
// manager; without a manager they are denied.
func NewApprovalRegistry(inner *gongu.Registry, manager ApprovalManager, requireApproval []string, o *ApprovalOptions) *ApprovalRegistry {
	var options ApprovalOptions
	if o != nil {
		options = *o
	}
	var executor gongu.ExecutorOptions
	if options.Executor != nil {
		executor = *options.Executor
	}
	if options.Lang != "" {
		executor.Lang = options.Lang
	}
	check := approvalGuard(manager, slices.Clone(requireApproval), executor.Lang)
	executor.Guards = append(slices.Clone(executor.Guards), gongu.Guard{Name: "approval", Check: check})
	return &ApprovalRegistry{Registry: inner, executor: gongu.NewExecutor(inner, &executor)}
}

// Dispatch runs a call, after asking if its tool requires it.
func (r *ApprovalRegistry) Dispatch(ctx context.Context, call gongu.Call) gongu.Result {
	executor := r.executor
	if executor.Catalog() == nil {
		executor = executor.WithCatalog(gongu.Everything(r.Registry)) // as the registry is now
	}
	return executor.Call(ctx, call)
}

func approvalGuard(manager ApprovalManager, names []string, language string) func(context.Context, *gongu.Attempt) *gongu.Error {
	l := lang.Of(language)
	return func(ctx context.Context, a *gongu.Attempt) *gongu.Error {
		if !slices.Contains(names, a.Call.Name) || a.DryRun {
			return nil
		}
		if manager == nil {
			return &gongu.Error{Code: gongu.CodeDenied, Message: lang.ApprovalNoManager.In(l, a.Call.Name)}
		}
		approved := false
		err := a.Await(ctx, func(ctx context.Context) (err error) {
			approved, err = manager.Request(ctx, ApprovalRequest{
				ToolName: a.Call.Name, Input: slices.Clone(a.Call.Args), Description: lang.ApprovalPrompt.In(l, a.Call.Name),
			})
			return err
		})
		switch {
		case ctx.Err() != nil:
			return &gongu.Error{Code: gongu.CodeCancelled, Message: context.Cause(ctx).Error()}
		case err != nil:
			return &gongu.Error{Code: gongu.CodeDenied, Message: lang.ApprovalFailed.In(l, a.Call.Name, err)}
		case !approved:
			return &gongu.Error{Code: gongu.CodeRejected, Message: lang.MessageRejected.In(l)}
		}
		return nil
	}
}
