// Package toolrequest is the queue of tools that a model asked for and a person
// decides about.
//
// [File] keeps it in tool-requests.json, a JSON array that people read, edit
// and put under version control. Any number of processes may use one file: a
// change is made under a lock, written to a file beside it, brought to the disk
// and given its name in one step, so that a reader or a crash never meets half
// of it. Reading takes no lock.
//
// What the file holds is never thrown away. Unknown fields stay.
// Decided requests move to tool-requests.archive.json when there are more than
// a thousand, and are found there. The archive holds ten thousand, or 64 MiB;
// then those that were rejected or fulfilled longest ago are forgotten. A file that cannot be read as JSON is put
// aside under another name by the next [File.Add], which goes on with
// higher ids. A file of a newer format is refused as it is: format 1, this one,
// has no mark, and a later one has "format": 2 in its entries or is an object
// that says so.
//
// Ids are req_001, req_002 and so on. No id is given twice, also when the
// request that had it is in the archive or in a broken file.
package toolrequest
