//go:build unix

package main

import "syscall"

// hangup is the signal to list all sources again.
const hangup = syscall.SIGHUP
