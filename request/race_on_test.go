//go:build race

package request_test

// raceDetector says that processes start and write many times slower.
const raceDetector = true
