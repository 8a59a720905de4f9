package state

import "time"

// Retention limits how long records of a kind are kept, and how much of them. A
// zero limit does not apply.
type Retention struct {
	Age   time.Duration
	Bytes int64
}
