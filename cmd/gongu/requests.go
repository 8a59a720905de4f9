package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/toolrequest"
)

// requestsFlags are the flags of gongu requests and its commands.
type requestsFlags struct {
	file, status, reason, reviewer, macro, script string
	digest, agent                                 string
	noTool, decides                               bool
}

func (a *app) requestsCommand() *cobra.Command {
	return a.group(&cobra.Command{
		Use:   "requests",
		Short: lang.CLIRequestsShort.In(a.lang),
		Long:  lang.CLIRequestsLong.In(a.lang),
		Example: "  gongu requests list --status queued\n" +
			"  gongu requests show req_001\n" +
			"  gongu requests approve req_001\n" +
			"  gongu requests reject req_001 --reason 'use draw_arc'",
	}, a.requestsList(), a.requestsShow(), a.requestsApprove(), a.requestsReject())
}

func (a *app) requestsList() *cobra.Command {
	var f requestsFlags
	cmd := a.requestsSub(&f, "list [--status S] [--json]", lang.CLIRequestsListShort,
		func(ctx context.Context, q requestQueue, _ string) error { return a.listRequests(ctx, q, &f) })
	cmd.Args = a.noArguments
	cmd.Flags().StringVar(&f.status, "status", "", lang.CLIFlagRequestStatus.In(a.lang))
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		names := []string{string(toolrequest.Queued), string(toolrequest.Approved), string(toolrequest.Rejected), string(toolrequest.Fulfilled)}
		if f.status != "" && !slices.Contains(names, f.status) {
			return a.misuse(cmd, a.oneOf(f.status, names), lang.CLIFlagBadValue, "status", f.status)
		}
		return nil
	}
	return cmd
}

func (a *app) requestsShow() *cobra.Command {
	var f requestsFlags
	return a.requestsSub(&f, "show ID [--json]", lang.CLIRequestsShowShort,
		func(ctx context.Context, q requestQueue, id string) error {
			r, err := q.Get(ctx, id)
			if err != nil {
				return a.requestFailed(err)
			}
			if a.json {
				return a.writeJSON(r)
			}
			return a.printRequest(&r, &f)
		})
}

func (a *app) requestsApprove() *cobra.Command {
	var f requestsFlags
	cmd := a.requestsSub(&f, "approve ID [--macro FILE | --script FILE | --no-tool]", lang.CLIRequestsYesShort,
		func(ctx context.Context, q requestQueue, id string) error {
			r, err := q.Get(ctx, id)
			if err != nil {
				return a.requestFailed(err)
			}
			if r.Status == toolrequest.Queued && !f.noTool && (f.macro != "" || f.script != "" || len(r.Proposal) > 0) {
				return a.approveWithTool(ctx, q, r, &f)
			}
			return a.decide(ctx, q, r, toolrequest.Approved, &f)
		})
	cmd.Long = lang.CLIRequestsYesLong.In(a.lang)
	a.decisionFlags(cmd, &f)
	cmd.Flags().StringVar(&f.macro, "macro", "", lang.CLIFlagApproveMacro.In(a.lang))
	cmd.Flags().StringVar(&f.script, "script", "", lang.CLIFlagApproveScript.In(a.lang))
	cmd.Flags().StringVar(&f.agent, "agent", "", lang.CLIFlagApproveAgent.In(a.lang))
	cmd.Flags().BoolVar(&f.noTool, "no-tool", false, lang.CLIFlagApproveNoTool.In(a.lang))
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case f.macro != "" && f.script != "":
			return a.misuse(cmd, "", lang.CLIFlagsConflict, "macro", "script")
		case f.noTool && f.macro != "":
			return a.misuse(cmd, "", lang.CLIFlagsConflict, "no-tool", "macro")
		case f.noTool && f.script != "":
			return a.misuse(cmd, "", lang.CLIFlagsConflict, "no-tool", "script")
		case f.noTool && f.agent != "":
			return a.misuse(cmd, "", lang.CLIFlagsConflict, "no-tool", "agent")
		}
		return a.notEmpty(cmd, "macro", "script", "agent", "digest")
	}
	return cmd
}

func (a *app) requestsReject() *cobra.Command {
	var f requestsFlags
	cmd := a.requestsSub(&f, "reject ID --reason R", lang.CLIRequestsNoShort,
		func(ctx context.Context, q requestQueue, id string) error {
			r, err := q.Get(ctx, id)
			if err != nil {
				return a.requestFailed(err)
			}
			return a.decide(ctx, q, r, toolrequest.Rejected, &f)
		})
	a.decisionFlags(cmd, &f)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if strings.TrimSpace(f.reason) == "" {
			return a.misuse(cmd, lang.CLIRequestsReasonHint.In(a.lang), lang.CLIRequestsNeedReason)
		}
		return nil
	}
	return cmd
}

