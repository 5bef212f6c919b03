package notify

import (
	"context"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	maxUnseen   = 100 // where Unseen stops counting
	unseenReads = 6   // each of twice as many rows as the one before
)

// Unseen counts the entries of List that are unseen, up to 100: it is for a badge. Like List, it
// brings back snoozed groups that are due.
//
// Cost: 2 requests, 1 RCU; 0.5 RCU for 4 KB of up to 201 new rows; 1 request, 3 WCU for
// each group due.
//
//plaza:cost nothing new: 2 requests, 1 RCU
//plaza:cost each further 4 KB of new rows: 0.5 RCU
//plaza:cost past rows that were read one by one, 6,000 at most: 5 requests
//plaza:cost groups that are due: 2 requests, 1 RCU, 2 WCU
//plaza:cost each group due: 1 request, 3 WCU
//plaza:cost each further KB of it: 3 WCU
//plaza:cost each further 4 KB of it: 1 RCU
func (r *Repository) Unseen(ctx context.Context, reader Reader) (Count, error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.Unseen")
	if err := reader.check(); err != nil {
		return Count{}, err
	}
	count, err := r.unseen(ctx, reader)
	return count, wrap("unseen of", reader.User, err)
}

func (r *Repository) unseen(ctx context.Context, reader Reader) (Count, error) {
	now := r.opts.Now()
	s, err := r.load(ctx, reader.User)
	if err != nil {
		return Count{}, err
	}
	var asleep bool // whether groups that are due are left
	if s.wake <= ids.At(now) {
		if _, asleep, err = r.wake(ctx, reader.User, &s, now); err != nil {
			return Count{}, err
		}
	}
	live, err := r.live(ctx, reader)
	if err != nil {
		return Count{}, err
	}
	n, more, err := r.unseenGroups(ctx, reader, &s, now)
	if err != nil {
		return Count{}, err
	}
	for _, a := range live {
		seen, _ := s.flags(&group.Head{Last: a.ID}, a.ID)
		if !seen && !s.dismissed(a.ID) {
			n++
		}
	}
	return Count{N: min(n, maxUnseen), More: n > maxUnseen || more || asleep}, nil
}

// unseenGroups counts groups above the watermark. It reads on past those that were
// seen, read or expired one by one.
func (r *Repository) unseenGroups(ctx context.Context, reader Reader, s *state, now time.Time) (n int, more bool, err error) {
	span := store.IndexSpan{
		Partition: userPK(reader.User), From: []byte((s.seen.upTo + 1).String()), To: []byte(aboveIDs),
		Limit: maxUnseen + 1 + len(s.seen.above), Consistent: r.opts.Consistent,
	}
	for range unseenReads {
		rows, rest, err := store.ReadIndex[row](ctx, r.table, recent, span)
		if err != nil {
			return 0, false, err
		}
		for i := range rows {
			seen, _ := s.flags(&rows[i].Head, rows[i].entry.Last)
			// A range of an index includes both ends: it returns the row at the gap again.
			if !seen && !expired(&rows[i].Head, now) && rows[i].Place != string(span.To) && reader.Filter.of(rows[i].entry.Activity.Verb) {
				n++
			}
		}
		if rest == "" || n > maxUnseen {
			return n, false, nil
		}
		span.To = []byte(rest)
		span.Limit *= 2
	}
	return n, true, nil
}
