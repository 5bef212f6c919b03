package comment_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// sixteen pads a name to 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

// read is the RCU of an eventually consistent read of rows of that size.
func read(rows, bytes int) float64 { return 0.5 * float64((rows*bytes+4095)/4096) }

func TestOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	const size = 350            // the most of a row with a text of 100 bytes
	limit := faults.Size(20, 6) // of a page
	n := float64(limit)
	object, ann, bob := sixteen("bird"), sixteen("ann"), sixteen("bob")
	meter := dynamotest.NewMeter()
	l := &likes{n: map[ids.ID]int64{}}
	w := newWorld(t, &comment.Options{}, meter.Wrap)
	_, err := w.db.Client().UpdateTimeToLive(t.Context(), comment.TTL(w.table))
	require.NoError(t, err)
	strong := w.process(t, nil, meter.Wrap)
	scored := w.process(t, &comment.Options{Score: l.score}, meter.Wrap)
	said := func(c comment.Comment) comment.Comment {
		c.Text = strings.Repeat("x", 100)
		if c.Object == "" {
			c.Object = object
		}
		if c.User == "" {
			c.User = ann
		}
		return c
	}
	var roots []comment.Comment
	var first, short comment.Comment // first replies of the last root and of an earlier one
	for range limit + 2 {
		short = first
		root := scored.add(t, said(comment.Comment{}))
		for range 3 {
			first = w.add(t, said(comment.Comment{Root: root.ID, User: bob}))
		}
		roots = append(roots, root)
	}
	root := roots[0]
	shown := all(t, of(w.Replies, root.Address(), &comment.ListOptions{Oldest: true}), 50)
	for range limit {
		shown = append(shown, w.add(t, said(comment.Comment{Root: root.ID, User: bob})))
	}
	unknown := w.id(t)
	reply := w.add(t, said(comment.Comment{Root: first.Root}))
	rest := w.add(t, said(comment.Comment{Root: root.ID}))
	objects := make([]string, faults.Size(25, 5))
	for i := range objects {
		objects[i] = sixteen(fmt.Sprint("object ", i))
		w.add(t, said(comment.Comment{Object: objects[i]}))
	}
	quoting := w.add(t, said(comment.Comment{Object: objects[0], Quote: &comment.Quote{Address: w.add(t, said(comment.Comment{Object: objects[0]})).Address()}}))

	type cost = dynamotest.Cost
	page := cursor.PageRequest{Limit: limit}
	adds := func(w world, c comment.Comment) func(ctx) error {
		return func(ctx ctx) error { _, _, err := w.Add(ctx, said(c)); return err }
	}
	full := func(got cursor.Page[comment.Comment], err error) error {
		require.Len(t, got.Items, limit)
		return err
	}
	does := func(did bool, err error) error {
		require.True(t, did)
		return err
	}
	edit := func(c comment.Comment) func(ctx) error {
		c.Text = "edited"
		return func(ctx ctx) error { _, _, err := w.Edit(ctx, c); return err }
	}
	for _, c := range []struct {
		name string
		want cost
		call func(context.Context) error
	}{
		{"page", cost{Requests: 1, Read: read(limit+1, size)}, func(ctx ctx) error { return full(w.ByObject(ctx, object, page, nil)) }},
		{"page, consistent", cost{Requests: 1, Read: 2 * read(limit+1, size)}, func(ctx ctx) error { return full(strong.ByObject(ctx, object, page, nil)) }},
		{"roots with 3 replies each", cost{Requests: 2, Read: read(limit+1, size) + read(3*limit, size)}, func(ctx ctx) error {
			got, err := w.Threads(ctx, object, page, &comment.ListOptions{Oldest: true})
			require.Len(t, got.Items, limit)
			for _, thread := range got.Items {
				require.Len(t, thread.First, 3)
			}
			return err
		}},
		{"page with a quote", cost{Requests: 2, Read: 1}, func(ctx ctx) error { _, err := w.ByObject(ctx, objects[0], page, nil); return err }},
		{"threads with a quote", cost{Requests: 2, Read: 1}, func(ctx ctx) error { _, err := w.Threads(ctx, objects[0], page, nil); return err }},
		{"page of replies", cost{Requests: 3, Read: 1 + read(limit+1, size)}, func(ctx ctx) error { return full(w.Replies(ctx, root.Address(), page, nil)) }},
		{"page of one's own", cost{Requests: 2, Read: 1 + n/2 + n/2}, func(ctx ctx) error { return full(w.ByUser(ctx, bob, page, nil)) }},
		{"top", cost{Requests: 2, Read: 0.5 + (n+1)/2}, func(ctx ctx) error { return full(scored.Top(ctx, object, page)) }},
		{"get", cost{Requests: 1, Read: 0.5}, func(ctx ctx) error { _, err := w.Get(ctx, root.Address()); return err }},
		{"get of a reply", cost{Requests: 1, Read: 1.5}, func(ctx ctx) error { _, err := w.Get(ctx, reply.Address()); return err }},
		{"get of a quote", cost{Requests: 2, Read: 1}, func(ctx ctx) error { _, err := w.Get(ctx, quoting.Address()); return err }},
		{"counts", cost{Requests: 1, Read: 0.5}, func(ctx ctx) error { _, err := w.Counts(ctx, object); return err }},
		{"counts of several", cost{Requests: 1, Read: float64(len(objects)) / 2}, func(ctx ctx) error { _, err := w.CountsMany(ctx, objects); return err }},

		{"add", cost{Requests: 1, Write: 6}, adds(w, comment.Comment{})},
		{"add with a key", cost{Requests: 1, Write: 8}, adds(w, comment.Comment{Key: "k"})},
		{"add, repeated with a key", cost{Requests: 4, Write: 8, Read: 4}, adds(w, comment.Comment{Key: "k"})},
		{"add with a quote", cost{Requests: 1, Write: 8}, adds(w, comment.Comment{Quote: &comment.Quote{Address: root.Address()}})},
		{"add with the quote of a reply", cost{Requests: 2, Write: 8, Read: 1.5}, adds(w, comment.Comment{Quote: &comment.Quote{Address: reply.Address()}})},
		{"add with scores", cost{Requests: 1, Write: 8}, adds(scored, comment.Comment{})},
		{"answer", cost{Requests: 1, Write: 8}, adds(w, comment.Comment{Parent: root.ID})},
		{"reply", cost{Requests: 2, Write: 8, Read: 0.5}, adds(w, comment.Comment{Root: root.ID})},
		{"reply with a key", cost{Requests: 2, Write: 10, Read: 0.5}, adds(w, comment.Comment{Root: root.ID, Key: "r"})},
		{"reply to a reply", cost{Requests: 2, Write: 10, Read: 1.5}, adds(w, comment.Comment{Root: root.ID, Parent: rest.ID})},

		{"edit", cost{Requests: 1, Write: 1}, edit(root)},
		{"edit of a reply", cost{Requests: 2, Write: 1, Read: 2}, edit(reply)},
		{"first pin", cost{Requests: 1, Write: 4}, func(ctx ctx) error { return does(w.Pin(ctx, root.Address())) }},
		{"pinned", cost{Requests: 2, Read: 1}, func(ctx ctx) error { _, err := w.Pinned(ctx, object); return err }},
		{"last unpin", cost{Requests: 1, Write: 1}, func(ctx ctx) error { return does(w.Unpin(ctx, root.Address())) }},
		{"hide", cost{Requests: 2, Write: 4, Read: 1}, func(ctx ctx) error { return does(w.Hide(ctx, root.Address())) }},
		{"unhide", cost{Requests: 2, Write: 4, Read: 1}, func(ctx ctx) error { return does(w.Unhide(ctx, root.Address())) }},
		{"hide a reply", cost{Requests: 2, Write: 6, Read: 3}, func(ctx ctx) error { return does(w.Hide(ctx, reply.Address())) }},
		{"unhide a reply", cost{Requests: 2, Write: 6, Read: 3}, func(ctx ctx) error { return does(w.Unhide(ctx, reply.Address())) }},
		{"rank", cost{Requests: 2, Write: 6, Read: 1}, func(ctx ctx) error { l.n[root.ID]++; return does(scored.UpdateScore(ctx, root.Address())) }},
		{"rank of what is equal", cost{Requests: 2, Write: 1, Read: 1}, func(ctx ctx) error { _, err := scored.UpdateScore(ctx, root.Address()); return err }},
		{"delete of a further reply", cost{Requests: 2, Write: 8, Read: 3}, func(ctx ctx) error {
			return does(w.Delete(ctx, comment.Action{Address: reply.Address(), User: ann}))
		}},
		{"delete of a first reply of a longer thread", cost{Requests: 5, Write: 9, Read: 5}, func(ctx ctx) error {
			return does(w.Delete(ctx, comment.Action{Address: shown[0].Address(), User: bob}))
		}},
		{"hide a first reply of a longer thread, whose next are known", cost{Requests: 3, Write: 6, Read: 4}, func(ctx ctx) error {
			return does(w.Hide(ctx, shown[1].Address()))
		}},
		{"roots, two first replies of one gone", cost{Requests: 3, Read: read(limit+1, size) + read(3*limit, size) + 1}, func(ctx ctx) error {
			got, err := w.Threads(ctx, object, page, &comment.ListOptions{Oldest: true})
			require.Equal(t, idsOf(shown[2:5]), idsOf(got.Items[0].First))
			return err
		}},
		{"delete of a first reply", cost{Requests: 2, Write: 8, Read: 3}, func(ctx ctx) error {
			return does(w.Delete(ctx, comment.Action{Address: short.Address(), User: bob}))
		}},
		{"hide of what is hidden", cost{Requests: 2, Write: 1, Read: 3}, func(ctx ctx) error { _, err := w.Hide(ctx, shown[1].Address()); return err }},
		{"delete of what is unknown", cost{Requests: 2, Write: 1, Read: 1}, func(ctx ctx) error {
			_, err := w.Delete(ctx, comment.Action{Address: comment.Address{Object: object, ID: unknown}, User: ann})
			return err
		}},
		{"edit that changes nothing", cost{Requests: 2, Write: 2}, edit(root)},
		{"pin", cost{Requests: 1, Write: 4}, func(ctx ctx) error { return does(w.Pin(ctx, root.Address())) }},
		{"pin of what is pinned", cost{Requests: 2, Write: 5}, func(ctx ctx) error { _, err := w.Pin(ctx, root.Address()); return err }},
		{"unpin", cost{Requests: 1, Write: 1}, func(ctx ctx) error { return does(w.Unpin(ctx, root.Address())) }},
		{"unpin of what is not pinned", cost{Requests: 2, Write: 2}, func(ctx ctx) error { _, err := w.Unpin(ctx, root.Address()); return err }},
		{"verify", cost{Requests: 3, Read: 0.5}, w.Verify},
		{"init", cost{Requests: 4, Read: 0.5, Write: 1}, w.Init},
		{"delete of a root, in top", cost{Requests: 2, Write: 8, Read: 1}, func(ctx ctx) error {
			return does(w.Delete(ctx, comment.Action{Address: root.Address(), User: ann}))
		}},
		{"delete of a leaf", cost{Requests: 2, Write: 6, Read: 1}, func(ctx ctx) error {
			return does(w.Delete(ctx, comment.Action{Address: quoting.Address(), User: ann}))
		}},
	} {
		got := meter.AtMost(t, c.name, c.want, func() { require.NoError(t, c.call(t.Context()), c.name) })
		require.NotZero(t, got.Requests, c.name)
		t.Logf("%s: %v", c.name, got)
	}
}
