package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/connect"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// openFlags are the flags of the commands that open a bundle.
type openFlags struct {
	agent, instance, workdir string
	roots, private, env      []string
	code                     bool
	// checkPins compares sources with gongu.lock alone and adds nothing to it.
	checkPins bool
	trust     string
	// describe is set if the person at the terminal is asked about the calls of
	// the command; see ask.Options.
	describe func(context.Context, *state.ApprovalCall) policy.Preview
	// records means that the command records what it does.
	records bool
	// permission is the mode of the commands that have --permission.
	permission string
}

func (a *app) openFlags(cmd *cobra.Command, f *openFlags) {
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", lang.CLIFlagAgent.In(a.lang))
	flags.StringVar(&f.instance, "instance", "", lang.CLIFlagInstance.In(a.lang))
	flags.StringVar(&f.workdir, "workdir", "", lang.CLIFlagWorkdir.In(a.lang))
	flags.StringArrayVar(&f.roots, "root", nil, lang.CLIFlagRoot.In(a.lang))
	flags.StringArrayVar(&f.private, "allow-private", nil, lang.CLIFlagAllowPrivate.In(a.lang))
	flags.StringArrayVar(&f.env, "env", nil, lang.CLIFlagEnv.In(a.lang))
	flags.StringVar(&f.trust, "trust", "", lang.CLIFlagTrust.In(a.lang))
	flags.BoolVar(&f.code, "code", false, lang.CLIFlagCode.In(a.lang))
}

// projectWorkdir is the word for the folder of the bundle.
const projectWorkdir = "project"

// checkOpenFlags checks the flags before a tool fails because of them.
func (a *app) checkOpenFlags(cmd *cobra.Command, f *openFlags) error {
	if err := a.notEmpty(cmd, "agent", "instance", "workdir", "trust"); err != nil {
		return err
	}
	if f.workdir != "" && f.workdir != projectWorkdir && !isDir(f.workdir) {
		return a.misuse(cmd, lang.CLIHintFolderExists.In(a.lang), lang.CLIFlagBadValue, "workdir", f.workdir)
	}
	for i, root := range f.roots {
		absolute, err := filepath.Abs(root)
		if err != nil || root == "" || !isDir(root) {
			return a.misuse(cmd, lang.CLIHintFolderExists.In(a.lang), lang.CLIFlagBadValue, "root", root)
		}
		f.roots[i] = absolute
	}
	for _, place := range f.private {
		if err := (&builtin.Options{AllowPrivate: []string{place}}).Validate(); err != nil || place == "" {
			return a.misuse(cmd, lang.CLIHintPrivateForm.In(a.lang), lang.CLIFlagBadValue, "allow-private", place)
		}
	}
	for _, name := range f.env {
		if name == "" || strings.ContainsAny(name, "= \t\n\x00") {
			return a.misuse(cmd, lang.CLIHintEnvName.In(a.lang), lang.CLIFlagBadValue, "env", name)
		}
	}
	return nil
}

// notEmpty rejects flags with an empty value.
func (a *app) notEmpty(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() == "" {
			return a.misuse(cmd, "", lang.CLIFlagBadValue, name, "")
		}
	}
	return nil
}

func isDir(path string) bool { return fsx.IsDir(path) }

func isFile(path string) bool { return fsx.IsFile(path) }

// open opens what the flags say: a bundle, or the starter tools.
func (a *app) open(cmd *cobra.Command, f *openFlags) (*host.Host, error) {
	dir, opts, err := a.hostOptions(cmd, f)
	if err != nil {
		return nil, err
	}
	if f.records {
		a.recordCalls(opts)
	}
	h, err := host.Open(cmd.Context(), dir, opts)
	if err != nil {
		return nil, a.openFailed(dir, fmt.Errorf("open the bundle: %w", err))
	}
	if err := a.checkAgent(cmd, h, f.agent); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// hostOptions finds the bundle that the flags name, and how to open it.
func (a *app) hostOptions(cmd *cobra.Command, f *openFlags) (dir string, opts *host.Options, err error) {
	if err := a.checkOpenFlags(cmd, f); err != nil {
		return "", nil, err
	}
	root, err := a.statePath()
	if err == nil {
		err = statedir.Writable(root)
	}
	if err != nil {
		return "", nil, err
	}
	sources := host.SourceOptions{Authorize: a.authorizePage}
	if f.checkPins {
		sources.FirstUse, sources.LockDecides = pin.Locked, true
	}
	consent, err := a.consentOptions(f.trust)
	if err != nil {
		return "", nil, err
	}
	store, err := a.storeFor(cmd.Context(), f.records)
	if err != nil {
		return "", nil, err
	}
	rules, err := a.policyOptions()
	if err != nil {
		return "", nil, err
	}
	rules.Mode = policy.Mode(f.permission)
	if f.describe != nil && atTerminal() {
		a.askHere(&rules, store, f.describe)
	}
	return a.findBundle(), &host.Options{
		Lang:      string(a.lang),
		Policy:    rules,
		Store:     store,
		Rows:      consent.Records.Rows,
		StateRoot: a.stateRoot,
		Workdir:   f.workdir,
		Instance:  f.instance,
		System:    host.SystemOptions{Roots: f.roots, Env: f.env, AllowPrivate: f.private, Hidden: a.clientFiles()},
		Code:      f.code,
		Executor:  gongu.ExecutorOptions{AgentName: "cli"},
		Logger:    a.logger(),
		Secrets:   a.secrets,
		Consent:   consent,
		Child:     childProgram(),
		Sources:   sources,
		Version:   thisBuild().Version,
	}, nil
}

// clientFiles returns the settings files of MCP clients, which programs of a
// bundle must not read or change: they name servers, with their secrets.
func (a *app) clientFiles() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	return connect.UserFiles(a.getenv, home)
}

