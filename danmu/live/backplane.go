package live

import "context"

// Pos is a place in what a room was told, as its Backplane names it. It is
// opaque; whoever watches may have made it up.
type Pos string

// Backplane carries what a room is told to every process. Each room is a log
// of its own, in one order for all; its older entries may be trimmed.
type Backplane interface {
	// Publish appends payload, which is not empty, to the log of room. After
	// an error it may have been appended or not. It may be appended twice.
	Publish(ctx context.Context, room string, payload []byte) error

	// Subscribe hands deliver what follows after in the log of room, in its
	// order, beginning perhaps before it returns. What is published once it has
	// returned is delivered. It ends early with ctx; what is delivered does not.
	//
	// Calls of deliver for one Subscribe never overlap, and deliver does not
	// wait. It may be called while the backplane's own locks are held: deliver
	// calls no method of it. None follows once Stop has returned.
	Subscribe(ctx context.Context, room string, after Pos, deliver func([]Entry)) (Subscription, error)
}

// Subscription is what Subscribe gives.
type Subscription struct {
	// From is where it begins: after, or the log's end where after is empty, or
	// names no place of this room from which all that followed is still there.
	From Pos

	// End is the log's end during Subscribe: From, or the Pos of an entry that
	// is delivered, or that a gap took.
	End Pos

	Stop func()
}

// Entry is what was published, and where. Without a Payload it only says how
// far the log has come.
type Entry struct {
	Pos     Pos
	Payload []byte

	// Gap says that entries before this one were lost.
	Gap bool
}
