//go:build !race

package macro_test

const raceDetector = false
