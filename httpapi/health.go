package httpapi

import "net/http"

// Health answers as long as the process lives.
func (a *API) Health() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeStatus(w, http.StatusOK, "ok") })
}

// Ready answers 200, and 503 from the moment the server is drained.
func (a *API) Ready() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if a.draining.Load() {
			writeStatus(w, http.StatusServiceUnavailable, "draining")
			return
		}
		writeStatus(w, http.StatusOK, "ready")
	})
}

// Metrics serves the metrics of the options, or 404 when there are none.
func (a *API) Metrics() http.Handler {
	if a.opts.Metrics == nil {
		return http.NotFoundHandler()
	}
	return a.opts.Metrics.Handler()
}

func writeStatus(w http.ResponseWriter, status int, word string) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write([]byte(`{"status":"` + word + `"}` + "\n")) // a client that is gone needs no answer
}
