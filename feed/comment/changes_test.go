package comment_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
)

// newStreamed is newWorld whose table has a stream.
func newStreamed(t *testing.T, opts *comment.Options, wrap ...wrapper) (world, *streamtest.Changes[comment.Change]) {
	t.Helper()
	w := world{table: dynamotest.Table(t, streamtest.Streamed(comment.Table))}
	return w.process(t, opts, wrap...), streamtest.Watch(t, w.table, comment.Changes)
}

func TestEachWriteReportsItsChanges(t *testing.T) {
	t.Parallel()
	streamtest.UnderFaults(t, func(t *testing.T, wrap func(aws.HTTPClient) aws.HTTPClient) {
		w, changes := newStreamed(t, &comment.Options{
			Consistent: true,
			Score:      func(context.Context, comment.Address) (int64, error) { return 7, nil },
		}, wrap)
		sees := func(what string, want ...comment.Change) {
			t.Helper()
			got := changes.Next(t)
			for i := range got {
				require.False(t, got[i].At.IsZero())
				require.Equal(t, got[i].At.Truncate(time.Second), got[i].At)
				got[i].At = time.Time{}
			}
			require.ElementsMatch(t, want, got, what)
		}
		change := func(kind comment.ChangeKind, c comment.Comment) comment.Change {
			c.Key = ""
			return comment.Change{Kind: kind, Comment: c}
		}
		does := func(do func(context.Context, comment.Address) (bool, error), c comment.Comment, want bool) {
			t.Helper()
			changed, err := do(t.Context(), c.Address())
			require.NoError(t, err)
			require.Equal(t, want, changed)
		}

		given := comment.Comment{
			ID: w.id(t), Object: "a#b", User: "jack", Text: "one", Mentions: []string{"ann"}, Data: []byte(`{"n":1}`), Key: "k",
		}
		root := w.add(t, given)
		sees("Add", change(comment.Added, root))
		_, created, err := w.Add(t.Context(), given)
		require.NoError(t, err)
		require.False(t, created)
		sees("a repeat")
		quote := w.add(t, comment.Comment{Object: "a#b", User: "zoe", Parent: root.ID, Quote: &comment.Quote{Address: root.Address()}})
		sees("a quote that answers", change(comment.Added, quote))
		var replies []comment.Comment
		for range 5 { // the last two lie among the rest
			reply := w.replies(t, "ann", root)
			sees("a reply", change(comment.Added, reply))
			replies = append(replies, reply)
		}
		deep := w.replies(t, "jack", replies[4])
		sees("a reply to a reply", change(comment.Added, deep))

		for _, c := range faults.Some(1, replies[4], replies[0], root) {
			edited := c
			edited.Text, edited.Data, edited.Mentions = "other", nil, nil
			edited, _, err := w.Edit(t.Context(), edited)
			require.NoError(t, err)
			sees("Edit", change(comment.Edited, edited))
			_, changed, err := w.Edit(t.Context(), edited)
			require.NoError(t, err)
			require.False(t, changed)
			sees("an Edit that changes nothing")

			does(w.Hide, c, true)
			edited.Hidden = true
			sees("Hide", change(comment.Hidden, edited))
			does(w.Hide, c, false)
			sees("another Hide")
			does(w.Unhide, c, true)
			edited.Hidden = false
			sees("Unhide", change(comment.Unhidden, edited))
		}

		at := func(c comment.Comment) comment.Comment { return comment.Comment{Object: c.Object, ID: c.ID} }
		does(w.Pin, root, true)
		sees("Pin", change(comment.Pinned, at(root)))
		does(w.Pin, root, false)
		sees("another Pin")
		does(w.Pin, quote, true)
		sees("Pin in the place of another", change(comment.Unpinned, at(root)), change(comment.Pinned, at(quote)))
		does(w.Unpin, root, false)
		sees("Unpin of what is not pinned")
		does(w.Unpin, quote, true)
		sees("Unpin", change(comment.Unpinned, at(quote)))
		does(w.Pin, quote, true)
		sees("Pin again", change(comment.Pinned, at(quote)))
		_, err = w.UpdateScore(t.Context(), quote.Address())
		require.NoError(t, err)
		sees("UpdateScore")

		removed := func(c comment.Comment, why comment.Removal) comment.Change {
			c.Removed = &why
			return change(comment.Removed, c)
		}
		first := w.get(t, replies[1])
		w.delete(t, first)
		sees("Delete", removed(first, comment.Removal{At: today}))
		changed, err := w.Delete(t.Context(), comment.Action{Address: first.Address(), User: "ann"})
		require.NoError(t, err)
		require.False(t, changed)
		unknown := first.Address()
		unknown.ID = w.id(t)
		_, err = w.Delete(t.Context(), comment.Action{Address: unknown, User: "ann"})
		require.NoError(t, err)
		sees("another Delete, and that of nothing")
		stands := w.get(t, root)
		why := comment.Removal{By: "mod", Reason: "spam"}
		changed, err = w.Remove(t.Context(), root.Address(), why)
		require.NoError(t, err)
		require.True(t, changed)
		why.At = today
		sees("Remove of a root with answers", removed(stands, why))
		does(w.Hide, root, true)
		tombstone := comment.Comment{
			Object: root.Object, ID: root.ID, User: "jack", Removed: &why, Hidden: true, Replies: stands.Replies,
		}
		sees("Hide of a tombstone, and its thread", change(comment.Hidden, tombstone))
		does(w.Unhide, root, true)
		tombstone.Hidden = false
		sees("Unhide of a tombstone", change(comment.Unhidden, tombstone))

		deepStands := w.get(t, deep)
		require.NoError(t, w.Erase(t.Context(), "jack"))
		sees("Erase of a user", removed(deepStands, comment.Removal{At: today}))
		require.NoError(t, w.Erase(t.Context(), "jack"))
		sees("another Erase")
		var left []comment.Change
		for _, c := range []comment.Comment{quote, replies[0], replies[2], replies[3], replies[4]} {
			stands := w.get(t, c)
			if stands.Quote != nil {
				stands.Quote = &comment.Quote{Address: stands.Quote.Address}
			}
			left = append(left, change(comment.Erased, stands))
		}
		require.NoError(t, w.EraseObject(t.Context(), "a#b"))
		sees("EraseObject", append(left, change(comment.Unpinned, at(quote)))...)
		require.NoError(t, w.EraseObject(t.Context(), "a#b"))
		sees("another EraseObject")
	})
}

