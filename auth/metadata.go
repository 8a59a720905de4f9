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

// isHTTPS reports whether callers use TLS, as far as the server can know.
func (g *authenticator) isHTTPS(r *http.Request) bool {
	if g.resource != nil {
		return g.resource.Scheme == "https"
	}
	return r.TLS != nil || g.public.scheme == "https" && g.isPublic(r)
}

// base returns the address of the server as callers see it. The host was checked
// before.
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

// challenge returns the WWW-Authenticate header, with the address of the
// metadata. Each path of an agent is a separate resource.
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

// allowOrigin sets the CORS headers for a page of another origin, and returns
// true when it has answered a preflight request. It does not allow cookies.
func (g *authenticator) allowOrigin(w http.ResponseWriter, r *http.Request) bool {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	header.Add("Vary", "Origin")
	header.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, X-Request-Id, Retry-After")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	header.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	// The names of MCP headers depend on the tool.
	asked := r.Header.Get("Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Headers", cmp.Or(asked, "Authorization, Content-Type"))
	header.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
