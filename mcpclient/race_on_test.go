//go:build race

package mcpclient_test

// raceDetector says that figures are the detector's, not ours.
const raceDetector = true