// openFailed prints the errors of a bundle that was refused; any other error is
// returned as it is.
func (a *app) openFailed(dir string, err error) error {
	if file, ok := errors.AsType[*host.PolicyFileError](err); ok {
		if printed := a.policyFailed(file.Err); printed != errReported {
			a.complain(printed.Error())
		}
		return a.fail(lang.CLIPolicyRefused.In(a.lang, visible(file.Path)), lang.CLIPolicyRefusedHint.In(a.lang))
	}
	if diagnostics, ok := errors.AsType[bundle.Diagnostics](err); ok {
		return a.bundleRefused(dir, diagnostics)
	}
	return err
}

func (a *app) close(h *host.Host) {
	if err := h.Close(); err != nil {
		a.logger().Warn("closing the bundle", "error", err)
	}
}

// findBundle chooses the bundle: the one that the user named, the one in the
// current folder, or none. Whether it may run is a matter of consent.
func (a *app) findBundle() string {
	if a.bundle == "" && bundle.Present(".") {
		return "."
	}
	return a.bundle
}

// read reads a bundle for checking and showing it. The bundle is nil when it
// has errors.
func (a *app) read(path string) (*bundle.Bundle, bundle.Diagnostics) {
	return bundle.Load(path, a.bundleOptions())
}

func (a *app) bundleOptions() *bundle.Options {
	known := func(name string) bool { return slices.Contains(host.BaseExtensions(), name) }
	return &bundle.Options{Lang: string(a.lang), Builtins: host.Builtins(), KnownExtension: known}
}

// load reads a bundle, and prints what is wrong with it.
func (a *app) load(path string) (*bundle.Bundle, error) {
	b, diagnostics := a.read(path)
	if b == nil {
		return nil, a.bundleRefused(path, diagnostics)
	}
	return b, nil
}

// bundleRefused prints the errors of a bundle.
func (a *app) bundleRefused(path string, diagnostics bundle.Diagnostics) error {
	failures := diagnostics.Only(bundle.SeverityError)
	a.printDiagnostics(a.stderr, path, failures)
	fmt.Fprintln(a.stderr)
	return a.fail(
		lang.CLIBundleRefused.In(a.lang, visible(path), a.countErrors(len(failures))),
		lang.CLIHintCorrect.In(a.lang, a.commandOn("validate", path)))
}

func (a *app) checkAgent(cmd *cobra.Command, h *host.Host, name string) error {
	if held := h.Held(); name == "" || held != nil && held.Waiting {
		return nil
	}
	b := h.Bundle()
	if b == nil {
		return a.misuse(cmd, lang.CLIHintNameBundle.In(a.lang), lang.CLINoAgents, name)
	}
	if _, ok := b.Agent(name); ok {
		return nil
	}
	var names []string
	for _, agent := range b.Agents() {
		names = append(names, agent.Name)
	}
	hint := a.oneOf(name, names)
	if len(names) == 0 {
		hint = lang.CLIHintAddAgent.In(a.lang)
	}
	return a.misuse(cmd, hint, lang.CLINoAgent, name)
}

// again is a command on the bundle and the agent at hand, to copy.
func (a *app) again(name string, f *openFlags) string {
	words := []string{name}
	if a.bundle != "" {
		words = append(words, "-b", a.bundle)
	}
	if f.agent != "" {
		words = append(words, "--agent", f.agent)
	}
	return command(a.onStore(words)...)
}

// folder is the one argument of a command about a bundle: DIR, else -b, else
// the current folder.
func (a *app) folder(args []string) string {
	switch {
	case len(args) > 0:
		return args[0]
	case a.bundle != "":
		return a.bundle
	}
	return "."
}

// bundleFolder is the folder that state and requests are in by default.
func (a *app) bundleFolder() string {
	switch {
	case a.bundle == "":
		return "."
	case isDir(a.bundle):
		return a.bundle
	}
	return filepath.Dir(a.bundle)
}

// statePath is the state root of the bundle at hand.
func (a *app) statePath() (string, error) {
	root, err := host.StateRoot(a.stateRoot, a.bundleFolder())
	if err == nil {
		a.stateUsed = root
	}
	return root, err
}

// bundleFile is where a file that belongs into the bundle at hand is kept.
func (a *app) bundleFile(name string) (string, error) {
	root, err := a.statePath()
	if err != nil {
		return "", err
	}
	path, _, err := statedir.BundleFile(a.bundleFolder(), root, name)
	return path, err
}

// oneFolder is for commands that take DIR.
func (a *app) oneFolder(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return a.misuse(cmd, "", lang.CLIOneFolder, cmd.Name(), len(args))
	case len(args) == 1 && a.bundle != "":
		return a.misuse(cmd, "", lang.CLITwoFolders, args[0], a.bundle)
	case len(args) == 1 && args[0] == "":
		return a.misuse(cmd, "", lang.CLINoFolder, args[0])
	}
	return nil
}

// authorizePage asks the person at the terminal to open a page. It fails without
// a terminal.
func (a *app) authorizePage(_ context.Context, page string) error {
	if !atTerminal() {
		return errors.New(lang.CLIAuthorizeNobody.In(a.lang))
	}
	fmt.Fprintln(a.stderr, lang.CLIAuthorizePage.In(a.lang, visible(page)))
	return nil
}
