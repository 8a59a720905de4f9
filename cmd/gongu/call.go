package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

func (a *app) callCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call [-b DIR] [--agent A] [--json] [--dry-run] NAME [JSON|-]",
		Short: lang.CLICallShort.In(a.lang),
		Long:  lang.CLICallLong.In(a.lang),
		Example: `  gongu call text-transform__case '{"text":"hello","to":"upper"}'` + "\n" +
			"  gongu call --json json-query__count - < args.json\n" +
			`  gongu call --dry-run wait__seconds '{"seconds":60}'` + "\n" +
			`  gongu call -b my-bundle --agent assistant file-system__list '{}'`,
	}
	var f openFlags
	a.openFlags(cmd, &f)
	a.permissionFlag(cmd, &f.permission)
	dryRun := cmd.Flags().Bool("dry-run", false, lang.CLIFlagDryRun.In(a.lang))
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return a.misuse(cmd, lang.CLIResultListTools.In(a.lang, a.again("tools", &f)), lang.CLICallNeedsName)
		case len(args) > 2:
			return a.misuse(cmd, lang.CLICallQuote.In(a.lang), lang.CLICallTooMany, len(args))
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.checkPermission(cmd, f.permission, false); err != nil {
			return err
		}
		params, err := a.readArguments(cmd, args[1:])
		if err != nil {
			return err
		}
		return a.call(cmd, &f, gongu.Call{Name: args[0], Args: params}, *dryRun)
	}
	return cmd
}

// maxStdin is as much as an executor takes as arguments.
const maxStdin = 4 << 20

// readArguments returns the arguments of a call: the JSON that follows the name,
// standard input for "-", or an empty object. The executor checks them.
func (a *app) readArguments(cmd *cobra.Command, rest []string) (json.RawMessage, error) {
	switch {
	case len(rest) == 0:
		return json.RawMessage("{}"), nil
	case rest[0] != "-":
		return json.RawMessage(rest[0]), nil
	}
	raw, err := io.ReadAll(io.LimitReader(a.stdin, maxStdin+1))
	if err != nil {
		return nil, a.misuse(cmd, "", lang.CLIStdinFailed, err)
	}
	if len(raw) > maxStdin {
		return nil, a.misuse(cmd, "", lang.CLIStdinTooLarge, maxStdin)
	}
	return raw, nil
}

func (a *app) call(cmd *cobra.Command, f *openFlags, call gongu.Call, dryRun bool) error {
	var executor *gongu.Executor
	f.records = true
	f.describe = func(ctx context.Context, c *state.ApprovalCall) policy.Preview { return describeCall(ctx, executor, c) }
	h, err := a.open(cmd, f)
	if err != nil {
		return err
	}
	defer a.close(h)
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	ctx = gongu.WithPrincipal(ctx, a.caller())
	var result gongu.Result
	h.Prepare(ctx, call.Name)
	err = h.Step(ctx, f.agent, func(ctx context.Context, x *gongu.Executor) error {
		executor = x
		run := x.Call
		if dryRun {
			run = x.DryRun
		}
		result = run(ctx, call)
		return nil
	})
	if err != nil {
		return err
	}
	err = a.report(result, dryRun)
	if a.json || result.Error == nil {
		return err
	}
	switch result.Error.Code {
	case gongu.CodeNotInCatalog:
		fmt.Fprintln(a.stderr, lang.CLIResultListTools.In(a.lang, a.again("tools", f)))
	case gongu.CodeInvalidArgs:
		if tool, ok := executor.Catalog().Get(call.Name); ok {
			a.printExample(tool, a.again("call", f))
		}
	}
	return err
}

// describeCall says what a call does with arguments that a person has changed.
func describeCall(ctx context.Context, x *gongu.Executor, c *state.ApprovalCall) policy.Preview {
	if tool, found := x.Catalog().Get(c.Tool); found {
		return policy.DescribeTool(ctx, &tool, gongu.Call{ID: c.CallID, Name: c.Tool, Args: c.Args})
	}
	return policy.Preview{Kind: policy.KindCall, Dynamic: c.Dynamic}
}

// untilInterrupted is cancelled by Ctrl-C, so that the tool can end properly
// and the result is still printed. A second Ctrl-C ends the program at once.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
		}
		// Before the end begins, so that a second signal is never caught.
		signal.Stop(signals)
		cancel()
	}()
	return ctx, cancel
}

// report prints a result and turns a failed one into the exit status.
func (a *app) report(result gongu.Result, dryRun bool) error {
	var err error
	switch {
	case a.json:
		err = a.writeExactJSON(result)
	case result.Failed():
		fmt.Fprint(a.stderr, a.texts().Failure(result))
	case dryRun:
		err = a.printPlan(result.Output)
	default:
		err = a.printOutput(result)
	}
	if err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	if result.Failed() {
		return errReported
	}
	return nil
}
