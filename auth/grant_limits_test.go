package auth

import (
	"strings"
	"testing"
)

// K10: what a token names has a longest form.
func TestK10_LongNamesAreRefused(t *testing.T) {
	for name, grant := range map[string]Grant{
		"agent":    {Agents: []string{strings.Repeat("a", maxWord+1)}},
		"tool":     {Tools: []string{strings.Repeat("a", maxWord+1)}},
		"resource": {Resources: []string{"far:" + strings.Repeat("a", maxURI+1)}},
	} {
		if grant.check() == nil {
			t.Errorf("%s: it is accepted", name)
		}
	}
	fits := Grant{Agents: []string{strings.Repeat("a", maxWord)}, Resources: []string{"far:" + strings.Repeat("a", maxURI)}}
	if err := fits.check(); err != nil {
		t.Error(err)
	}
}
