package script

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/near"
)

// moduleNames lists what each module that can be imported exports. The names
// work with and without the prefix node:. A test compares them with the shim.
func moduleNames() map[string][]string {
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

// globalNames lists the globals beside those of the language.
func globalNames() []string {
	return []string{
		"AbortController", "AbortSignal", "Blob", "Buffer", "Bun", "DOMException", "Event", "EventTarget",
		"Headers", "Request", "Response", "TextDecoder", "TextEncoder", "URL", "URLSearchParams",
		"atob", "btoa", "clearImmediate", "clearInterval", "clearTimeout", "console", "crypto", "fetch",
		"global", "performance", "process", "queueMicrotask", "setImmediate", "setInterval", "setTimeout",
		"structuredClone",
	}
}

// bunNames lists what Bun has.
func bunNames() []string {
	return []string{
		"spawn", "file", "write", "sleep", "env", "CryptoHasher", "version", "inspect", "nanoseconds",
		"fileURLToPath", "pathToFileURL",
	}
}

// importable turns the name in an import into one of moduleNames.
func importable(name string) (string, bool) {
	bare := strings.TrimPrefix(name, "node:")
	_, ok := moduleNames()[bare]
	return bare, ok
}

// nearestImport is what was probably meant by an import, or all there is.
func nearestImport(name string) string {
	bare := strings.TrimPrefix(name, "node:")
	known := slices.Sorted(maps.Keys(moduleNames()))
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
	return nearestOf(bare, slices.Values(known), func(found string) string { return "node:" + found }, known)
}

// nearestMember is what was probably meant by a member of a module or of Bun.
func nearestMember(label, member string) string {
	var known []string
	switch label {
	case "Bun":
		known = bunNames()
	default:
		bare, _ := importable(label)
		known = moduleNames()[bare]
	}
	prefix := func(found string) string { return label + "." + found }
	if alias, ok := strings.CutSuffix(member, "Sync"); ok && slices.Contains(known, alias) {
		return prefix(alias)
	}
	return nearestOf(member, slices.Values(known), prefix, known)
}

// nearestGlobal is what was probably meant by a global that is not there.
func nearestGlobal(name string) string {
	found := near.Names(name, slices.Values(globalNames()), 1)
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

func nearestOf(name string, candidates iter.Seq[string], show func(string) string, all []string) string {
	if found := near.Names(name, candidates, 1); len(found) > 0 {
		return show(found[0])
	}
	shown := make([]string, len(all))
	for i, item := range all {
		shown[i] = show(item)
	}
	return strings.Join(shown, ", ")
}
