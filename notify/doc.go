// Package notify keeps what users are told: a bell with a count, "ann and 4 others
// liked your picture", seen and read apart, archive and snooze.
package notify
