package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
)

func (a *app) stateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "state",
		Short:   lang.CLIStateShort.In(a.lang),
		Long:    lang.CLIStateLong.In(a.lang),
		Example: "  gongu state path -b my-bundle\n  gongu state list\n  gongu state prune --dry-run\n  gongu state backup records.backup\n  gongu state check",
	}
	path := &cobra.Command{
		Use: "path [-b DIR] [--json]", Short: lang.CLIStatePathShort.In(a.lang), Args: a.noArguments,
		RunE: func(*cobra.Command, []string) error { return a.printStatePath() },
	}
	list := &cobra.Command{
		Use: "list [--json]", Short: lang.CLIStateListShort.In(a.lang), Args: a.noArguments,
		RunE: func(*cobra.Command, []string) error { return a.listStates() },
	}
	var dryRun bool
	move := &cobra.Command{
		Use: "move [-b DIR] [--dry-run] [--json]", Short: lang.CLIStateMoveShort.In(a.lang), Long: lang.CLIStateMoveLong.In(a.lang), Args: a.noArguments,
		RunE: func(*cobra.Command, []string) error { return a.moveState(dryRun) },
	}
	prune := &cobra.Command{
		Use: "prune [--dry-run] [--json]", Short: lang.CLIStatePruneShort.In(a.lang), Long: lang.CLIStatePruneLong.In(a.lang), Args: a.noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pruneStates(cmd, dryRun) },
	}
	for _, sub := range []*cobra.Command{move, prune} {
		sub.Flags().BoolVar(&dryRun, "dry-run", false, lang.CLIFlagStateDryRun.In(a.lang))
	}
	return a.group(cmd, append([]*cobra.Command{path, list, move, prune}, a.recordCommands()...)...)
}

func (a *app) printStatePath() error {
	root, err := a.statePath()
	if err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(map[string]string{"path": root})
	}
	return a.print(visible(root) + "\n")
}

func (a *app) listStates() error {
	entries, err := statedir.List()
	if err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(entries)
	}
	if len(entries) == 0 {
		a.complain(lang.CLIStateNone.In(a.lang))
		return nil
	}
	return a.print(a.texts().States(entries))
}

// moveState moves what an earlier version kept in the bundle.
func (a *app) moveState(dryRun bool) error {
	root, err := a.statePath()
	if err != nil {
		return err
	}
	plan, err := statedir.Plan(a.bundleFolder(), root)
	if errors.Is(err, fs.ErrNotExist) {
		return a.fail(lang.CLIStateNoOld.In(a.lang, visible(plan.From)), lang.CLIStateNoOldHint.In(a.lang))
	}
	if err != nil {
		return err
	}
	if !dryRun && len(plan.Moved) > 0 {
		if !a.asked(lang.CLIStateMoveAsk.In(a.lang, visible(strings.Join(plan.Moved, ", ")), visible(plan.From), visible(plan.To))) {
			return a.fail(lang.CLIStateNotAsked.In(a.lang), lang.CLIStateAskHint.In(a.lang, a.againWords("state", "move", "--dry-run")))
		}
		if plan, err = statedir.Move(a.bundleFolder(), root); err != nil {
			return err
		}
	}
	if a.json {
		return a.writeJSON(plan)
	}
	text, left := lang.CLIStateMoved, lang.CLIStateLeft
	if dryRun {
		text = lang.CLIStateWouldMove
	}
	var b strings.Builder
	for _, name := range plan.Moved {
		fmt.Fprintln(&b, text.In(a.lang, visible(name), visible(plan.To)))
	}
	if len(plan.Left) > 0 {
		fmt.Fprintln(&b, left.In(a.lang, visible(plan.From), visible(strings.Join(plan.Left, ", "))))
	}
	return a.print(b.String())
}

// pruneStates removes the state roots whose bundles are gone.
func (a *app) pruneStates(cmd *cobra.Command, dryRun bool) error {
	entries, err := statedir.List()
	if err != nil {
		return err
	}
	gone := []statedir.Entry{}
	for _, e := range entries {
		if e.Abandoned() && len(attach.Servers(cmd.Context(), e.Path)) == 0 {
			gone = append(gone, e)
		}
	}
	switch {
	case len(gone) == 0 || dryRun:
	case !a.asked(a.texts().States(gone) + lang.CLIStatePruneAsk.In(a.lang, len(gone))):
		return a.fail(lang.CLIStateNotAsked.In(a.lang), lang.CLIStateAskHint.In(a.lang, command("state", "prune", "--dry-run")))
	default:
		for i := range gone {
			if err := gone[i].Remove(); err != nil {
				return fmt.Errorf("remove %s: %w", gone[i].Path, err)
			}
		}
	}
	if a.json {
		return a.writeJSON(gone)
	}
	if len(gone) == 0 {
		return a.print(lang.CLIStateNothing.In(a.lang) + "\n")
	}
	text := lang.CLIStateRemoved
	if dryRun {
		text = lang.CLIStateWouldRemove
	}
	var b strings.Builder
	for _, e := range gone {
		fmt.Fprintln(&b, text.In(a.lang, visible(e.Path), visible(e.Bundle)))
	}
	return a.print(b.String())
}

// asked asks the person at the terminal. Without one the answer is no.
func (a *app) asked(question string) bool {
	if !atTerminal() {
		return false
	}
	yes, err := a.personSays(question)
	return err == nil && yes
}
