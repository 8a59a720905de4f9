//go:build race

package serve_test

// raceDetector says that processes start many times slower.
const raceDetector = true
