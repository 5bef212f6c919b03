package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// FollowOptions of Home.Follow. The zero value works.
type FollowOptions struct {
	// ID is the identity of the edge; while the edge stands, a repeat with it
	// answers as the first call did. Defaults to a minted one.
	ID ids.ID

	// CopyLimit is how many of the source's last activities Follow copies, at
	// most 1,000. Activities that are still being delivered come besides.
	// Defaults to 100; negative is none.
	CopyLimit int
}

// UnfollowOptions of Home.Unfollow. The zero value works.
type UnfollowOptions struct {
	// ID names the edge to end: one with another ID stays. A Follow with this
	// ID that arrives later is refused. Defaults to the edge that stands.
	ID ids.ID

	// KeepHistory leaves in the home what the source published so far, until an
	// Unfollow without it.
	KeepHistory bool
}

const (
	defaultCopies = 100
	maxCopies     = 1000
	copyPage      = 100 // per read: activities may be large
	spareReads    = 5   // to get past removed activities
)

func (o FollowOptions) check(now time.Time) error {
	if o.ID != 0 {
		if err := keys.CheckNewID("ID", o.ID, now); err != nil {
			return err
		}
	}
	if o.CopyLimit > maxCopies {
		return &plaza.InvalidError{Field: "CopyLimit", Reason: fmt.Sprintf("is %d, at most %d are allowed", o.CopyLimit, maxCopies)}
	}
	return nil
}

func (h Home) checkSource(field, source string) error {
	if err := keys.CheckName(field, source); err != nil {
		return err
	}
	if source == h.reader {
		return &plaza.InvalidError{Field: field, Reason: "is the reader"}
	}
	return nil
}

// Follow subscribes the home to source: it makes an edge in the graph and
// copies the source's last activities. Created reports whether this call made
// the edge, or an earlier one with the same FollowOptions.ID. Repeating it
// completes what was cut short. If a follow with that ID or a later one has
// ended since, that is plaza.ErrRemoved, however late the request.
//
// Cost: with 100 activities of 1 KB copied 6 requests, 110 WCU, 25 RCU; past
// removed activities up to 5 reads of 100 more; where the edge stood or has an
// ID of the caller's 1 request, 1 RCU for each 4 KB of the home's header more.
func (h Home) Follow(ctx context.Context, source string, opts *FollowOptions) (created bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.Follow")
	if err := h.check(); err != nil {
		return false, err
	}
	var o FollowOptions
	if opts != nil {
		o = *opts
	}
	if err := o.check(h.r.opts.Now()); err != nil {
		return false, err
	}
	if err := h.checkSource("Source", source); err != nil {
		return false, err
	}
	edge, created, err := h.makeEdge(ctx, follow.Edge{Follower: h.reader, Followee: source, ID: o.ID})
	if err != nil {
		return false, fmt.Errorf("feed: home of %q follows %q: %w", h.reader, source, err)
	}
	// Also if the edge stood before, because the call that made it may have
	// died. The edge comes first: publishes after it deliver to the home
	// themselves.
	if err := h.backfill(ctx, edge, o.CopyLimit, h.r.opts.Parallel); err != nil {
		return created, fmt.Errorf("feed: home of %q copies from %q: %w", h.reader, source, err)
	}
	return created, nil
}

// makeEdge makes the edge, unless one stands that the home does not hide.
func (h Home) makeEdge(ctx context.Context, e follow.Edge) (edge follow.Edge, created bool, err error) {
	for range maxTries {
		edge, created, err = h.r.graph.Follow(ctx, e)
		if err != nil || created && e.ID == 0 {
			return edge, created, err
		}
		hidden, err := h.isHidden(ctx, e.Followee, edge.ID)
		if err != nil || !hidden {
			return edge, created, err
		}
		// An unfollow was interrupted, or this is a late follow from before
		// one. In both cases the edge must go.
		if err := h.hideSource(ctx, e.Followee, edge.ID); err != nil {
			return edge, false, err
		}
		if _, err := h.r.graph.Unfollow(ctx, edge); err != nil {
			return edge, false, err
		}
		if edge.ID == e.ID {
			return edge, false, plaza.ErrRemoved
		}
	}
	return edge, false, plaza.ErrBusy
}

// backfill copies the source's last activities, with up to parallel batches at
// once. Repeating it is harmless: an entry's key derives from its activity and
// edge.
func (h Home) backfill(ctx context.Context, edge follow.Edge, limit, parallel int) error {
	if limit < 0 {
		return nil
	}
	if limit == 0 {
		limit = defaultCopies
	}
	source := h.r.Outbox(edge.Followee)
	var entries []dynamo.Item
	reach := store.Reach{Limit: min(limit, copyPage)}
	list := source.list(true)
	for reads := (limit+copyPage-1)/copyPage + spareReads; len(entries) < limit && reads > 0; reads-- {
		activities, rest, err := list.Read(ctx, reach)
		if err != nil {
			return err
		}
		n := len(activities)
		ended := rest == "" || n > 0 && h.r.expired(activities[n-1].ID)
		reach = store.Reach{Gap: rest, Limit: copyPage}
		if activities, err = list.Show(ctx, activities); err != nil {
			return err
		}
		for _, a := range activities {
			if h.r.expired(a.ID) {
				continue
			}
			about, _ := h.r.about(a.activity()) // an invalid About counts as none
			entries = append(entries, h.r.newEntry(edge, CacheKey{a.owner(), a.ID}, about))
		}
		if ended {
			break
		}
	}
	return h.r.table.PutAll(ctx, entries[:min(len(entries), limit)], parallel)
}

