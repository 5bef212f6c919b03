package notify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify"
)

// A cursor of Plain is not signed. Any gap in one gives a page or plaza.ErrInvalid.
func TestAForgedGapIsAPageOrInvalid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for n := range 3 {
		w.put(t, in("ann", n))
	}
	w.snooze(t, in("ann", 2), time.Hour)
	require.True(t, first(w.Archive(t.Context(), in("ann", 1))))
	w.seen(t, "ann")
	for name, l := range map[string]struct {
		scope cursor.Scope
		list  lister
	}{
		"list": {cursor.Scope{List: "notify", Partition: "ann"}, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
			return w.List(ctx, reader("ann"), req)
		}},
		"archived": {cursor.Scope{List: "notify/archived", Partition: "ann"}, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
			return w.Archived(ctx, "ann", req)
		}},
		"snoozed": {cursor.Scope{List: "notify/snoozed", Partition: "ann", Order: "oldest"}, func(ctx context.Context, req cursor.PageRequest) (cursor.Page[notify.Entry], error) {
			return w.Snoozed(ctx, "ann", req)
		}},
	} {
		for _, gap := range []string{
			"", "\x00", "-", "-~", "-\x00", "+", "+~", "0", "00", "7", "7~", "8", "8\x00", "9", "Z", "~", "~\x00", "}",
			strings.Repeat("5", 1024), strings.Repeat("z", 1024), strings.Repeat("5", 1025), "5\xff", "-" + strings.Repeat("5", 1023),
		} {
			for _, way := range []string{"d", "u"} {
				_, err := l.list(t.Context(), cursor.PageRequest{Cursor: cursor.Plain().Encode(l.scope, []byte(way+gap))})
				if err != nil {
					require.ErrorIs(t, err, plaza.ErrInvalid, "%s %s %.20q", name, way, gap)
				}
			}
		}
	}
}

func first(changed bool, err error) bool { return changed && err == nil }

// The text of what a group is about may be as long as a Ref allows.
func TestTheLongestTargetIsRetracted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, about := range []feed.Ref{
		{Kind: strings.Repeat("#", 256), ID: strings.Repeat("#", 256)},
		{Kind: strings.Repeat("#", 255), ID: strings.Repeat("#", 254)},
		{Kind: strings.Repeat("#", 250), ID: strings.Repeat("#", 250)},
	} {
		n, err := w.RetractTarget(t.Context(), "bob", about)
		if err != nil {
			require.ErrorIs(t, err, plaza.ErrInvalid)
		}
		require.Zero(t, n)
	}
}
