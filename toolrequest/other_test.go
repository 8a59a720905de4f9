//go:build !unix

package toolrequest_test

// addUnderLimits is never asked for: its test needs the limits of unix.
func addUnderLimits(string) int { return 1 }
