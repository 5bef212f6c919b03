// Package poller reads a table's stream where there is no Lambda.
//
// A Poller hands the records to a stream.Processor. Its workers share the shards by
// leases in a table of their own. A Reader follows all shards from now on, for a process
// that keeps the state of a table in memory. Reread reads the records of dead letters
// that have none.
package poller
