package httpapi_test

import (
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
)

// The document says which operations are for people, and the server asks for
// exactly that.
func TestManageIsDocumented(t *testing.T) {
	s := start(t, newBackend(t, nil), as(gongu.Principal{Name: "model"}))
	people := 0
	for path, item := range s.doc.root["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			security, _ := at(operation, "security").([]any)
			manage := len(security) == 1 && at(security[0], "manage") != nil
			if manage {
				people++
			}
			if method != "post" {
				continue
			}
			got := s.raw("POST", httpapi.Prefix+strings.Replace(path, "{id}", "req_001", 1), sendsJSON, strings.NewReader(`{}`))
			if refused := got.status == 403; refused != manage {
				t.Errorf("%s: status %d, for people %t", path, got.status, manage)
			}
		}
	}
	if people != 6 || at(s.doc.root, "components", "securitySchemes", "manage", "description") == nil {
		t.Errorf("%d operations for people", people)
	}
}

// The page says who reads it, and whether they may decide.
func TestPageSaysWho(t *testing.T) {
	for _, c := range []struct {
		who  gongu.Principal
		want string
	}{
		{gongu.Principal{Name: "kim (browser)", Person: true, Manage: "all"}, "kim (browser) · may decide Refresh"},
		{gongu.Principal{Name: "default"}, "default Refresh"},
		{gongu.Principal{}, "running Refresh"},
	} {
		s := start(t, newBackend(t, nil), as(c.who))
		page, _ := s.page("", nil)
		if seen := text(t, page); !strings.Contains(seen, c.want) {
			t.Errorf("no %q in %q", c.want, seen)
		}
	}
}
