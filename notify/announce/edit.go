package announce

import (
	"context"
	"errors"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
)

// Edit replaces Title, Text, Refs, Data and Until of the announcement with a's Audience and
// ID, and sets Edited. It ignores the other fields of a. Readers see it after CacheTTL; who has
// seen or read it sees no new one. changed is false if it already has that content. An earlier
// Edit that arrives after a later one does nothing.
//
// An unknown announcement and one that is over are plaza.ErrNotFound, a withdrawn one is
// plaza.ErrRemoved. plaza.ErrUnknownOutcome is as in comment's Edit. From an edit on, Announce
// does not compare a repeat with what is stored. An ID that came too late finds the announcement
// only until its first Until: List has the other one.
//
// Cost: 2 requests, 1 RCU for each 4 KB, 1 WCU for each KB; for an ID that came too late,
// 1 request, 1 RCU more.
//
//plaza:cost an announcement: 2 requests, 1 RCU, 1 WCU
//plaza:cost each further KB: 1 WCU
//plaza:cost an ID that came too late: 1 request, 1 RCU
func (r *Repository) Edit(ctx context.Context, a notify.Announcement) (edited notify.Announcement, changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/announce.Repository.Edit")
	now := r.opts.Now()
	a, err = checkEdit(a, now)
	if err != nil {
		return a, false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return a, false, err
	}
	for range tries {
		stored, changed, err := r.edit(ctx, a, call, now)
		if errors.Is(err, errMoved) {
			a.ID = stored.Moved
			continue
		}
		if err != nil {
			return a, false, wrap("edit in", a.Audience, err)
		}
		return stored.announcement(a.Audience), changed, nil
	}
	return a, false, wrap("edit in", a.Audience, plaza.ErrBusy)
}

// errMoved says that a row only leads to another.
var errMoved = errors.New("announce: moved")

func checkEdit(a notify.Announcement, now time.Time) (notify.Announcement, error) {
	if err := keys.CheckName("Audience", a.Audience); err != nil {
		return a, err
	}
	if err := checkID(a.ID, now); err != nil {
		return a, err
	}
	a = normal(a)
	switch {
	case a.Until.IsZero():
		return a, &plaza.InvalidError{Field: "Until", Reason: "is empty"}
	case !a.Until.After(now):
		return a, &plaza.InvalidError{Field: "Until", Reason: "has passed"}
	}
	return a, checkContent(a)
}

func (r *Repository) edit(ctx context.Context, a notify.Announcement, call ids.ID, now time.Time) (row, bool, error) {
	return store.Change[row]{
		Key: rowKey(a.Audience, a.ID), Call: call, Part: "edit", Last: (*row).lastEdit,
		Next: func(seen *row, g store.Guard) (store.Write, error) {
			switch {
			case seen.Moved != 0:
				return nil, errMoved
			case seen.Withdrawn != 0:
				return nil, plaza.ErrRemoved
			case !seen.listed(now):
				return nil, plaza.ErrNotFound
			}
			stored := seen.announcement(a.Audience)
			if err := checkUntil(a.Until, stored.From, stored.ID.Time()); err != nil {
				return nil, err
			}
			if sameContent(a, stored) {
				return nil, store.ErrSame
			}
			update := g.Update().Set("title", a.Title).Set("until", a.Until.UnixMilli()).Set("ttl", expiry(a.Until)).
				If("op = ? AND attribute_not_exists(withdrawn)", seen.Op)
			for _, optional := range []struct {
				name  string
				value any
				given bool
			}{{"text", a.Text, a.Text != ""}, {"refs", refs(a.Refs), len(a.Refs) > 0}, {"data", string(a.Data), len(a.Data) > 0}} {
				if optional.given {
					update.Set(optional.name, optional.value)
				} else {
					update.RemoveExpr("$", optional.name)
				}
			}
			return update, nil
		},
	}.Run(ctx, r.table)
}