// Unfollow ends the subscription. Unless KeepHistory is set, all that came by
// it is gone from the home at the next consistent read, even what is still
// being delivered. changed is true only if this call ended an edge. If there
// is none, because follow's Unfollow ended it or its history was kept, the
// history is removed.
//
// A home remembers each source that it hides for Retention and a day. If it
// cannot remember another one, that is ErrFull, and nothing is ended.
//
// Cost: 3 requests, 1 RCU, 11 WCU, 1 WCU more for each further KB of the home's
// header; where no edge stands 2 requests, 1 RCU, 1 WCU for each KB of the
// header; with an ID then 2 requests, 1 RCU, 1 WCU more.
func (h Home) Unfollow(ctx context.Context, source string, opts *UnfollowOptions) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.Unfollow")
	if err := h.check(); err != nil {
		return false, err
	}
	if err := h.checkSource("Source", source); err != nil {
		return false, err
	}
	var o UnfollowOptions
	if opts != nil {
		o = *opts
	}
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
	last, stands, err := h.r.graph.Last(ctx, follow.Edge{Follower: h.reader, Followee: source})
	switch {
	case errors.Is(err, plaza.ErrNotFound):
		// Follows of this moment may still be in flight.
		last.ID = ids.At(h.r.opts.Now().Add(-keys.MaxAhead))
	case err != nil:
		return false, err
	case stands && o.ID != 0 && last.ID != o.ID:
		return h.r.graph.Unfollow(ctx, named)
	case stands:
		named = last
	}
	if !o.KeepHistory {
		// Before the edge goes: a crash in between leaves a hidden edge, which
		// the next Follow or Unfollow removes.
		if err := h.hideSource(ctx, source, max(last.ID, o.ID)); err != nil {
			return false, err
		}
	}
	if named.ID == 0 {
		return false, nil
	}
	return h.r.graph.Unfollow(ctx, named)
}

// maxSources is the most sources of a FollowMany.
const maxSources = 100

// FollowMany subscribes the home to up to 100 sources, as Follow does: the
// topics that a new account picks. Created has an entry for each source that is
// followed now: whether this call made its edge. If some failed, that is a
// PartialError; repeating the call completes them. A source named twice is
// followed once. An options.ID is plaza.ErrInvalid, because each edge has its
// own.
//
// It makes one edge after the other, because they share the reader's count, and
// meanwhile copies up to Options.Parallel sources at once.
//
// Cost: as Follow for each source; 1 RCU more for an edge that stood before.
func (h Home) FollowMany(ctx context.Context, sources []string, opts *FollowOptions) (created map[string]bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.FollowMany")
	limit, err := h.checkFollowMany(sources, opts)
	if err != nil {
		return nil, err
	}
	var failed failures
	copies := parallel.New()
	copies.SetLimit(h.r.opts.Parallel)
	created = make(map[string]bool, len(sources))
	for i, source := range sources {
		if slices.Contains(sources[:i], source) {
			continue
		}
		var edge follow.Edge
		made := false
		err := failed.stopped(ctx)
		if err == nil {
			edge, made, err = h.makeEdge(ctx, follow.Edge{Follower: h.reader, Followee: source})
		}
		if err != nil {
			failed.add(i, fmt.Errorf("feed: home of %q follows %q: %w", h.reader, source, err))
			continue
		}
		created[source] = made
		copies.Go(func() error {
			if err := parallel.Catch(func() error { return h.backfill(ctx, edge, limit, 1) }); err != nil {
				failed.add(i, fmt.Errorf("feed: home of %q copies from %q: %w", h.reader, source, err))
			}
			return nil
		})
	}
	_ = copies.Wait()
	return created, failed.err()
}

func (h Home) checkFollowMany(sources []string, opts *FollowOptions) (limit int, err error) {
	if err := h.check(); err != nil {
		return 0, err
	}
	if n := len(sources); n > maxSources {
		return 0, &plaza.InvalidError{Field: "Sources", Reason: fmt.Sprintf("has %d, at most %d are allowed", n, maxSources)}
	}
	for i, source := range sources {
		if err := h.checkSource(fmt.Sprintf("Sources[%d]", i), source); err != nil {
			return 0, err
		}
	}
	if opts == nil {
		return 0, nil
	}
	if opts.ID != 0 {
		return 0, &plaza.InvalidError{Field: "ID", Reason: "cannot be of several edges"}
	}
	return opts.CopyLimit, opts.check(h.r.opts.Now())
}
