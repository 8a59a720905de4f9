//go:build !race

package toolrequest_test

const raceDetector = false
