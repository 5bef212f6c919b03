package follow_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
)

// A handler of the table's stream gets each edge that begins or ends.
func ExampleChanges() {
	ctx := context.Background()
	follows, db, table := open(ctx)
	edge, _, err := follows.Follow(ctx, follow.Edge{Follower: "jack", Followee: "chris"})
	if err == nil {
		_, err = follows.Unfollow(ctx, edge)
	}
	if err != nil {
		log.Fatal(err)
	}

	handler := func(_ context.Context, r stream.Record) error {
		changes, err := follow.Changes(r)
		for _, c := range changes {
			fmt.Println(c.Edge.Follower, c.Kind, c.Edge.Followee, c.Edge.ID == edge.ID)
		}
		return err
	}
	if err := streamtest.Each(ctx, db, table, handler); err != nil {
		log.Fatal(err)
	}
	// Output:
	// jack followed chris true
	// jack unfollowed chris true
}

// TestAnImportIsMarked also where it is killed at each of its writes.
func TestAnImportIsMarked(t *testing.T) {
	t.Parallel()
	for kill := 0; kill < 8; kill += faults.Size(2, 4) {
		w := world{table: dynamotest.Table(t, streamtest.Streamed(follow.Table))}.process(t, nil)
		changes := streamtest.Watch(t, w.table, follow.Changes)
		edges := friends(uint64(kill), 6, 10)
		first := edges[0]
		first.ID = w.id(t)
		ended, _, err := w.Follow(t.Context(), first)
		require.NoError(t, err)
		_, err = w.Unfollow(t.Context(), ended)
		require.NoError(t, err)
		stands := w.follow(t, edges[1].Follower, edges[1].Followee)
		changes.Next(t)

		in := faults.New(t, 1, faults.Standard)
		in.KillAt(1 + kill)
		_, err = w.process(t, nil, in.Wrap).Import(t.Context(), "friends", sequence(edges), &follow.ImportOptions{Window: 4, Parallel: 1})
		require.ErrorIs(t, err, faults.ErrKilled)
		_, err = w.Import(t.Context(), "friends", sequence(edges), nil)
		require.NoError(t, err)
		_, err = w.Import(t.Context(), "friends", sequence(edges), nil)
		require.NoError(t, err)

		found := changes.Next(t)
		require.Len(t, found, len(edges)-1)
		for _, c := range found {
			require.Equal(t, follow.Followed, c.Kind)
			require.True(t, c.Imported)
			require.False(t, c.At.IsZero())
			got, err := w.Get(t.Context(), c.Edge)
			require.NoError(t, err)
			require.Equal(t, got, c.Edge)
			require.NotEqual(t, stands, c.Edge)
		}
		_, err = w.Unfollow(t.Context(), found[0].Edge)
		require.NoError(t, err)
		_, err = w.Unfollow(t.Context(), stands)
		require.NoError(t, err)
		after := changes.Next(t)
		require.Equal(t, []follow.Change{
			{Kind: follow.Unfollowed, Edge: found[0].Edge, Imported: true, At: after[0].At},
			{Kind: follow.Unfollowed, Edge: stands, At: after[1].At},
		}, after)
	}
}