func TestChangesAreReadFromTheImages(t *testing.T) {
	t.Parallel()
	const id = "32SBCWQRR0001"
	type attributes = map[string]types.AttributeValue
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	key := attributes{"pk": text("T#photo"), "sk": text(id)}
	with := func(key, more attributes) attributes {
		item := maps.Clone(key)
		maps.Copy(item, more)
		return item
	}
	living := with(key, attributes{"user": text("jack"), "text": text("hi")})
	hidden := with(living, attributes{"hidden": &types.AttributeValueMemberBOOL{Value: true}})
	removal := &types.AttributeValueMemberM{Value: attributes{"at": text("2026-11-22T00:00:00Z")}}
	tombstone := with(key, attributes{"removed": removal})
	header := attributes{"pk": text("N#photo"), "sk": text("~")}
	pinned := with(header, attributes{"pinned": text(id)})
	type kinds = []comment.ChangeKind
	for name, c := range map[string]struct {
		record stream.Record
		want   kinds
		err    error
	}{
		"where a tombstone was":   {stream.Record{Kind: stream.Modify, Keys: key, Old: tombstone, New: living}, kinds{comment.Added}, nil},
		"it is hidden and edited": {stream.Record{Kind: stream.Modify, Keys: key, Old: living, New: with(hidden, attributes{"text": text("ho")})}, kinds{comment.Edited, comment.Hidden}, nil},
		"a tombstone goes":        {stream.Record{Kind: stream.Remove, Keys: key, Old: tombstone}, nil, nil},
		"a tombstone expires":     {stream.Record{Kind: stream.Remove, Keys: key, Old: tombstone, ByTTL: true}, nil, nil},
		"only a tombstone":        {stream.Record{Kind: stream.Insert, Keys: key, New: tombstone}, nil, nil},
		"a header with a pin":     {stream.Record{Kind: stream.Insert, Keys: header, New: pinned}, kinds{comment.Pinned}, nil},
		"it has no text":          {stream.Record{Kind: stream.Insert, Keys: key, New: key}, nil, plaza.ErrCorrupt},
		"it had no text":          {stream.Record{Kind: stream.Modify, Keys: key, Old: key, New: living}, nil, plaza.ErrCorrupt},
	} {
		got, err := comment.Changes(c.record)
		require.ErrorIs(t, err, c.err, name)
		var found kinds
		for _, change := range got {
			found = append(found, change.Kind)
		}
		require.Equal(t, c.want, found, name)
	}
}

func FuzzChanges(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		const id = "32SBCWQRR0001"
		streamtest.Junk(t, seed, 200, streamtest.Shapes{
			PKs:        []string{"T#photo", "F#photo", "R#photo#" + id, "N#photo", "T", "F#", "R#a", "R#a#x", "N", "M#jack", "~"},
			SKs:        []string{id, id + "#" + id, "", "x", "~", "0000000000000"},
			Attributes: []string{"user", "text", "parent", "quote", "mentions", "data", "edited", "hidden", "removed", "replies", "first", "next", "n", "roots", "pinned", "pin", "edit", "hide", "place"},
			Values:     []string{id, "jack", `{"a":1}`},
		}, func(r stream.Record) error {
			_, err := comment.Changes(r)
			return err
		})
	})
}
