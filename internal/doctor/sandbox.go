package doctor

import (
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

// checkSandbox looks at what this system can confine, and for a way around it.
func (o *Options) checkSandbox() []Check {
	c := Check{Name: "sandbox", Status: OK, Detail: lang.CLIDoctorSandbox.In(o.Lang)}
	var texts []string
	for _, missing := range sandbox.Missing(o.Child) {
		texts = append(texts, missing.In(o.Lang))
	}
	if len(texts) > 0 {
		c.Status, c.Detail, c.Next = Missing, strings.Join(texts, "; "), lang.CLIDoctorSandboxHint.In(o.Lang)
	}
	checks := []Check{c}
	if socket := sandbox.DockerSocket(); socket != "" {
		checks = append(checks, Check{
			Name: "docker", Status: Note, Detail: lang.CLIDoctorDocker.In(o.Lang, socket), Next: lang.CLIDoctorDockerHint.In(o.Lang),
		})
	}
	return checks
}
