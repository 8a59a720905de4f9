package main

import (
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

// checkSandbox looks at what this system can confine, and for a way around it.
func (a *app) checkSandbox() []check {
	c := check{Name: "sandbox", Status: checkOK, Detail: lang.CLIDoctorSandbox.In(a.lang)}
	var texts []string
	for _, missing := range sandbox.Missing(childProgram()) {
		texts = append(texts, missing.In(a.lang))
	}
	if len(texts) > 0 {
		c.Status, c.Detail, c.Next = checkMissing, strings.Join(texts, "; "), lang.CLIDoctorSandboxHint.In(a.lang)
	}
	checks := []check{c}
	if socket := sandbox.DockerSocket(); socket != "" {
		checks = append(checks, check{
			Name: "docker", Status: checkNote, Detail: lang.CLIDoctorDocker.In(a.lang, socket), Next: lang.CLIDoctorDockerHint.In(a.lang),
		})
	}
	return checks
}
