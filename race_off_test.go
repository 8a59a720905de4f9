//go:build !race

package gongu_test

const raceDetector = false
