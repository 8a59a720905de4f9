//go:build !linux

// Package oldkernel runs a program as if the kernel lacked what a sandbox needs,
// for tests. It works on Linux only.
package oldkernel
