package auth

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/gongu-ai/gongu/internal/lang"
)

// metadataPath is where RFC 9728 puts the description of a protected resource;
// the path of the resource follows it.
const metadataPath = "/.well-known/oauth-protected-resource"

func isMetadata(p string) bool {
	return p == metadataPath || strings.HasPrefix(p, metadataPath+"/")
}

// isHTTPS holds when callers come over TLS, as far as we can know.
func (g *authenticator) isHTTPS(r *http.Request) bool {
	if g.resource != nil {
		return g.resource.Scheme == "https"
	}
	return r.TLS != nil
}

// base is the address that callers know the server by. The host is one that
// was checked before.
func (g *authenticator) base(r *http.Request) url.URL {
	if g.resource != nil {
		return *g.resource
	}
	u := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u
}

// challenge is the WWW-Authenticate header: where to read how to get a token.
// A path that has an agent is a resource of its own.
func (g *authenticator) challenge(r *http.Request, oauth string) string {
	u := g.base(r)
	suffix := u.Path
	if g.opts.Agent != nil {
		if _, named := g.opts.Agent(r); named {
			suffix += r.URL.Path
		}
	}
	u.Path, u.RawPath = metadataPath+strings.TrimSuffix(suffix, "/"), ""
	header := `Bearer resource_metadata="` + u.String() + `"`
	if oauth != "" {
		header = `Bearer error="` + oauth + `", ` + strings.TrimPrefix(header, "Bearer ")
	}
	return header
}

// metadata serves the description of the resource that the rest of the path
// names.
func (g *authenticator) metadata(w http.ResponseWriter, r *http.Request) {
	suffix := strings.TrimPrefix(r.URL.Path, metadataPath)
	if suffix == "/" || suffix != "" && path.Clean(suffix) != suffix || len(suffix) > 512 || g.opts.NoAuth {
		g.refuse(w, r, problem{status: http.StatusNotFound, code: "not_found", text: lang.AuthNoResource.With(), hint: lang.AuthNoResourceHint.With()})
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		g.refuse(w, r, problem{status: http.StatusMethodNotAllowed, code: "method_not_allowed", text: lang.AuthNoResource.With(), hint: lang.AuthNoResourceHint.With()})
		return
	}
	u := g.base(r)
	u.Path = u.Path + strings.TrimPrefix(suffix, u.Path)
	body, err := json.Marshal(struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers,omitzero"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
	}{u.String(), g.opts.AuthorizationServers, []string{"header"}, "gongu"})
	if err != nil {
		g.unavailable(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(append(body, '\n')) // a caller that left needs no answer
}

// allowOrigin tells a browser that a page of another origin may read the answer.
// It has answered when it says so, to a browser that asked beforehand. Cookies
// are never shared: they are for our own page.
func (g *authenticator) allowOrigin(w http.ResponseWriter, r *http.Request) bool {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	header.Add("Vary", "Origin")
	header.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, X-Request-Id, Retry-After")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	// Headers of the protocol have names that depend on the tool.
	asked := r.Header.Get("Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Headers", cmp.Or(asked, "Authorization, Content-Type"))
	header.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
