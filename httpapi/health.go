package httpapi

import (
	"net/http"
)

// Health answers as long as the process lives.
func (a *API) Health() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
}

// Ready answers 200 when the server can work, and 503 before that and from the
// moment it is drained. Why not is for the log: anybody may ask here.
func (a *API) Ready() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.draining.Load() {
			answer(w, http.StatusServiceUnavailable, "draining")
			return
		}
		if a.opts.Ready != nil {
			if err := a.opts.Ready(); err != nil {
				a.opts.Logger.WarnContext(r.Context(), "not ready", "error", err)
				answer(w, http.StatusServiceUnavailable, "not ready")
				return
			}
		}
		answer(w, http.StatusOK, "ready")
	})
}

// Metrics serves the metrics of the options, or 404 when there are none.
func (a *API) Metrics() http.Handler {
	if a.opts.Metrics == nil {
		return http.NotFoundHandler()
	}
	return a.opts.Metrics.Handler()
}

func answer(w http.ResponseWriter, status int, word string) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write([]byte(`{"status":"` + word + `"}` + "\n")) // a client that is gone needs no answer
}
