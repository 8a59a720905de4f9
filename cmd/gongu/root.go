package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
)

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "gongu",
		Short: lang.CLIShort.In(a.lang),
		Long:  lang.CLILong.In(a.lang),
		Example: "  gongu tools\n" +
			`  gongu call text-transform__case '{"text":"hello","to":"upper"}'` + "\n" +
			"  gongu init my-bundle",
		Args:              a.knownCommand,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	printVersion := root.Flags().Bool("version", false, lang.CLIFlagVersion.In(a.lang))
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *printVersion {
			return a.version()
		}
		return cmd.Help()
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		return a.notEmpty(cmd, "bundle", "state-root", "store", "store-key")
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	flags := root.PersistentFlags()
	flags.BoolP("help", "h", false, lang.CLIFlagHelp.In(a.lang))
	flags.BoolVar(&a.json, "json", false, lang.CLIFlagJSON.In(a.lang))
	flags.Var(languageFlag{&a.lang}, "lang", lang.CLIFlagLang.In(a.lang))
	flags.StringVarP(&a.bundle, "bundle", "b", "", lang.CLIFlagBundle.In(a.lang))
	flags.StringVar(&a.stateRoot, "state-root", "", lang.CLIFlagStateRoot.In(a.lang))
	flags.StringVar(&a.store, "store", "", lang.CLIFlagStore.In(a.lang))
	flags.StringVar(&a.keyFile, "store-key", "", lang.CLIFlagStoreKey.In(a.lang))
	root.SetFlagErrorFunc(a.flagError)
	root.SetHelpFunc(a.help)
	root.SetHelpCommand(a.helpCommand())
	root.AddCommand(a.serveCommand(), a.toolsCommand(), a.searchCommand(), a.callCommand(), a.whyCommand(), a.initCommand(), a.validateCommand(),
		a.trustCommand(), a.doctorCommand(), a.editCommand(), a.cadCommand(), a.requestsCommand(), a.approvalsCommand(), a.sourcesCommand(), a.pinsCommand(), a.policyCommand(), a.tokenCommand(), a.mcpCommand(), a.connectCommand(), a.stateCommand(), a.auditCommand(), a.statusCommand(), a.logsCommand(), a.versionCommand())
	return root
}

// group makes a command that only has commands below it.
func (a *app) group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.Args = a.knownCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(commands...)
	return cmd
}

// knownCommand sees the words that cobra found no command for.
func (a *app) knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return a.misuse(cmd, a.didYouMean(args[0], names), lang.CLIUnknownCommand, args[0])
}

// noArguments is for commands that take flags alone.
func (a *app) noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return a.misuse(cmd, "", lang.CLINoArguments, cmd.Name(), args[0])
}

// flagError says in the reader's language what the parser found wrong.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			return a.misuse(cmd, "", lang.CLIUnknownFlag, "-"+name)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return a.misuse(cmd, a.didYouMean("--"+name, names), lang.CLIUnknownFlag, "--"+name)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return a.misuse(cmd, "", lang.CLIFlagNeedsValue, missing.GetFlag().Name)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		hint := ""
		if errors.Is(err, errLanguage) {
			hint = lang.CLIUseOneOf.In(a.lang, "en, ko")
		}
		return a.misuse(cmd, hint, lang.CLIFlagBadValue, invalid.GetFlag().Name, invalid.GetValue())
	}
	if bad, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return a.misuse(cmd, "", lang.CLIFlagBadSyntax, bad.GetSpecifiedFlag())
	}
	return err
}

// misuse is a usage error of a command. The hint may be empty; the way to the
// help always follows it.
func (a *app) misuse(cmd *cobra.Command, hint string, text lang.Text, args ...any) error {
	e := &usageError{message: text.In(a.lang, args...)}
	if hint != "" {
		e.hints = append(e.hints, hint)
	}
	e.hints = append(e.hints, lang.CLISeeHelp.In(a.lang, cmd.CommandPath()))
	return e
}

// didYouMean is empty when nothing is near.
func (a *app) didYouMean(name string, names []string) string {
	found := near.Names(name, slices.Values(names), 3)
	if len(found) == 0 {
		return ""
	}
	return lang.CLIDidYouMean.In(a.lang, strings.Join(found, ", "))
}
