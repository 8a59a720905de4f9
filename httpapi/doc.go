// Package httpapi serves a bundle over plain HTTP and JSON, for consoles and for
// programs in languages that speak no MCP: tools and their search, calls, the
// queue of tool requests, pins and sources. Beside it are health, readiness,
// metrics and a status page.
//
// One table of routes makes both the handlers and the OpenAPI document at
// /api/v1/openapi.json, so that neither can have what the other lacks.
//
// The package asks nobody who they are. What stands in front knows, and
// [Options.Who] asks it; a request of nobody counts as [Options.Anonymous],
// which may look and call but decide nothing. Only read-only tools are offered
// unless [Options.Allow] names others.
//
// A call that fails is an answer with status 200, because the failure is the
// tool's and the request was sound. Everything else that goes wrong is a
// problem document with a code, a message and what to do next.
package httpapi
