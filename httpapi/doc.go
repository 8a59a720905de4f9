// Package httpapi serves a bundle over plain HTTP and JSON, for consoles and for
// programs in languages without an MCP library: tools and their search, calls, the
// queue of tool requests, pins and sources. Beside it are health, readiness,
// metrics and a status page.
//
// One table of routes makes both the handlers and the OpenAPI document at
// /api/v1/openapi.json, so that neither can have what the other lacks.
//
// The package does not authenticate requests. A handler in front of it, such as
// that of package auth, puts a [gongu.Principal] into the context; a request
// without one is anonymous, which may read and call but not decide. The backend
// narrows the tools to those that the principal may use.
//
// A call whose tool fails has status 200, because the request was valid. Every
// other failure is a problem document with a code, a message and a suggestion.
package httpapi
