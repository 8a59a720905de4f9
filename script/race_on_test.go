//go:build race

package script_test

// raceDetector says that the interpreter runs many times slower.
const raceDetector = true
