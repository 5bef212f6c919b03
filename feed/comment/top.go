package comment

import (
	"context"
	"strconv"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Top lists the object's visible flow comments and roots, greatest score first,
// the newer of equals before. It needs Options.Score. A comment begins at 0
// and moves with Rank. A walk is exact while no score moves.
//
// Cost: 2 requests, 0.5 RCU per 4 KB of places, eventually consistent, and the
// same for each comment, in hundreds a request; 1 more where there are quotes, 4
// at most. Hidden comments are passed over in up to 6 reads of up to 101
// comments, 3 requests each at most; what is erased is looked for again, 5.
func (r *Repository) Top(ctx context.Context, object string, req cursor.PageRequest) (cursor.Page[Comment], error) {
	if err := r.checkScored(); err != nil {
		return cursor.Page[Comment]{}, err
	}
	if err := keys.CheckName("Object", object); err != nil {
		return cursor.Page[Comment]{}, err
	}
	list := store.List[ranked, row]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "comment/top", Partition: object},
		Order: store.Order[ranked]{
			Below: func(i ranked) string { return i.place },
			Above: func(i ranked) string { return i.score() + (i.at.ID + 1).String() },
			Valid: validPlace,
		},
		Item: func(i ranked) row { return i.row },
		Read: func(ctx context.Context, reach store.Reach) ([]ranked, string, error) {
			reach.Limit = min(reach.Limit, readMost)
			span := reach.Span(scorePK(object))
			span.Consistent = r.opts.Consistent
			items, rest, err := store.Read[scoreItem](ctx, r.table, span)
			places := make([]ranked, len(items))
			for n, i := range items {
				places[n] = ranked{row{at: At{Object: object, ID: i.id}}, i.SK}
			}
			return places, rest, err
		},
		Show: r.showRanked,
	}
	page, err := list.Page(ctx, req)
	if err != nil {
		return cursor.Page[Comment]{}, wrapName("top of", object, err)
	}
	shown, err := r.page(ctx, page)
	return shown, wrapName("top of", object, err)
}

func (r *Repository) checkScored() error {
	if r.opts.Score == nil {
		return &plaza.InvalidError{Field: "Options.Score", Reason: "is nil: there is no Top"}
	}
	return nil
}

// ranked is a comment at a place in Top, a score's sort key.
type ranked struct {
	row
	place string
}

// score is the place up to the id.
func (i ranked) score() string { return i.place[:strings.IndexByte(i.place, '#')+1] }

func validPlace(gap string) bool {
	score, id, _ := strings.Cut(gap, "#")
	if _, err := strconv.ParseUint(score, 16, 64); err != nil || len(score) != 16 {
		return false
	}
	return store.ByID(func(id ids.ID) ids.ID { return id }).Valid(id)
}

// showRanked reads the comments. Places of what is hidden stay.
func (r *Repository) showRanked(ctx context.Context, places []ranked) ([]ranked, error) {
	listed := make([]row, len(places))
	for n, i := range places {
		listed[n] = i.row
	}
	found, err := r.readListed(ctx, listed)
	if err != nil {
		return nil, err
	}
	shown := places[:0]
	for _, i := range places {
		stored, ok := r.readable(found.at(i.at))
		if ok && stored.shown(false) && stored.Removed == nil {
			shown = append(shown, ranked{stored, i.place})
		}
	}
	return shown, nil
}
