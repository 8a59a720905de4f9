//go:build !race

package request_test

const raceDetector = false