func (a *app) decisionFlags(cmd *cobra.Command, f *requestsFlags) {
	f.decides = true
	cmd.Flags().StringVar(&f.reason, "reason", "", lang.CLIFlagReason.In(a.lang))
	cmd.Flags().StringVar(&f.digest, "digest", "", lang.CLIFlagDigest.In(a.lang))
	cmd.Flags().StringVar(&f.reviewer, "reviewer", "", lang.CLIFlagReviewer.In(a.lang))
}

// requestsSub is a command about the queue, by default with the id of a request.
func (a *app) requestsSub(f *requestsFlags, use string, short lang.Text, work func(context.Context, requestQueue, string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short.In(a.lang),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return a.misuse(cmd, "", lang.CLIRequestsNeedID, cmd.Name())
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&f.file, "requests", "", lang.CLIFlagRequests.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.notEmpty(cmd, "requests", "status", "reviewer"); err != nil {
			return err
		}
		file, err := a.requestsFile(cmd, f)
		if err != nil {
			return err
		}
		id := ""
		if len(args) > 0 {
			id = args[0]
		}
		queue, err := a.requestQueue(cmd, f, file)
		if err != nil {
			return err
		}
		return errors.Join(work(cmd.Context(), queue, id), a.exportRequests(queue))
	}
	return cmd
}

// requestQueue is a queue with the file that it is kept in, or exported to.
type requestQueue interface {
	toolrequest.Store
	Path() string
	SetAside() ([]string, error)
}

// recordedQueue records the decisions about the requests in a file.
type recordedQueue struct {
	requestQueue
	recorded toolrequest.Store
}

func (q recordedQueue) Review(ctx context.Context, id string, d toolrequest.Decision) (toolrequest.Request, error) {
	return q.recorded.Review(ctx, id, d)
}

// requestQueue returns the queue in a file, or in the server of --store.
func (a *app) requestQueue(cmd *cobra.Command, f *requestsFlags, file string) (requestQueue, error) {
	opts := &toolrequest.Options{Logger: a.logger(), Lang: string(a.lang)}
	shared, err := a.sharedRows()
	switch {
	case err != nil:
		return nil, err
	case shared == nil && f.decides:
		store, err := a.openStore(cmd.Context())
		if err != nil {
			return nil, err
		}
		queue := toolrequest.NewFile(file, opts)
		return recordedQueue{queue, host.RecordRequests(queue, store, false, a.logger())}, nil
	case shared == nil:
		return toolrequest.NewFile(file, opts), nil
	case f.file != "":
		return nil, a.misuse(cmd, lang.CLIRequestsInStore.In(a.lang), lang.CLIFlagsConflict, "requests", "store")
	}
	state, err := a.statePath()
	if err != nil {
		return nil, err
	}
	return host.RequestRows(shared, file, state, opts), nil
}

// exportRequests writes the file of requests that a command has changed in a store.
func (a *app) exportRequests(q requestQueue) error {
	if stored, ok := q.(*toolrequest.Rows); ok && stored.Changed() {
		return stored.Export(context.Background())
	}
	return nil
}

// requestsFile returns the file that the flags name. The bundle need not be valid:
// a person can decide about requests while the bundle has errors.
func (a *app) requestsFile(cmd *cobra.Command, f *requestsFlags) (string, error) {
	if f.file != "" {
		if isDir(f.file) {
			return "", a.misuse(cmd, "", lang.CLIFlagBadValue, "requests", f.file)
		}
		return f.file, nil
	}
	dir := a.folder(nil)
	if isFile(dir) {
		dir = filepath.Dir(dir)
	}
	if !isDir(dir) {
		return "", a.misuse(cmd, lang.CLIHintFolderExists.In(a.lang), lang.CLINoFolder, dir)
	}
	return a.bundleFile(toolrequest.FileName)
}

func (a *app) listRequests(ctx context.Context, q requestQueue, f *requestsFlags) error {
	list := []toolrequest.Request{}
	for filter := (toolrequest.Filter{Status: toolrequest.Status(f.status)}); ; {
		page, err := q.List(ctx, filter)
		if err != nil {
			return a.requestFailed(err)
		}
		list = append(list, page.Requests...)
		if filter.Cursor = page.NextCursor; filter.Cursor == "" {
			break
		}
	}
	if err := a.tellSetAside(q); err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(list)
	}
	if len(list) == 0 {
		text := lang.CLIRequestsNone.In(a.lang, visible(q.Path()))
		if f.status != "" {
			text = lang.CLIRequestsNoneStatus.In(a.lang, f.status, visible(q.Path()))
		}
		a.complain(text)
		return nil
	}
	return a.print(a.texts().Requests(list))
}

