// Package job is what the benchmark asks the load program for, one JSON value
// to a line, and what it answers.
package job

// The kinds of work.
const (
	// Calls echoes a text with tools/call, over and over.
	Calls = "calls"
	// Lists reads all pages of tools/list, over and over.
	Lists = "lists"
)

// The transports.
const (
	Streamable = "streamable"
	// SSE is the transport of 2024, which some peers still have only.
	SSE = "sse"
)

// Job is one turn of one target.
type Job struct {
	URL       string `json:"url"`
	Transport string `json:"transport"`
	// Era is the revision the clients speak.
	Era  string `json:"era"`
	Kind string `json:"kind"`
	// Tool is the name of the echo tool at this target.
	Tool string `json:"tool,omitempty"`
	// Size is how many bytes the text has.
	Size int `json:"size,omitempty"`
	// Clients work at the same time, each with a session of its own where the
	// era has sessions.
	Clients int `json:"clients"`
	// Tools is how many tools of ours a list must have.
	Tools int `json:"tools,omitempty"`
	// WarmMS is how long the work is done before it is measured, MS how long
	// it is measured.
	WarmMS int `json:"warmMs"`
	MS     int `json:"ms"`
}

// Result is what came out.
type Result struct {
	// Done counts the operations that were measured, All those before, too.
	Done int `json:"done"`
	All  int `json:"all"`
	// Errors counts operations that failed or gave a wrong answer; Error is
	// the first of them.
	Errors int    `json:"errors"`
	Error  string `json:"error,omitempty"`
	// P50 and P99 are nanoseconds for one operation, Rate operations a second.
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	Rate float64 `json:"rate"`
	// FirstByte is the median until the first byte of the first page of a
	// list; Pages and Bytes are what one list has.
	FirstByte float64 `json:"firstByte,omitempty"`
	Pages     int     `json:"pages,omitempty"`
	Bytes     int     `json:"bytes,omitempty"`
}
