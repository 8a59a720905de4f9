//go:build !linux

package main

// oldKernelMain is used on Linux only.
func oldKernelMain() {}
