// Package pgtest runs a real PostgreSQL server for tests.
//
// URL gives a test an empty database of a server that all tests of one test
// program share. Start gives it a server that it may restart and kill. A Proxy
// stands between a client and a server and cuts connections. A shell outside the
// test program ends the server and removes its files when the program ends, also
// when it is killed.
package pgtest
