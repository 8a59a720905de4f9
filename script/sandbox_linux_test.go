package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu/script"
)

// TestK16_CodeProcess: the process that runs a model's code has no files of the
// user and no network, also when the engine in it is broken out of.
func TestK16_CodeProcess(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for attempt, want := range map[string]string{
		"cat " + secret:                     `"refused"`,
		"echo x >" + secret:                 `"refused"`,
		"cat /etc/passwd":                   `"done"`, // the system is there
		"grep Seccomp:.2 /proc/self/status": `"done"`,
	} {
		line := fmt.Sprintf(`read y; r=refused; if (%s) >/dev/null 2>&1; then r=done; fi; echo '{"t":"result","result":{"status":"ok","output":"'$r'"}}'; sleep 60`, attempt)
		c := script.NewCode(&script.CodeOptions{Child: []string{"/bin/sh", "-c", ready + line}, Logger: quiet()})
		result, err := runCode(t, c, "1")
		if err != nil || string(result.Value) != want {
			t.Errorf("%s: %s, %+v; want %s", attempt, result.Value, err, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
