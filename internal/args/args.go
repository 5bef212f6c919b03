// Package args checks arguments and options against their bounds, and fills in
// defaults. What it refuses is a *plaza.InvalidError of the given field.
package args

import (
	"cmp"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
)

// Between refuses n unless it is least to most.
func Between[N cmp.Ordered](field string, n, least, most N) error {
	if n < least || n > most {
		return refuse(field, "is %v, %v to %v are allowed", n, least, most)
	}
	return nil
}

// AtLeast refuses n below least.
func AtLeast[N cmp.Ordered](field string, n, least N) error {
	if n < least {
		return refuse(field, "is %v, at least %v is allowed", n, least)
	}
	return nil
}

// AtMost refuses n above most.
func AtMost[N cmp.Ordered](field string, n, most N) error {
	if n > most {
		return refuse(field, "is %v, at most %v is allowed", n, most)
	}
	return nil
}

// Count refuses more than most of what a field has, such as "ids" or "bytes".
func Count(field string, has int, what string, most int) error {
	if has > most {
		return refuse(field, "has %d %s, at most %d are allowed", has, what, most)
	}
	return nil
}

// Whole refuses a duration that is not a multiple of unit.
func Whole(field string, d, unit time.Duration) error {
	if d%unit != 0 {
		return refuse(field, "is %v, multiples of %v are allowed", d, unit)
	}
	return nil
}

// Default sets *n to otherwise if it is 0, and then checks it as Between does.
func Default[N cmp.Ordered](field string, n *N, otherwise, least, most N) error {
	*n = cmp.Or(*n, otherwise)
	return Between(field, *n, least, most)
}

// DefaultAtLeast sets *n to otherwise if it is 0, and then checks it as AtLeast does.
func DefaultAtLeast[N cmp.Ordered](field string, n *N, otherwise, least N) error {
	*n = cmp.Or(*n, otherwise)
	return AtLeast(field, *n, least)
}

// Given returns a copy of the options, or the zero value for nil.
func Given[O any](opts *O) O {
	if opts == nil {
		return *new(O)
	}
	return *opts
}

func refuse(field, format string, a ...any) error {
	return &plaza.InvalidError{Field: field, Reason: fmt.Sprintf(format, a...)}
}
