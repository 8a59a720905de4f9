package jsbuild

import (
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/near"
)

// ModuleNames lists what each module that scripts can import exports. Modules
// can be imported with and without the prefix node:. A test of package script
// compares the list with the shim.
func ModuleNames() map[string][]string {
	return map[string][]string{
		"path": {
			"join", "resolve", "isAbsolute", "normalize", "dirname", "basename", "extname",
			"relative", "parse", "format", "sep", "delimiter", "posix",
		},
		"fs/promises": {
			"readFile", "writeFile", "appendFile", "mkdir", "mkdtemp", "readdir", "stat", "access",
			"rm", "unlink", "rename", "copyFile", "constants",
		},
		"crypto": {
			"randomUUID", "randomBytes", "randomInt", "getRandomValues", "createHash", "createHmac",
			"timingSafeEqual", "getHashes",
		},
		"child_process": {"execFile", "exec", "spawn"},
		"os": {
			"EOL", "platform", "arch", "type", "homedir", "hostname", "endianness", "tmpdir",
			"availableParallelism", "cpus",
		},
		"url":    {"URL", "URLSearchParams", "fileURLToPath", "pathToFileURL"},
		"buffer": {"Buffer", "Blob", "atob", "btoa"},
		"util":   {"promisify", "inspect", "format", "TextEncoder", "TextDecoder"},
		"events": {"EventEmitter"},
		"process": {
			"env", "platform", "arch", "pid", "ppid", "title", "argv", "execArgv", "exitCode", "version", "versions",
			"browser", "release", "cwd", "uptime", "hrtime", "nextTick", "memoryUsage", "emitWarning",
			"on", "once", "off", "addListener", "removeListener",
		},
		"timers/promises": {"setTimeout"},
	}
}

// GlobalNames lists the globals that the shim adds to those of the language.
func GlobalNames() []string {
	return []string{
		"AbortController", "AbortSignal", "Blob", "Buffer", "Bun", "DOMException", "Event", "EventTarget",
		"Headers", "Request", "Response", "TextDecoder", "TextEncoder", "URL", "URLSearchParams",
		"atob", "btoa", "clearImmediate", "clearInterval", "clearTimeout", "console", "crypto", "fetch",
		"global", "performance", "process", "queueMicrotask", "setImmediate", "setInterval", "setTimeout",
		"structuredClone",
	}
}

// BunNames lists the members of Bun.
func BunNames() []string {
	return []string{
		"spawn", "file", "write", "sleep", "env", "CryptoHasher", "version", "inspect", "nanoseconds",
		"fileURLToPath", "pathToFileURL",
	}
}

// importable returns the key in ModuleNames of an imported name.
func importable(name string) (string, bool) {
	bare := strings.TrimPrefix(name, "node:")
	_, ok := ModuleNames()[bare]
	return bare, ok
}

// nearestImport returns the likely replacement of an unknown import, or the
// list of all modules.
func nearestImport(name string) string {
	bare := strings.TrimPrefix(name, "node:")
	known := slices.Sorted(maps.Keys(ModuleNames()))
	switch bare {
	case "fs", "fs-extra":
		return "node:fs/promises"
	case "timers":
		return "node:timers/promises"
	case "bun":
		return "Bun"
	case "execa", "cross-spawn":
		return "node:child_process"
	case "node-fetch", "undici", "axios", "got", "http", "https":
		return "fetch"
	case "uuid", "nanoid":
		return "node:crypto"
	}
	return nearestOf(bare, known, func(found string) string { return "node:" + found })
}

// NearestMember returns the likely replacement of an unknown member of a module
// or of Bun, or the list of all members.
func NearestMember(label, member string) string {
	bare, _ := importable(label)
	known := ModuleNames()[bare]
	if label == "Bun" {
		known = BunNames()
	}
	prefix := func(found string) string { return label + "." + found }
	if alias, ok := strings.CutSuffix(member, "Sync"); ok && slices.Contains(known, alias) {
		return prefix(alias)
	}
	return nearestOf(member, known, prefix)
}

// NearestGlobal returns the likely replacement of an unknown global, or "".
func NearestGlobal(name string) string {
	found := near.Names(name, slices.Values(GlobalNames()), 1)
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

func nearestOf(name string, known []string, show func(string) string) string {
	if found := near.Names(name, slices.Values(known), 1); len(found) > 0 {
		return show(found[0])
	}
	shown := make([]string, len(known))
	for i, item := range known {
		shown[i] = show(item)
	}
	return strings.Join(shown, ", ")
}
