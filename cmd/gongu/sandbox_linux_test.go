package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/gongu-ai/gongu/internal/oldkernel"
)

// oldKernelMain runs a program as on a kernel that lacks parts of a sandbox:
// oldkernel landlock,namespaces gongu doctor.
func oldKernelMain() {
	path, err := exec.LookPath(os.Args[2])
	if err == nil {
		err = oldkernel.Exec(path, os.Args[2:], os.Environ(), strings.Split(os.Args[1], ",")...)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
