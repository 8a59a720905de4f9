//go:build race

package main

// raceDetector says that figures are the detector's, not ours.
const raceDetector = true
