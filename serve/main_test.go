package serve_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(resumeChild); url != "" {
		resumeUntilKilled(url, os.Args[1])
		return
	}
	if url := os.Getenv(approvalChild); url != "" {
		approveUntilKilled(url, os.Args[1], os.Args[2], os.Args[3])
		return
	}
	goleak.VerifyTestMain(m)
}
