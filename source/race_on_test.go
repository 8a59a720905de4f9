//go:build race

package source_test

// raceDetector says that every step costs ten times as much.
const raceDetector = true
