package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// preset is what a kind of program needs of the home folder. Folders that are
// written are made when they are missing: the program could not.
type preset struct {
	name        string
	read, write []string
}

func presets() []preset {
	return []preset{
		{
			name: "npm",
			read: []string{
				".npmrc", ".yarnrc", ".yarnrc.yml", ".nvm", ".volta", ".fnm", ".asdf", ".local/bin", ".local/share/fnm", ".local/share/mise",
				".local/share/pnpm", ".local/lib/node_modules", ".npm-global", ".bun/bin",
			},
			write: []string{".npm", ".cache/node", ".cache/pnpm", ".bun/install"},
		},
		{
			name:  "python",
			read:  []string{".pyenv", ".asdf", ".local/bin", ".local/lib", ".local/pipx", ".local/share/mise", ".config/pip", ".config/uv", ".pip", ".netrc"},
			write: []string{".cache/uv", ".cache/pip", ".local/share/uv", ".local/share/pipx"},
		},
		{
			name: "git",
			read: []string{".gitconfig", ".config/git", ".ssh/known_hosts", ".ssh/config", ".local/bin"},
		},
		{
			name: "browser",
			read: []string{
				".npmrc", ".nvm", ".volta", ".fnm", ".local/bin", ".local/share/fnm", ".local/share/mise", ".local/share/fonts", ".fonts",
				".config/fontconfig",
			},
			write: []string{".npm", ".cache/ms-playwright", ".cache/puppeteer", ".cache/fontconfig", "/dev/shm"},
		},
	}
}

// PresetNames returns the names that [Policy.Apply] knows.
func PresetNames() []string {
	var names []string
	for _, p := range presets() {
		names = append(names, p.name)
	}
	return names
}

// Apply adds what a preset reads and writes, the caches of the home folder
// included. An unknown name adds nothing.
func (p *Policy) Apply(name string) {
	home, err := os.UserHomeDir()
	i := slices.IndexFunc(presets(), func(known preset) bool { return known.name == name })
	if err != nil || i < 0 {
		return
	}
	for _, path := range presets()[i].read {
		p.Read = append(p.Read, filepath.Join(home, path))
	}
	for _, path := range presets()[i].write {
		if !filepath.IsAbs(path) {
			path = filepath.Join(home, path)
			_ = os.MkdirAll(path, 0o700) // a folder that cannot be made is not allowed either
		}
		p.Write = append(p.Write, path)
	}
}
