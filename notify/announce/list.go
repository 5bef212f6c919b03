package announce

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
)

// List lists an audience's announcements for an editor, newest first: all that are not over
// yet, also withdrawn ones and those that do not show yet. It is strongly consistent.
//
// Cost: 1 request, 1 RCU for each 4 KB; past those that are over or moved at most 6
// requests, 63 times the rows.
func (r *Repository) List(ctx context.Context, audience string, req cursor.PageRequest) (cursor.Page[notify.Announcement], error) {
	ctx = plaza.WithOperation(ctx, "notify/announce.Repository.List")
	if err := keys.CheckName("Audience", audience); err != nil {
		return cursor.Page[notify.Announcement]{}, err
	}
	now := r.opts.Now()
	list := store.List[row, notify.Announcement]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "announce/audience", Partition: audience},
		Order: store.ByID(func(i row) ids.ID { return i.id }),
		Item:  func(i row) notify.Announcement { return i.announcement(audience) },
		Read: func(ctx context.Context, reach store.Reach) ([]row, string, error) {
			span := reach.Span(audiencePK(audience))
			span.Consistent = true
			return store.Read[row](ctx, r.table, span)
		},
		Show: func(_ context.Context, rows []row) ([]row, error) {
			return slices.DeleteFunc(rows, func(i row) bool { return !i.listed(now) }), nil
		},
	}
	page, err := list.Page(ctx, req)
	return page, wrap("list", audience, err)
}
