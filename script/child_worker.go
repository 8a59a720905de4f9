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

// workerSource is the program that bun and node run. It has the part of the
// shim that writes results, so that a module answers alike everywhere.
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

// workerCommand starts bun or node with the worker.
func workerCommand(runtime, program, source string, memory int) []string {
	if runtime == RuntimeNode {
		return []string{program, "--max-old-space-size=" + strconv.Itoa(max(memory>>20, 1)), "-e", source}
	}
	// Neither a bunfig.toml nor an .env of the working directory counts, and
	// nothing is installed on the way.
	return []string{program, "--no-install", "--no-env-file", "--config=/dev/null", "-e", source}
}
