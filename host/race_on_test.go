//go:build race

package host_test

// raceDetector says that memory figures are the detector's, not ours.
const raceDetector = true
