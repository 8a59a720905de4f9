//go:build race

package macro_test

// raceDetector says that every step costs ten times as much.
const raceDetector = true
