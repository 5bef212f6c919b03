package feed

import (
	"context"
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// UnfollowOptions of Home.Unfollow. The zero value works.
type UnfollowOptions struct {
	// ID names the edge to end: an edge with another ID stays. A Follow with this
	// ID that arrives later is refused. Defaults to the present edge.
	ID ids.ID

	// KeepHistory keeps the source's activities so far in the home, until an Unfollow
	// without it. If the source is Pulled, it also keeps activities that it publishes
	// later under an older ID.
	KeepHistory bool
}

// Unfollow ends the subscription. Unless KeepHistory is set, the source's activities are
// gone from the home at the next consistent read, even those that are still being
// delivered. changed is true only if this call ended an edge. If there is none, because
// follow's Unfollow ended it or its history was kept, the history is removed.
//
// A home remembers each source that it hides, and each edge whose history it keeps, for
// Retention and a day, and longer while it has entries from a longer Retention. If it
// cannot remember another one, Unfollow returns ErrFull and ends nothing.
//
// If an Unfollow is interrupted, repeat it: the activities stay hidden, but the edge may
// still be there and deliveries go on.
//
// A Follow whose caller gave up may arrive after an Unfollow that found no edge. Then
// repeat the Unfollow.
//
// Cost: 3 requests, 11 WCU, 1 RCU; without an edge 2 requests, 1 WCU, 1 RCU; 1 WCU more
// for each further KB of the header.
//
//plaza:cost unfollow: 3 requests, 11 WCU, 1 RCU
//plaza:cost without an edge: 2 requests, 1 WCU, 1 RCU
//plaza:cost without an edge, by an ID: 4 requests, 2 WCU, 2 RCU
//plaza:cost KeepHistory where the home reads the outbox: 2 requests, 2 WCU
//plaza:cost KeepHistory, each 4 KB of the outbox's newest activity: 1 RCU
//plaza:cost the home forgets what has expired, or history that earlier follows kept: 1 request, 1 WCU
//plaza:cost the home forgets unfollows: 1 request, 0.5 RCU
//plaza:cost each unfollow that it forgets: 1 request, 1 RCU
//plaza:cost each further KB of the home's header: 1 WCU
func (h Home) Unfollow(ctx context.Context, source string, opts *UnfollowOptions) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.Unfollow")
	if err := h.check(); err != nil {
		return false, err
	}
	if err := h.checkSource("Source", source); err != nil {
		return false, err
	}
	o := args.Given(opts)
	if o.ID != 0 {
		if err := keys.CheckNewID("ID", o.ID, h.r.opts.Now()); err != nil {
			return false, err
		}
	}
	if changed, err = h.unfollow(ctx, source, o); err != nil {
		return false, fmt.Errorf("feed: home of %q unfollows %q: %w", h.reader, source, err)
	}
	return changed, nil
}

func (h Home) unfollow(ctx context.Context, source string, o UnfollowOptions) (changed bool, err error) {
	named := follow.Edge{Follower: h.reader, Followee: source, ID: o.ID}
	last, follows, err := h.r.graph.Last(ctx, follow.Edge{Follower: h.reader, Followee: source})
	known := err == nil
	switch {
	case errors.Is(err, plaza.ErrNotFound):
		// A follow that was sent a moment ago may still arrive.
		last.ID, err = ids.At(h.r.opts.Now().Add(-keys.MaxAhead)), nil
	case err != nil:
		return false, err
	case follows && o.ID != 0 && last.ID != o.ID:
		return h.r.graph.Unfollow(ctx, named)
	case follows:
		named = last
	}
	// This comes before the edge is removed: a crash in between leaves a hidden or
	// kept edge, which the next Follow or Unfollow removes.
	switch {
	case !o.KeepHistory:
		err = h.hideSource(ctx, source, max(last.ID, o.ID))
	case named.ID != 0:
		err = h.keepPull(ctx, source, named.ID)
	case known: // it may have been ended in the graph directly
		err = h.keepPull(ctx, source, last.ID)
	}
	if err != nil {
		return false, err
	}
	if named.ID == 0 {
		return false, nil
	}
	return h.r.graph.Unfollow(ctx, named)
}
