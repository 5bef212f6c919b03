package notify

import (
	"context"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxUnseen is where Unseen stops to count.
const maxUnseen = 100

// Unseen counts the entries of List that are unseen, up to 100. Like List, it brings
// back snoozed groups that are due.
//
// Cost: 2 requests, 1 RCU with nothing new; 0.5 RCU for 4 KB of at most 101 new
// rows and 100 that were seen in the last 10 s; where groups are due 1 request, 1
// RCU for 4 KB, 1 request, 3 WCU for each, and 1 request, 2 WCU more.
func (r *Repository) Unseen(ctx context.Context, reader Reader) (Count, error) {
	if err := keys.CheckName("User", reader.User); err != nil {
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
	if s.wake <= ids.At(now) {
		if _, err := r.wake(ctx, reader.User, &s, now); err != nil {
			return Count{}, err
		}
	}
	live, err := r.live(ctx, reader)
	if err != nil {
		return Count{}, err
	}
	limit := maxUnseen + 1 + len(s.seen.above)
	rows, rest, err := store.ReadIndex[row](ctx, r.table, recent, store.IndexSpan{
		Partition: userPK(reader.User), From: []byte((s.seen.upTo + 1).String()), To: []byte(aboveIDs),
		Limit: limit, Consistent: r.opts.Consistent,
	})
	if err != nil {
		return Count{}, err
	}
	n := 0
	for i := range rows {
		seen, _ := s.flags(&rows[i].Head, rows[i].entry.Last)
		if !seen && !expired(&rows[i].Head, now) {
			n++
		}
	}
	for _, a := range live {
		seen, _ := s.flags(&group.Head{Last: a.ID}, a.ID)
		if !seen && !s.dismissed(a.ID) {
			n++
		}
	}
	return Count{N: min(n, maxUnseen), More: n > maxUnseen || rest != ""}, nil
}
