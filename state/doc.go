// Package state keeps the records of gongu in one SQL store: SQLite by default,
// PostgreSQL for several hosts. What must happen together is one transaction.
//
// [Open] opens a store and brings its tables up to date. [Store.Update] and
// [Store.View] run a function in a transaction; it runs the statements of
// statements.sql by name, which are the same for both engines. [Store.Lease]
// says that this host is alive, and [Store.UpdateOwned] writes only while it is.
// [Tx.Next] numbers the entries of a feed in the order of their commits, and
// [Store.Watch] tells when a feed has grown.
package state
