package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/cad"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/toolrequest"
)

// cadFlags are those of the commands about a scene.
type cadFlags struct {
	instance, requests string
}

func (a *app) cadCommand() *cobra.Command {
	return a.group(&cobra.Command{
		Use:   "cad COMMAND",
		Short: lang.CLICADShort.In(a.lang),
		Long:  lang.CLICADLong.In(a.lang),
	}, a.cadExecCommand(), a.cadRenderCommand())
}

func (a *app) cadExecCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "exec [--instance K] [--requests FILE] NAME [JSON|-]",
		Short: lang.CLICADExecShort.In(a.lang),
		Long:  lang.CLICADExecLong.In(a.lang),
		Example: `  gongu cad exec draw_rect '{"name":"seat","x":0,"y":0,"width":80,"height":40}'` + "\n" +
			`  gongu cad exec list_tools '{"domain":"primitives"}'` + "\n" +
			"  gongu cad exec export_svg",
	}
	var f cadFlags
	cmd.Flags().StringVar(&f.instance, "instance", defaultInstance, lang.CLIFlagCADInstance.In(a.lang))
	cmd.Flags().StringVar(&f.requests, "requests", "", lang.CLIFlagCADRequests.In(a.lang))
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return a.misuse(cmd, lang.CLIResultListTools.In(a.lang, "gongu cad exec list_tools"), lang.CLICADNeedsName)
		case len(args) > 2:
			return a.misuse(cmd, lang.CLICallQuote.In(a.lang), lang.CLICADTooMany, len(args))
		}
		return a.notEmpty(cmd, "instance", "requests")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		params, err := a.readArguments(cmd, args[1:])
		if err != nil {
			return err
		}
		return a.cadExec(cmd, &f, args[0], params)
	}
	return cmd
}

func (a *app) cadExec(cmd *cobra.Command, f *cadFlags, name string, params json.RawMessage) error {
	executor, err := a.cadExecutor(f)
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	ctx, err = cadContext(ctx, f.instance)
	if err != nil {
		return err
	}
	answer := cad.Exec(ctx, executor, name, params)
	if err := a.writeExactJSON(answer); err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	if !answer.Success {
		return errReported
	}
	return nil
}

// maxExport is the largest scene that is printed. It is not cut as for a model:
// a person wants all of it.
const maxExport = 64 << 20

// cadExecutor makes an executor for the CAD tools and the discovery tools.
func (a *app) cadExecutor(f *cadFlags) (*gongu.Executor, error) {
	store, err := a.sceneStore()
	if err != nil {
		return nil, err
	}
	queue, err := a.cadRequests(f)
	if err != nil {
		return nil, err
	}
	language := string(a.lang)
	cadOptions := &cad.Options{Lang: language}
	exploring := &explore.Options{
		Lang:     language,
		Requests: queue,
		Macros:   host.CheckMacro,
	}
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: a.logger()})
	if err := registry.Add(append(cad.Tools(store, cadOptions), explore.Tools(exploring)...)...); err != nil {
		return nil, fmt.Errorf("register the tools: %w", err)
	}
	cad.Domains(registry, cadOptions)
	explore.Declare(registry, exploring)
	return gongu.NewExecutor(registry, &gongu.ExecutorOptions{
		Catalog:   gongu.Everything(registry),
		Lang:      language,
		Logger:    a.logger(),
		AgentName: "cli",
		Limits:    gongu.Limits{Output: maxExport},
	}), nil
}

// cadRequests returns the queue of tool requests: the file of the flag, else that
// of the bundle.
func (a *app) cadRequests(f *cadFlags) (requestQueue, error) {
	if f.requests != "" {
		return toolrequest.NewFile(f.requests, &toolrequest.Options{Lang: string(a.lang), Logger: a.logger()}), nil
	}
	file, err := a.bundleFile(toolrequest.FileName)
	if err != nil {
		return nil, err
	}
	return a.requestQueue(nil, &requestsFlags{}, file)
}

// sceneStore returns the store that a bundle in the same folder uses as well.
func (a *app) sceneStore() (*cad.Folder, error) {
	state, err := a.statePath()
	if err != nil {
		return nil, err
	}
	return cad.NewFolder(filepath.Join(state, "instances")), nil
}

// defaultInstance is the instance of calls that name none.
const defaultInstance = "default"

func cadContext(ctx context.Context, instance string) (context.Context, error) {
	trace := make([]byte, 16)
	rand.Read(trace) // never fails
	return gongu.WithContext(ctx, gongu.Context{
		AgentName:   "cli",
		InstanceKey: instance,
		TurnID:      "turn_" + hex.EncodeToString(trace[:8]),
		TraceID:     hex.EncodeToString(trace),
	})
}
