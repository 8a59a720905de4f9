package httpapi

import (
	"net/http"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Health returns a handler that always answers 200.
func (a *API) Health() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeStatus(w, http.StatusOK, "ok") })
}

// Ready returns a handler that answers 200, and 503 after [API.Drain].
func (a *API) Ready() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if a.draining.Load() {
			writeStatus(w, http.StatusServiceUnavailable, "draining")
			return
		}
		writeStatus(w, http.StatusOK, "ready")
	})
}

// Metrics returns a handler of the metrics of the options, or of 404 without
// any. They are about the whole server, so a principal that is limited to a part
// of it does not get them; see [access.Metrics].
func (a *API) Metrics() http.Handler {
	if a.opts.Metrics == nil {
		return http.NotFoundHandler()
	}
	metrics := a.opts.Metrics.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, who := withPrincipal(r); access.Metrics(who) != nil {
			a.reject(w, r, fail(CodeForbidden, lang.APINotWhole.With(), lang.APINoMetricsHint.With()))
			return
		}
		metrics.ServeHTTP(w, r)
	})
}

func writeStatus(w http.ResponseWriter, status int, word string) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write([]byte(`{"status":"` + word + `"}` + "\n")) // the client may have disconnected
}
