package follow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// The lists are longer than one page.
func TestCheckOfManyEdges(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	w := newWorld(t, nil, m.Wrap)
	fans, idols := faults.Size(2_100, 130), faults.Size(1_050, 130)
	var edges []follow.Edge
	for i := range fans {
		edges = append(edges, follow.Edge{Follower: fmt.Sprintf("fan%05d", i), Followee: "star"})
	}
	for i := range idols {
		edges = append(edges, follow.Edge{Follower: "star", Followee: fmt.Sprintf("idol%05d", i)})
	}
	_, err := w.Import(t.Context(), "star", sequence(edges), nil)
	require.NoError(t, err)

	n := fans + idols
	check := dynamotest.Cost{Requests: n/100 + 40, Read: float64(n) * 1.07}
	m.AtMost(t, "Check", check, func() { requireSound(t, w, "star") })
	m.AtMost(t, "Repair without drift", check, func() {
		drift, err := w.Repair(t.Context(), "star")
		require.NoError(t, err)
		require.Zero(t, drift)
	})

	h := edgetest.NewHand(t, w.table)
	for _, followee := range []string{"idol00007", fmt.Sprintf("idol%05d", idols-7)} {
		e, err := w.Get(t.Context(), follow.Edge{Follower: "star", Followee: followee})
		require.NoError(t, err)
		h.Remove(edgetest.Key{"F#star", e.ID.String()})
	}
	h.Remove(edgetest.Key{"E#fan00010", "star"}, edgetest.Key{fmt.Sprintf("E#fan%05d", fans-15), "star"})
	m.AtMost(t, "Repair of four edges", dynamotest.Cost{
		Requests: check.Requests + 2*idols/100 + 4*4,
		Read:     check.Read + float64(2*idols+4*2*66),
		Write:    4 * 10,
	}, func() {
		drift, err := w.Repair(t.Context(), "star")
		require.NoError(t, err)
		require.Equal(t, follow.Drift{Torn: 4}, drift)
	})
	requireStored(t, w, edges)
}
