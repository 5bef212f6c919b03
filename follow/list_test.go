package follow_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// Of most followers only the rows are stored that Walk reads.
func TestAWalkReadsAThousandFollowersAtATime(t *testing.T) {
	t.Parallel()
	const n = 1003
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	want := make([]edgetest.Edge, n) // newest first
	var rows []any
	for i := range n {
		e := edgetest.Edge{Tail: fmt.Sprintf("fan-%012d", i), Head: sixteen("star"), ID: w.id(t)}
		want[n-1-i] = e
		rows = append(rows, map[string]any{"pk": "R#" + e.Head + "#0", "sk": e.ID.String(), "follower": e.Tail})
	}
	_, err := dynamotest.DB(t).Table(w.table).Batch().Write().Put(rows...).Run(t.Context())
	require.NoError(t, err)
	w.follow(t, "jack", sixteen("star"))
	stated := callstest.ReadCosts(t, "..", "follow")
	var page cursor.Page[follow.Edge]
	for _, limit := range faults.Some(1, 1001, 0, 1000, 1_000_000_000) {
		most := stated.Of("Repository.Walk", "40 followers", "the first page more").
			Plus(stated.Times(1000/37, "Repository.Walk", "each further 40 followers"))
		meter.AtMost(t, "a walk of 1,000", most, func() {
			page, err = w.Walk(t.Context(), sixteen("star"), cursor.PageRequest{Limit: limit})
			require.NoError(t, err)
			require.Equal(t, want[:999], seeAll(page.Items)[1:], "limit %d", limit)
		})
	}
	meter.AtMost(t, "the rest of a walk", stated.Of("Repository.Walk", "40 followers"), func() {
		page, err = w.Walk(t.Context(), sixteen("star"), cursor.PageRequest{Cursor: page.Next})
		require.NoError(t, err)
		require.Equal(t, want[999:], seeAll(page.Items))
		require.Empty(t, page.Next)
	})
}

// There are as many others as a call takes, which are two requests of 50.
func TestRelationsOfAViewer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	others, want := []string{"viewer", "other 51"}, map[string]follow.Relation{"viewer": {}}
	for i := range 100 - len(others) {
		other := fmt.Sprint("other ", i)
		others = append(others, other)
		relation := follow.Relation{}
		if i >= 46 && i < 54 {
			relation = follow.Relation{Follows: i%2 == 1, FollowedBy: i%4 > 1}
		}
		if want[other] = relation; relation.Follows {
			w.follow(t, "viewer", other)
		}
		if relation.FollowedBy {
			w.follow(t, other, "viewer")
		}
		require.Equal(t, relation.Follows && relation.FollowedBy, relation.Mutual())
	}
	got, err := w.Relations(t.Context(), "viewer", others)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestJSON(t *testing.T) {
	t.Parallel()
	id, err := ids.Parse("3ZZZZZZZZZZZZ")
	require.NoError(t, err)
	for want, value := range map[string]any{
		`{"follower":"jack","followee":"chris","id":"3ZZZZZZZZZZZZ"}`: follow.Edge{Follower: "jack", Followee: "chris", ID: id},
		`{"followers":2,"following":0}`:                               follow.Counts{Followers: 2},
		`{"follows":true,"followedBy":false}`:                         follow.Relation{Follows: true},
	} {
		got, err := json.Marshal(value)
		require.NoError(t, err)
		require.JSONEq(t, want, string(got))
	}
	var e follow.Edge
	require.NoError(t, json.Unmarshal([]byte(`{"follower":"jack","followee":"chris","id":"3ZZZZZZZZZZZZ"}`), &e))
	require.Equal(t, follow.Edge{Follower: "jack", Followee: "chris", ID: id}, e)
}
