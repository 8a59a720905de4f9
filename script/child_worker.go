package script

import (
	_ "embed"
	"fmt"
	"strconv"
	"sync"

	"github.com/gongu-ai/gongu/internal/jsbuild"
)

//go:embed worker/worker.js
var workerText string

// workerSource is the program that bun and node run. It includes the part of
// the shim that encodes results, so that results are the same in every runtime.
var workerSource = sync.OnceValues(func() (string, error) {
	encode, err := shimFiles.ReadFile("shim/80_encode.js")
	if err != nil {
		return "", err
	}
	source := "(() => { 'use strict';\nconst { stringify, parse } = JSON;\n" + string(encode) + workerText + "})();"
	small, err := jsbuild.Minify(source)
	if err != nil {
		return "", fmt.Errorf("worker: %w", err)
	}
	return small, nil
})

// workerCommand returns the command line that runs the worker in bun or node.
func workerCommand(runtime, program, source string, memory int) []string {
	if runtime == RuntimeNode {
		return []string{program, "--max-old-space-size=" + strconv.Itoa(max(memory>>20, 1)), "-e", source}
	}
	// Ignore bunfig.toml and .env of the working directory, and install
	// nothing.
	return []string{program, "--no-install", "--no-env-file", "--config=/dev/null", "-e", source}
}
