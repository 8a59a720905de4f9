//go:build race

package toolrequest_test

// raceDetector says that processes start and write many times slower.
const raceDetector = true
