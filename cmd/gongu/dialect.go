package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
	"github.com/gongu-ai/gongu/internal/lang"
)

// parseDialect reads the flag; empty means none.
func (a *app) parseDialect(cmd *cobra.Command, name string) (dialect.Dialect, error) {
	if name == "" && !cmd.Flags().Changed("dialect") {
		return "", nil
	}
	provider, err := dialect.Parse(name)
	if err != nil {
		return "", a.misuse(cmd, a.oneOf(name, dialect.Names()), lang.CLIFlagBadValue, "dialect", name)
	}
	return provider, nil
}

// shownLosses is how many losses are printed.
const shownLosses = 20

// printDeclarations writes the declarations for a provider, and to standard error
// what the provider's form cannot express.
func (a *app) printDeclarations(provider dialect.Dialect, tools []gongu.Tool) error {
	declared, err := dialect.DeclareAll(provider, tools, &dialect.Options{Lang: string(a.lang)})
	if declared.JSON == nil {
		return err
	}
	for _, loss := range declared.Losses[:min(shownLosses, len(declared.Losses))] {
		fmt.Fprintln(a.stderr, lang.CLINotCarried.In(a.lang, provider, loss))
	}
	if more := len(declared.Losses) - shownLosses; more > 0 {
		fmt.Fprintln(a.stderr, lang.CLIMoreLosses.In(a.lang, more))
	}
	if writeErr := a.writeJSON(declared.JSON); writeErr != nil {
		return writeErr
	}
	return err
}
