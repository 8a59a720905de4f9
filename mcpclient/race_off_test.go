//go:build !race

package mcpclient_test

const raceDetector = false
