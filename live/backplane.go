package live

import "context"

// Pos is a place in a room's log, named by its Backplane. It is opaque. A client
// may have made it up.
type Pos string

// Backplane carries events between processes. Each room is a log of its own, in
// one order for all of them; it may be trimmed from its beginning. The package
// livetest tests one.
type Backplane interface {
	// Publish appends payload, which is not empty, to the log of room. It may
	// append it twice, and may have appended it despite an error.
	Publish(ctx context.Context, room string, payload []byte) error

	// Subscribe calls deliver with the entries after the position after, in the
	// log's order. It may do so before it returns. All that is published once it
	// has returned is delivered. ctx bounds this call, not the subscription.
	//
	// For one Subscribe, calls of deliver never overlap, and none follows once
	// Stop has returned. deliver returns at once and calls no method of the
	// backplane, which may hold its locks.
	Subscribe(ctx context.Context, room string, after Pos, deliver func([]Entry)) (Subscription, error)
}

// Subscription is what Subscribe returns.
type Subscription struct {
	// From is where it begins: at after, or at the log's end if after is empty,
	// is no position of this room, or some entries after it are gone.
	From Pos

	// End is the log's end during Subscribe: From, or the Pos of an entry that
	// is delivered or lost in a gap.
	End Pos

	Stop func()
}

// Entry is a published payload and its position. One without a Payload only
// moves the position.
type Entry struct {
	Pos     Pos
	Payload []byte

	// Gap reports that entries before this one were lost.
	Gap bool
}
