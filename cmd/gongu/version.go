package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/lang"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version [--json]",
		Short: lang.CLIVersionShort.In(a.lang),
		Args:  a.noArguments,
		RunE:  func(*cobra.Command, []string) error { return a.version() },
	}
}

// build says what this program was made from.
type build struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
}

func thisBuild() build {
	b := build{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	// Programs made by "go install …@v1.2.3" have no linker flags.
	if v := info.Main.Version; b.Version == "dev" && v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.time":
			b.Time = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

func (a *app) version() error {
	b := thisBuild()
	if a.json {
		return a.writeJSON(b)
	}
	fmt.Fprintln(a.stdout, lang.CLIVersion.In(a.lang, b.Version, b.Go, b.OS, b.Arch))
	switch {
	case b.Revision == "":
	case b.Modified:
		fmt.Fprintln(a.stdout, lang.CLIModified.In(a.lang, b.Revision))
	default:
		fmt.Fprintln(a.stdout, lang.CLIRevision.In(a.lang, b.Revision))
	}
	return nil
}
