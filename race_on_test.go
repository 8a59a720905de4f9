//go:build race

package gongu_test

// raceDetector says that memory figures are the detector's, not ours.
const raceDetector = true
