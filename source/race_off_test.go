//go:build !race

package source_test

const raceDetector = false
