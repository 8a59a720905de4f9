package pin

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// Launch is how a source is reached, as the bundle says it: references to
// variables and secrets are not replaced, so that the launch is the same on
// every machine.
type Launch struct {
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	// Env has the variables by name, with the digests of their values.
	Env map[string]string `json:"env,omitempty"`
	// Folder is where the program starts.
	Folder string `json:"folder,omitempty"`
	URL    string `json:"url,omitempty"`
}

// EnvDigests returns the digests of the values of variables, for [Launch].
func EnvDigests(env map[string]string) map[string]string {
	out := make(map[string]string, len(env))
	for name, value := range env {
		out[name] = digestText([]byte(value))
	}
	return out
}

// digest is the fingerprint of the launch.
func (l Launch) digest() string { return digestText(jsonx.Text(l)) }

// LaunchPath is where a [Change] of how a source is started begins.
const LaunchPath = "launch."

// diff lists where two launches differ.
func (l Launch) diff(now Launch) []Change {
	return differences(strings.TrimSuffix(LaunchPath, "."), l.tree(), now.tree())
}

// tree is the launch as JSON has it, without what is empty.
func (l Launch) tree() any {
	var value any
	if json.Unmarshal(jsonx.Text(l), &value) != nil {
		return nil // texts always have a JSON form
	}
	return value
}

// launchDiff compares a launch with the accepted one. What format 1 of the lock
// file did not record counts as the same.
func (s *lockSource) launchDiff(now Launch) []Change {
	was := s.Launch
	if s.Partial {
		was.Folder, was.Env = now.Folder, maps.Clone(was.Env)
		for name := range was.Env {
			if value, ok := now.Env[name]; ok {
				was.Env[name] = value
			}
		}
	}
	return was.diff(now)
}
