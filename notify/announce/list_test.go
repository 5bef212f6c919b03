package announce_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/notify"
)

func TestListIsExact(t *testing.T) {
	t.Parallel()
	pagetest.Run(t, func(t *testing.T) pagetest.List[notify.Announcement] {
		in := faults.New(t, 1, faults.Rates{})
		w := newWorld(t, in.Wrap)
		of := func(audience string) func(context.Context, cursor.PageRequest) (cursor.Page[notify.Announcement], error) {
			return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Announcement], error) {
				return w.List(ctx, audience, req)
			}
		}
		other := w.message("Hello")
		other.Audience = "everyone#0"
		w.announce(t, other)
		w.announce(t, other)
		row := func(id string) (string, string) { return "A#everyone#0", id }
		return pagetest.List[notify.Announcement]{
			Page:  of("everyone"),
			ID:    func(a notify.Announcement) string { return a.ID.String() },
			Brief: true, // other lists of internal/store run all checks
			Add: func(_ context.Context, n int) (added []string) {
				for range n {
					w.forward(time.Millisecond)
					added = append(added, w.announce(t, w.message("Hello")).ID.String())
				}
				return added
			},
			Remove: func(ctx context.Context, id string) {
				pk, sk := row(id)
				require.NoError(t, w.db.Table(w.table).Delete("pk", pk).Range("sk", sk).Run(ctx))
			},
			Hide: func(ctx context.Context, id string) { // it is over
				pk, sk := row(id)
				require.NoError(t, w.db.Table(w.table).Update("pk", pk).Range("sk", sk).Set("until", w.Now().UnixMilli()).Run(ctx))
			},
			Others:   []pagetest.Other{pagetest.Foreign("another audience", of("everyone#0"))},
			Requests: in.Requests,
		}
	})
}

func TestAnEditorSeesWhatReadersDoNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	short := w.message("short")
	short.Until = today.Add(time.Hour)
	short = w.announce(t, short)
	w.forward(time.Millisecond)
	withdrawn := w.announce(t, w.message("withdrawn"))
	w.forward(time.Minute)
	w.withdraw(t, withdrawn)
	withdrawn.Withdrawn = w.Now()
	own := w.message("moved")
	own.ID = ids.At(today)
	moved := w.announce(t, own)
	require.NoError(t, errOf(w.Withdraw(t.Context(), "everyone", ids.At(today)+1))) // it leaves a mark
	later := w.message("later")
	later.From = today.Add(12 * time.Hour)
	later = w.announce(t, later)

	require.Equal(t, []notify.Announcement{later, moved, withdrawn, short}, w.listed(t))
	w.forward(time.Hour)
	require.Equal(t, []notify.Announcement{later, moved, withdrawn}, w.listed(t), "short is over")
}