// tellSetAside reports broken files of requests that were renamed.
func (a *app) tellSetAside(q requestQueue) error {
	files, err := q.SetAside()
	if err != nil {
		return a.requestFailed(err)
	}
	for _, file := range files {
		a.complain(lang.CLIRequestsAside.In(a.lang, visible(file)))
	}
	if len(files) > 0 {
		fmt.Fprintln(a.stderr, lang.RequestSetAsideHint.In(a.lang))
	}
	return nil
}

// printRequest prints a request and how to decide about it.
func (a *app) printRequest(r *toolrequest.Request, f *requestsFlags) error {
	text := a.texts().Request(r)
	if r.Status == toolrequest.Queued {
		text += fmt.Sprintf("\n%s\n", lang.CLIRequestNextDecide.In(a.lang,
			a.requestsAgain(f, "approve", r.ID), a.requestsAgain(f, "reject", r.ID)+" --reason R"))
	}
	return a.print(text)
}

// requestsAgain is a command about the same queue.
func (a *app) requestsAgain(f *requestsFlags, words ...string) string {
	if f.file != "" {
		words = append(words, "--requests", f.file)
	}
	return a.againWords(append([]string{"requests"}, words...)...)
}

// confirm shows a request whole, with what more belongs to the decision, and asks
// about it. It refuses a request that is decided already here and not in the
// queue, where it could be open again by then, without a question.
func (a *app) confirm(r toolrequest.Request, f *requestsFlags, more string, question lang.Text, next toolrequest.Status) error {
	switch {
	case f.digest != "" && f.digest != r.Digest():
		return a.fail(lang.RequestChanged.In(a.lang, r.ID, visible(f.digest), r.Digest()), lang.RequestChangedHint.In(a.lang, r.ID))
	case r.Status != toolrequest.Queued:
		hint := lang.RequestClosedAlready.In(a.lang)
		if r.Reviewer != "" {
			hint = lang.RequestClosedBy.In(a.lang, visible(r.Reviewer), r.ReviewedAt.Format(time.RFC3339))
		}
		return a.fail(lang.RequestClosed.In(a.lang, r.ID, string(r.Status), string(next)), hint)
	}
	return a.decided(a.texts().Request(&r) + more + "\n" + question.In(a.lang, r.ID))
}

// decision binds to what was shown.
func (a *app) decision(r toolrequest.Request, f *requestsFlags, status toolrequest.Status) toolrequest.Decision {
	return toolrequest.Decision{
		Status: status, Reviewer: cmp.Or(f.reviewer, a.userName()), Reason: strings.TrimSpace(f.reason), Digest: r.Digest(), Agent: f.agent,
	}
}

// decide asks a person, stores the decision and prints it.
func (a *app) decide(ctx context.Context, q requestQueue, shown toolrequest.Request, status toolrequest.Status, f *requestsFlags) error {
	question, told := lang.CLIDecideApprove, lang.CLIRequestApproved
	if status == toolrequest.Rejected {
		question, told = lang.CLIDecideReject, lang.CLIRequestRejected
	}
	if err := a.confirm(shown, f, "", question, status); err != nil {
		return err
	}
	r, err := q.Review(ctx, shown.ID, a.decision(shown, f, status))
	if err != nil {
		return a.decisionFailed(ctx, q, shown, err)
	}
	a.recordDecision(ctx, "request."+string(r.Status), r.ID+" "+r.Name, shown.Digest())
	if a.json {
		return a.writeJSON(r)
	}
	return a.print(told.In(a.lang, r.ID, visible(r.Name)) + "\n")
}

// userName returns the name of the user in the system, without a domain.
func (a *app) userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username[strings.LastIndexByte(u.Username, '\\')+1:]
	}
	return cmp.Or(a.getenv("USER"), a.getenv("USERNAME"), "unknown")
}

// decisionFailed prints an error of a decision. When the request was changed
// after it was shown, that is what differs.
func (a *app) decisionFailed(ctx context.Context, q requestQueue, shown toolrequest.Request, err error) error {
	failed := a.requestFailed(err)
	if now, getErr := q.Get(ctx, shown.ID); getErr == nil && errors.Is(err, toolrequest.ErrChanged) {
		var b strings.Builder
		report.WriteChanges(&b, pin.DiffJSON(shown.Content(), now.Content()))
		fmt.Fprint(a.stderr, b.String())
	}
	return failed
}

// requestFailed prints an error of the queue.
func (a *app) requestFailed(err error) error {
	if e, ok := errors.AsType[*toolrequest.Error](err); ok {
		return a.fail(visible(e.Message(string(a.lang))), visible(e.Hint(string(a.lang))))
	}
	return err
}
