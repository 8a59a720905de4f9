package main

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// machine is where and when it was measured.
type machine struct {
	cpu, system, version, date, load string
	cores                            int
	modules                          []string
}

func thisMachine() machine {
	return machine{
		cpu:     cpuModel(),
		system:  runtime.GOOS + "/" + runtime.GOARCH,
		version: strings.Replace(runtime.Version(), "go", "Go ", 1),
		date:    time.Now().UTC().Format(time.DateOnly),
		load:    loadAverage(),
		cores:   runtime.NumCPU(),
		modules: modules(),
	}
}

// cpuModel is known on Linux only; elsewhere the architecture has to do.
func cpuModel() string {
	raw, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}

func loadAverage() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(raw))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

// modules lists the versions of what gongu is compared with.
func modules() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	compared := []string{"github.com/cloudwego/eino", "github.com/mark3labs/mcp-go", "github.com/modelcontextprotocol/go-sdk"}
	var found []string
	for _, m := range info.Deps {
		if slices.Contains(compared, m.Path) {
			found = append(found, m.Path+" "+m.Version)
		}
	}
	return found
}
