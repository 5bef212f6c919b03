package follow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
)

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
