package leaderboard

import (
	"context"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// Options of a Repository. The zero value works.
type Options struct {
	// Refuse is asked before a submission changes a score or a name, and refuses what
	// cannot be true by an error, which Submit returns beside
	// plaza.ErrForbidden. The submission has its Op, At and Operator; the
	// result is what would come of it. With it a Best costs one consistent
	// read more. Defaults to nothing refused.
	Refuse func(context.Context, Submission, Result) error

	// Refresh is for how long a process goes by what it has read of a board:
	// a redefinition reaches every process within it. Up to a minute. Defaults
	// to 30 s.
	Refresh time.Duration

	// Parallel is how many players SubmitMany serves at once. Defaults to 8.
	Parallel int

	// Consistent makes Definitions, Boards and Periods strongly consistent, at
	// twice the units.
	Consistent bool

	// OnCorrupt is called with each damaged item that a list leaves out,
	// by several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// Now is the clock, by which the ids of gen should be too. Defaults to
	// time.Now.
	Now func() time.Time

	zones wallclock.Loader // nil: the machine's
}

const maxRefresh = time.Minute

func (o *Options) setDefaults() error {
	if o.Refresh == 0 {
		o.Refresh = 30 * time.Second
	}
	if o.Parallel == 0 {
		o.Parallel = 8
	}
	if o.Codec == nil {
		o.Codec = cursor.Plain()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case o.Refresh < 0 || o.Refresh > maxRefresh:
		return &plaza.InvalidError{Field: "Options.Refresh", Reason: fmt.Sprintf("is %v, up to %v are allowed", o.Refresh, maxRefresh)}
	case o.Parallel < 0:
		return &plaza.InvalidError{Field: "Options.Parallel", Reason: fmt.Sprintf("is %d", o.Parallel)}
	}
	return nil
}
