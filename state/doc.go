// Package state keeps the records of gongu in one SQL store: SQLite by default,
// PostgreSQL for several hosts. What must happen together is one transaction.
package state

import (
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)
