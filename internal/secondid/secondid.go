// Package secondid runs tests that need root and a second user id. Root has both;
// other users get them in a user namespace.
package secondid

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/proc"
)

// inside marks a test that runs in the namespace.
const inside = "GONGU_TEST_NAMESPACE"

// Here reports whether the test can go on. Where this user is not root, it runs the
// test again as root of a user namespace that maps a range of ids, and the test
// returns. A test that cannot be run fails: a skipped one would prove nothing.
func Here(t *testing.T) bool {
	t.Helper()
	switch {
	case os.Geteuid() == 0:
		return true
	case os.Getenv(inside) != "":
		t.Fatal("the user namespace gives no root")
	}
	var out bytes.Buffer
	exit, err := proc.Run(context.Background(), proc.Command{
		Argv:    []string{"unshare", "--user", "--map-root-user", "--map-auto", "--", os.Args[0], "-test.run=^" + regexp.QuoteMeta(t.Name()) + "$", "-test.count=1"},
		Env:     append(os.Environ(), inside+"=1"),
		Stdout:  &out,
		Stderr:  &out,
		Timeout: 10 * time.Minute,
	})
	if err != nil || exit.Code != 0 {
		t.Fatalf("this test needs a second user id. Run it as root, or install newuidmap (the package uidmap) and give this user a range in /etc/subuid and /etc/subgid: %v, status %d\n%s", err, exit.Code, &out)
	}
	return false
}
