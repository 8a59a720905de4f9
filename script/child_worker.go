package script

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

//go:embed worker/worker.js
var workerText string

// workerSource is the program that bun and node run. It has the part of the
// shim that writes results, so that a module answers alike everywhere.
var workerSource = sync.OnceValues(func() (string, error) {
	encode, err := shimFiles.ReadFile("shim/80_encode.js")
	if err != nil {
		return "", err
	}
	source := "(() => { 'use strict';\nconst { stringify, parse } = JSON;\n" + string(encode) + workerText + "})();"
	small := api.Transform(source, api.TransformOptions{MinifyWhitespace: true, Target: api.ES2022, Charset: api.CharsetUTF8})
	if len(small.Errors) > 0 {
		return "", fmt.Errorf("worker: %s", small.Errors[0].Text)
	}
	return strings.TrimSpace(string(small.Code)), nil
})

// workerCommand starts bun or node with the worker.
func workerCommand(runtime, program, source string, memory int) []string {
	if runtime == RuntimeNode {
		return []string{program, "--max-old-space-size=" + strconv.Itoa(max(memory>>20, 1)), "-e", source}
	}
	// Neither a bunfig.toml nor an .env of the working directory counts, and
	// nothing is installed on the way.
	return []string{program, "--no-install", "--no-env-file", "--config=/dev/null", "-e", source}
}

// parsePlace reads FILE:LINE.
func parsePlace(text string) (place, bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 1 {
		return place{}, false
	}
	line, err := strconv.Atoi(text[i+1:])
	return place{File: text[:i], Line: line}, err == nil
}

func cutLine(line string) string {
	if len(line) > maxLogLine {
		return strings.ToValidUTF8(line[:maxLogLine], "") + "…"
	}
	return line
}
