package main

import (
	"fmt"
	"path/filepath"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/statedir"
)

// policyName is the name of the policy files of the user and the administrator.
const policyName = "policy.yaml"

// policyOptions are the policy files of this user and this machine.
func (a *app) policyOptions() (host.PolicyOptions, error) {
	user, err := a.userPolicy()
	if err != nil {
		return host.PolicyOptions{}, err
	}
	admin := statedir.AdminFile(policyName)
	return host.PolicyOptions{Admin: admin, User: user}, host.CheckAdminFile(admin)
}

// userPolicy is the path of the user's policy file.
func (a *app) userPolicy() (string, error) {
	dir, err := a.configFolder()
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", fmt.Errorf("find the policy file of the user: %w", err)
	}
	return filepath.Join(dir, policyName), nil
}
