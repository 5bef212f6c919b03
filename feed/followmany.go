package feed

import (
	"context"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// maxSources is the most sources of a FollowMany.
const maxSources = 100

// FollowMany subscribes the home to up to 100 sources, as Follow does to one:
// the topics that a new account picks. It tells of every source that is
// followed now whether this call made the edge. Some that failed are a
// PartialError; repeating the call completes what was cut short. A source
// named twice is followed once. An options.ID is plaza.ErrInvalid, since every edge has its own.
//
// The edges are made in turn, since they share the reader's count; beside them
// up to Options.Parallel sources are copied at once.
//
// Cost: as many Follows: with 100 activities of 1 KB each, 110 WCU and 25 RCU for each source; 1 RCU more for an edge that stood before.
func (h Home) FollowMany(ctx context.Context, sources []string, opts *FollowOptions) (created map[string]bool, err error) {
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
		err := failed.halted(ctx)
		if err == nil {
			edge, made, err = h.link(ctx, follow.Edge{Follower: h.reader, Followee: source})
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
