package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: lang.CLIInitShort.In(a.lang),
		Long:  lang.CLIInitLong.In(a.lang),
		Example: "  gongu init\n" +
			"  gongu init my-bundle",
		Args: a.oneFolder,
		RunE: func(_ *cobra.Command, args []string) error { return a.initBundle(a.folder(args)) },
	}
}

const bundleFile = "gongu.yaml"

// initReport is what gongu init --json prints.
type initReport struct {
	Wrote []string `json:"wrote"`
}

// initBundle writes the starter bundle. A bundle that is there is never touched.
func (a *app) initBundle(dir string) error {
	for _, name := range []string{bundleFile, "goondan.yaml"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return a.refuseInit(filepath.Join(dir, name))
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return a.cannotWrite(dir, err)
	}
	path := filepath.Join(dir, bundleFile)
	w := a.beforeWriting(dir, "init")
	err := writeNew(path, lang.Starter(a.lang))
	if errors.Is(err, fs.ErrExist) {
		return a.refuseInit(path)
	}
	if err != nil {
		return a.cannotWrite(path, err)
	}
	report := initReport{Wrote: []string{path}}
	a.unused = !w.consent(path)
	return a.printInit(dir, report)
}

func (a *app) refuseInit(path string) error {
	return a.fail(lang.CLIInitExists.In(a.lang, visible(path)), lang.CLIInitOtherDir.In(a.lang))
}

func (a *app) cannotWrite(path string, err error) error {
	return a.fail(lang.CLIDoctorUnwritable.In(a.lang, visible(path), fsx.Cause(err)), lang.CLIInitOtherDir.In(a.lang))
}

// writeNew writes a file that must not be there yet.
func writeNew(path, content string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, file.Close())
}

func (a *app) printInit(dir string, report initReport) error {
	if a.json {
		return a.writeJSON(report)
	}
	var b strings.Builder
	for _, path := range report.Wrote {
		fmt.Fprintln(&b, lang.CLIInitWrote.In(a.lang, visible(path)))
	}
	if a.unused {
		fmt.Fprintln(&b, lang.CLIWroteHeld.In(a.lang, a.commandOn("trust", dir)))
	}
	fmt.Fprintf(&b, "\n%s\n", lang.CLIInitTry.In(a.lang))
	here, target := []string{}, []string{}
	if dir != "." {
		here, target = []string{dir}, []string{"-b", dir}
	}
	for _, words := range [][]string{
		slices.Concat([]string{"validate", "--strict"}, here),
		slices.Concat([]string{"tools"}, target, []string{"--agent", "assistant"}),
		slices.Concat([]string{"call"}, target, []string{"--agent", "assistant", "file-system__list", "{}"}),
		slices.Concat([]string{"call"}, target, []string{"--agent", "assistant", "file-system__read", `{"path":"gongu.yaml"}`}),
	} {
		fmt.Fprintln(&b, "  "+command(words...))
	}
	return a.print(b.String())
}
