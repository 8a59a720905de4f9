package main

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/cad"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

func (a *app) cadRenderCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "render FILE.svg|FILE.png [--instance K] [--width N]",
		Short:   lang.CLICADRenderShort.In(a.lang),
		Long:    lang.CLICADRenderLong.In(a.lang),
		Example: "  gongu cad render room.png --width 1600\n  gongu cad render room.svg",
	}
	var f cadFlags
	var width int
	cmd.Flags().StringVar(&f.instance, "instance", defaultInstance, lang.CLIFlagCADInstance.In(a.lang))
	cmd.Flags().IntVar(&width, "width", 0, lang.CLIFlagCADWidth.In(a.lang))
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) != 1:
			return a.misuse(cmd, "", lang.CLICADOneFile, len(args))
		case pictureKind(args[0]) == "":
			return a.misuse(cmd, lang.CLICADHintKind.In(a.lang), lang.CLICADFileKind, args[0])
		case cmd.Flags().Changed("width") && (width < 1 || width > cad.MaxWidth):
			return a.misuse(cmd, lang.CLICADHintWidth.In(a.lang, cad.MaxWidth), lang.CLIFlagBadValue, "width", fmt.Sprint(width))
		}
		return a.notEmpty(cmd, "instance")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.cadRender(cmd, &f, args[0], width)
	}
	return cmd
}

// pictureKind is svg or png, or nothing.
func pictureKind(path string) string {
	switch kind := strings.ToLower(filepath.Ext(path)); kind {
	case ".svg", ".png":
		return kind[1:]
	}
	return ""
}

// rendered says what was written. Width and height are those of a PNG.
type rendered struct {
	File     string `json:"file"`
	Entities int    `json:"entities"`
	Width    int    `json:"width,omitempty"`
	Height   int    `json:"height,omitempty"`
}

func (a *app) cadRender(cmd *cobra.Command, f *cadFlags, path string, width int) error {
	store, err := a.sceneStore()
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	out := rendered{File: path}
	var picture []byte
	err = store.View(ctx, f.instance, func(s *cad.Scene) error {
		out.Entities = s.Len()
		if pictureKind(path) == "svg" {
			picture = s.SVG(width)
			return nil
		}
		image := s.Image(width)
		out.Width, out.Height = image.Bounds().Dx(), image.Bounds().Dy()
		var buf bytes.Buffer
		err := png.Encode(&buf, image)
		picture = buf.Bytes()
		return err
	})
	if problem, ok := errors.AsType[*cad.Problem](err); ok {
		return a.fail(problem.In(string(a.lang)), lang.CADHintFile.In(a.lang))
	}
	if err != nil {
		return err
	}
	if err := writePicture(path, picture); err != nil {
		return a.fail(lang.CLICADWrite.In(a.lang, visible(path), err), lang.CLICADHintWrite.In(a.lang))
	}
	return a.reportRendered(out)
}

// writePicture replaces the file in one step, so that a program that shows it never
// reads half of it.
func writePicture(path string, picture []byte) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(absolute)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return err // the folder is not made: it may be a slip
	}
	place, err := fsx.Space{Workdir: dir}.At(filepath.Base(absolute))
	if err != nil {
		return err
	}
	defer func() { _ = place.Close() }() // what was written is closed already
	_, err = place.Write(picture)
	return err
}

func (a *app) reportRendered(out rendered) error {
	if a.json {
		return a.writeJSON(out)
	}
	line := lang.CLICADRendered.In(a.lang, visible(out.File), out.Entities)
	if out.Width > 0 {
		line = lang.CLICADSize.In(a.lang, visible(out.File), out.Width, out.Height, out.Entities)
	}
	return a.print(line + "\n")
}
