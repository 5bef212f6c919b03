package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// FollowOptions of Home.Follow. The zero value works.
type FollowOptions struct {
	// ID is the identity of the edge: until the edge ends, a repeat with the ID has the
	// same answer. Defaults to a minted one.
	ID ids.ID

	// CopyLimit is how many of the source's last activities Follow copies, at most
	// 1,000. Activities that are still being delivered come in addition. Defaults to
	// 100; negative is none. The home shows all activities of a Pulled source, or if
	// CopyLimit is negative only those since the edge or, if the source becomes Pulled
	// later, since a day before the edge.
	CopyLimit int
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
	return args.AtMost("CopyLimit", o.CopyLimit, maxCopies)
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
// copies the source's last activities, or makes the home read the outbox of a
// Pulled source. created reports whether this call made the edge, or an earlier
// one with the same FollowOptions.ID. If Follow fails, a repeat completes it.
//
// If an edge with that ID or a later one has ended, Follow returns plaza.ErrRemoved. An
// Unfollow whose caller gave up may still arrive and end an edge that this Follow
// found: then repeat Follow.
//
// If the home has no room for another Pulled source, Follow returns ErrTooManyPulled or
// ErrFull, and ends the edge if this call made it. If the home's header is damaged, that
// is plaza.ErrCorrupt, and an edge without a caller's ID ends too.
//
// Cost: with 100 activities of 1 KB copied 7 requests, 110 WCU, 27 RCU; of a Pulled
// source 3 requests, 11 WCU, 2 RCU.
//
//plaza:cost with 100 activities of 1 KB copied: 7 requests, 110 WCU, 27 RCU
//plaza:cost each of up to 5 reads past removed activities: 1 request, 13 RCU
//plaza:cost of a Pulled source: 3 requests, 11 WCU, 2 RCU
//plaza:cost the edge stood, or has an ID of the caller's: 1 request, 1 RCU
//plaza:cost each 100 copies that are read first: 1 request, 50 RCU
//plaza:cost a repeat with all 100 copied: 5 requests, 10 WCU, 78 RCU
//plaza:cost the home forgets what has expired: 1 request, 1 WCU
//plaza:cost the home forgets unfollows: 1 request, 0.5 RCU
//plaza:cost each unfollow that it forgets: 1 request, 1 RCU
//plaza:cost the home has no room: 2 requests, 10 WCU
//plaza:cost each KB of the home's header, for each write: 1 WCU
//plaza:cost each further 4 KB of the home's header: 1 RCU
func (h Home) Follow(ctx context.Context, source string, opts *FollowOptions) (created bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.Follow")
	if err := h.check(); err != nil {
		return false, err
	}
	o := args.Given(opts)
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
	created, err = h.fill(ctx, filling{edge, created, o, h.r.opts.Parallel})
	if err != nil {
		return created, fmt.Errorf("feed: home of %q reads %q: %w", h.reader, source, err)
	}
	return created, nil
}

// makeEdge creates the edge, unless there is one already that the home does not
// hide.
func (h Home) makeEdge(ctx context.Context, e follow.Edge) (edge follow.Edge, created bool, err error) {
	for range maxTries {
		edge, created, err = h.r.graph.Follow(ctx, e)
		if err != nil || created && e.ID == 0 {
			return edge, created, err
		}
		head, err := h.readHeader(ctx)
		if err != nil {
			return edge, created, err
		}
		kept, _, _ := head.pull(edge.ID, e.Followee) // a damaged one is not kept
		hidden := head.ended(e.Followee, edge.ID)
		if !hidden && !kept.Kept {
			return edge, created, nil
		}
		// An unfollow was interrupted, or this is a late follow from before
		// one. In both cases the edge must go.
		if hidden {
			if err := h.hideSource(ctx, e.Followee, edge.ID); err != nil {
				return edge, false, err
			}
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

// filling is an edge whose activities a Follow brings into the home.
type filling struct {
	edge     follow.Edge
	created  bool // by this call, or by an earlier one with the same ID
	opts     FollowOptions
	parallel int // batches at once
}

// fresh reports whether no earlier call can have copied anything.
func (f filling) fresh() bool { return f.created && f.opts.ID == 0 }

// fill brings the activities that the edge's source has published so far, even if
// the edge existed before: the call that created it may have died. It reads the
// source's mode after the edge was created, so a switch that begins later finds
// the edge, and later publishes deliver to the home. made reports whether
// the call created the edge and left it in place.
func (h Home) fill(ctx context.Context, f filling) (made bool, err error) {
	edge := f.edge
	wanted := []store.Key{sourceKey(edge.Followee)}
	if f.fresh() { // otherwise makeEdge has read the header
		wanted = append(wanted, headerKey(h.reader))
	}
	items, err := h.r.table.GetAll(ctx, wanted, true, 1)
	if err != nil {
		return f.created, err
	}
	head, err := h.r.parseHeader(items[headerKey(h.reader)])
	switch {
	case err != nil:
		return h.endRefused(ctx, edge, err)
	case head.ending(endingName(edge.Followee)).Edge == damagedEdge:
		// The ending would hide this edge too, but can only be of earlier ones.
		if err := h.hideSource(ctx, edge.Followee, edge.ID-1); err != nil {
			return true, err
		}
	}
	source := h.r.sourceIn(items, edge.Followee)
	if source.Mode == Pushed || source.Mode == Closing {
		return f.created, h.backfill(ctx, f)
	}
	p := pull{Source: edge.Followee, At: source.At}
	if f.opts.CopyLimit < 0 {
		p.Since = edge.ID
	}
	stored, err := h.addPull(ctx, edge.ID, p)
	switch {
	case errors.Is(err, errEnded): // an unfollow came in between
		return f.created, nil
	case errors.Is(err, ErrTooManyPulled), errors.Is(err, ErrFull):
		// An edge with the caller's ID may have worked since before the switch.
		if f.created && (f.opts.ID == 0 || edge.ID > source.At) {
			return h.endRefused(ctx, edge, err)
		}
	case err == nil && !stored.Kept && stored.Since > p.Since:
		// The switch wrote its pull first, and that shows less.
		err = h.backfill(ctx, f)
	}
	return f.created, err
}

// endRefused ends an edge for which the home has no room, or whose header is
// damaged. It returns the refusal.
func (h Home) endRefused(ctx context.Context, edge follow.Edge, refusal error) (left bool, err error) {
	// A switch or a delivery may have used the edge.
	if err := h.hideSource(ctx, edge.Followee, edge.ID); err != nil && !errors.Is(err, ErrFull) && !errors.Is(err, plaza.ErrCorrupt) {
		return true, err
	}
	if _, err := h.r.graph.Unfollow(ctx, edge); err != nil {
		return true, err
	}
	return false, refusal
}

// backfill copies the source's last activities. Repeating it is harmless: an entry's
// key derives from its activity and edge.
func (h Home) backfill(ctx context.Context, f filling) (err error) {
	edge, limit := f.edge, f.opts.CopyLimit
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
	entries = entries[:min(len(entries), limit)]
	if !f.fresh() {
		if entries, err = h.missing(ctx, entries, f.parallel); err != nil {
			return err
		}
	}
	return h.r.table.PutAll(ctx, entries, f.parallel)
}

// missing returns the entries that are not stored as they are. So repeats end on a home
// that takes only some writes at once. An answer may be stale: only Erase deletes entries
// early, and their edge ends with them.
func (h Home) missing(ctx context.Context, entries []dynamo.Item, parallel int) ([]dynamo.Item, error) {
	all := make([]store.Key, len(entries))
	for i, entry := range entries {
		all[i] = store.KeyOf(entry)
	}
	stored, err := h.r.table.GetAll(ctx, all, false, parallel)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(entry dynamo.Item) bool {
		return reflect.DeepEqual(entry, stored[store.KeyOf(entry)])
	}), nil
}

// maxSources is the most sources of a FollowMany.
const maxSources = 100

// FollowMany subscribes the home to up to 100 sources, as Follow does: the topics that
// a new account picks. The results have the order of sources; Changed reports whether
// this call made the edge, even if copying then failed. A source named twice is
// followed once and has the same result twice. If some failed, the error is a
// *plaza.PartialError: repeating the call completes them. An ID in opts is
// plaza.ErrInvalid, because each edge has its own.
//
// It makes the edges one after another, because they share the reader's count.
// Meanwhile it fills the home from up to Options.Parallel sources at once.
//
// Cost: as Follow for each source.
func (h Home) FollowMany(ctx context.Context, sources []string, opts *FollowOptions) ([]plaza.Result[string], error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.FollowMany")
	limit, err := h.checkFollowMany(sources, opts)
	if err != nil {
		return nil, err
	}
	results := make([]plaza.Result[string], len(sources))
	var halted halt
	fills := parallel.New()
	fills.SetLimit(h.r.opts.Parallel)
	for i, source := range sources {
		if slices.Contains(sources[:i], source) {
			continue
		}
		result := &results[i]
		f := filling{opts: FollowOptions{CopyLimit: limit}, parallel: 1}
		err := halted.reason(ctx)
		if err == nil {
			f.edge, f.created, err = h.makeEdge(ctx, follow.Edge{Follower: h.reader, Followee: source})
		}
		if err != nil {
			halted.note(err)
			*result = plaza.Result[string]{Value: source, Err: fmt.Errorf("feed: home of %q follows %q: %w", h.reader, source, err)}
			continue
		}
		*result = plaza.Result[string]{Value: source, Changed: f.created}
		fills.Go(func() error {
			made := true
			err := parallel.Catch(func() (err error) { made, err = h.fill(ctx, f); return err })
			if err != nil {
				halted.note(err)
				result.Err = fmt.Errorf("feed: home of %q reads %q: %w", h.reader, source, err)
			}
			result.Changed = f.created && made
			return nil
		})
	}
	_ = fills.Wait()
	for i, source := range sources {
		results[i] = results[slices.Index(sources, source)]
	}
	return results, parallel.Failed(results)
}

func (h Home) checkFollowMany(sources []string, opts *FollowOptions) (limit int, err error) {
	if err := cmp.Or(h.check(), args.Count("Sources", len(sources), "sources", maxSources)); err != nil {
		return 0, err
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
		return 0, &plaza.InvalidError{Field: "ID", Reason: "cannot be shared by several edges"}
	}
	return opts.CopyLimit, opts.check(h.r.opts.Now())
}
