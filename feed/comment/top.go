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

// Top lists the object's visible flow comments and roots, greatest score first
// and newest first among equals. It needs Options.Score. A comment begins with
// score 0, and UpdateScore changes it. Paging is exact while no score changes.
//
// Cost: 2 requests, 0.5 RCU for 4 KB of places and for each comment; past hidden
// ones 18 requests at most.
//
//plaza:cost 4 KB of places: 2 requests, 0.5 RCU
//plaza:cost each comment: 0.5 RCU
//plaza:cost with Quotes: as ByObject
//plaza:cost past hidden comments, at most, for 606 comments: 18 requests
//plaza:cost past erased comments, at most, for 606 comments: 30 requests
func (r *Repository) Top(ctx context.Context, object string, req cursor.PageRequest) (cursor.Page[Comment], error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Top")
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
				places[n] = ranked{row{at: Address{Object: object, ID: i.id}}, i.SK}
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
		return &plaza.InvalidError{Field: "Options.Score", Reason: "is nil, so there is no Top"}
	}
	return nil
}

// ranked is a comment and its place in Top, the sort key of its score.
type ranked struct {
	row
	place string
}

// score is the part of the place before the id.
func (i ranked) score() string { return i.place[:strings.IndexByte(i.place, '#')+1] }

func validPlace(gap string) bool {
	score, id, _ := strings.Cut(gap, "#")
	if _, err := strconv.ParseUint(score, 16, 64); err != nil || len(score) != 16 {
		return false
	}
	return store.ByID(func(id ids.ID) ids.ID { return id }).Valid(id)
}

// showRanked reads the comments. Hidden ones keep their places.
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

// UpdateScore calls Options.Score for a comment of the object's own list and
// moves it to its place in Top. Call it after each change of a score, or later
// for all that changed; then Top is exact, even if several calls run at once.
// changed is false if the score is already stored. After an error call it again: until
// then the comment may have an older score.
//
// Cost: 2 requests, 1 RCU, 1 WCU; if the score changed 1 request, 1 transaction, 1
// RCU, 6 WCU; Score once.
func (r *Repository) UpdateScore(ctx context.Context, at Address) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.UpdateScore")
	if err := r.checkScored(); err != nil {
		return false, err
	}
	if err := at.checkRoot(); err != nil {
		return false, err
	}
	_, changed, err = r.change(ctx, at, store.Change[inThread]{
		Part: "place", Last: (*inThread).lastPlace,
		Next: func(seen *inThread, g store.Guard) (store.Write, error) {
			if seen.Removed != nil {
				return nil, plaza.ErrRemoved
			}
			score, err := r.opts.Score(ctx, at)
			if err != nil {
				return nil, err
			}
			update := g.Update().Set("score", score).Add("ver", 1).If("attribute_not_exists('removed')")
			place, tx := scoreKey(at, score), r.table.Tx().Update(update)
			if seen.Score != nil {
				if *seen.Score == score {
					return nil, store.ErrSame
				}
				tx.Delete(r.table.Delete(scoreKey(at, *seen.Score)))
			}
			return tx.Put(r.table.Put(scoreItem{PK: place.PK, SK: place.SK})), nil
		},
	})
	return changed, wrap("update the score of", at, err)
}
