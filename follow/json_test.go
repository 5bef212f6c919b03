package follow_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
)

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
