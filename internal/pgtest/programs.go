package pgtest

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// places are the folders that packages of PostgreSQL install their programs in,
// as patterns. Debian's does not put them on PATH. scripts/prepare reads the
// same file.
//
//go:embed places.txt
var places string

// ErrNotInstalled says how to install PostgreSQL.
var ErrNotInstalled = errors.New(`the programs postgres and initdb of PostgreSQL are not on this machine; the tests of the record store run against a real server
Debian and Ubuntu: sudo apt-get update && sudo apt-get install -y postgresql
macOS:             brew install postgresql@17
then run the test again; "make test" as root on Debian installs it, and "make check" leaves these tests out`)

// findPrograms returns the folder with the programs of the server: by PATH, by
// pg_config, then by the places of packages, where the newest version wins.
func findPrograms() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		// Links on PATH may lead to only some of the programs.
		if target, err := filepath.EvalSymlinks(path); err == nil && hasServer(filepath.Dir(target)) {
			return filepath.Dir(target), nil
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		if dir := strings.TrimSpace(string(out)); hasServer(dir) {
			return dir, nil
		}
	}
	return searchPlaces(places)
}

func searchPlaces(patterns string) (string, error) {
	for pattern := range strings.Lines(patterns) {
		found, err := filepath.Glob(strings.TrimSpace(pattern))
		if err != nil {
			return "", err
		}
		newest := ""
		for _, dir := range found {
			if hasServer(dir) && (len(dir) > len(newest) || len(dir) == len(newest) && dir > newest) {
				newest = dir
			}
		}
		if newest != "" {
			return newest, nil
		}
	}
	return "", ErrNotInstalled
}

func hasServer(dir string) bool {
	for _, name := range []string{"postgres", "initdb"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode()&0o111 == 0 || info.IsDir() {
			return false
		}
	}
	return true
}
