// Package sendertest helps to test senders of digests.
package sendertest

import (
	"errors"
	"io"
	"reflect"

	"github.com/plaza-sdk/plaza/notify/digest"
)

// Permanent reports whether err is one of digest.Permanent, so that a worker drops the
// digest.
func Permanent(err error) bool {
	permanent := reflect.TypeOf(digest.Permanent(io.EOF))
	for ; err != nil; err = errors.Unwrap(err) {
		if reflect.TypeOf(err) == permanent {
			return true
		}
	}
	return false
}
