package notify

import (
	"context"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// UnreadCount counts the entries of List that are unread, up to 100. It stops after six reads, and
// says More. It reads all that lies above the hundredth, so use Unseen for a badge. Like List, it
// brings back snoozed groups that are due.
//
// Cost: 1 request, 0.5 RCU for each 4 KB; past groups that are read at most 5 requests
// more; where snoozed groups are due, as Unseen.
//
//plaza:cost 4 KB: 1 request, 0.5 RCU
//plaza:cost each further 4 KB: 0.5 RCU
//plaza:cost past groups that are read, at most: 5 requests
func (r *Repository) UnreadCount(ctx context.Context, reader Reader) (Count, error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.UnreadCount")
	if err := reader.check(); err != nil {
		return Count{}, err
	}
	reader.Filter.Unread = true
	page, err := r.listed(ctx, reader, cursor.PageRequest{Limit: maxUnread})
	return Count{N: len(page.Items), More: page.Next != ""}, wrap("unread of", reader.User, err)
}

// Span is the time between two ids: From ≤ id < To.
type Span struct{ From, To ids.ID }

const (
	maxUnread   = 100 // entries that UnreadCount counts, and groups that UnreadBetween returns
	unreadReads = 6   // each of twice as many rows as the one before

	// recentSpan is how long after a span's end it is read together with the state. Few
	// groups come in that time.
	recentSpan = time.Minute
)

// UnreadBetween returns the user's unread groups whose Last is in the span, newest first, at
// most 100, and whether there may be more. It leaves out announcements, and groups that are
// archived or snoozed. It is strongly consistent. A write may take as long as Window, so
// read a span once Window has passed since its end.
//
// Cost: 1 request, 1 RCU for 4 KB of the groups since the span began; over a minute
// after its end 1 request, 1 RCU more.
//
//plaza:cost 4 KB of groups: 1 request, 1 RCU
//plaza:cost each further 4 KB: 1 RCU
//plaza:cost over a minute after its end: 1 request, 1 RCU
//plaza:cost past groups that are read, at most: 5 requests
func (r *Repository) UnreadBetween(ctx context.Context, user string, in Span) (entries []Entry, more bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.UnreadBetween")
	if err := keys.CheckName("User", user); err != nil {
		return nil, false, err
	}
	if keys.CheckID("Span.To", in.To) != nil || in.From >= in.To {
		return nil, false, &plaza.InvalidError{Field: "Span", Reason: "ends before it begins, or has no end"}
	}
	entries, more, err = r.unread(ctx, user, in)
	return entries, more, wrap("unread of", user, err)
}

func (r *Repository) unread(ctx context.Context, user string, in Span) (entries []Entry, more bool, err error) {
	l := r.reading(user, group.Listed)
	span := store.IndexSpan{
		Partition: userPK(user), From: []byte(in.From.String()), To: []byte(in.To.String()),
		Limit: maxUnread + 1, Consistent: true,
	}
	if l.now.Sub(in.To.Time()) <= recentSpan {
		span.To = []byte(statePlace) // the state comes before the groups
	} else {
		s, err := r.get(ctx, user, true)
		if err != nil && !r.table.Skips(err) {
			return nil, false, err
		}
		if err != nil {
			s = none()
		}
		l.state = &s
	}
	for range unreadReads {
		rows, rest, err := l.query(ctx, span)
		if err != nil {
			return nil, false, err
		}
		if l.state == nil {
			s := none()
			l.state = &s
		}
		for _, w := range rows {
			// A range of an index includes both ends: it returns the row at the gap again.
			if w.Place < in.To.String() && !expired(&w.Head, l.now) && w.Place != string(span.To) {
				if e := l.entry(w); !e.Read {
					entries = append(entries, e)
				}
			}
		}
		if rest == "" || len(entries) > maxUnread {
			more = len(entries) > maxUnread
			return slices.Clip(entries[:min(len(entries), maxUnread)]), more, nil
		}
		span.To = []byte(min(rest, in.To.String()))
		span.Limit *= 2
	}
	return entries[:min(len(entries), maxUnread)], true, nil
}
