package follow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// The lists are longer than one page.
func TestCheckOfManyEdges(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "..", "follow")
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

	n := float64(fans + idols)
	check := m.Stated.Of("Repository.Check", "the user").
		Plus(m.Stated.Times(n/100+1, "Repository.Check", "each 100 edges")).
		Plus(m.Stated.Times(n, "Repository.Check", "each edge")).
		Plus(m.Stated.Times(n/20, "Repository.Check", "each 20 edges"))
	m.AtMost("Check", check, func(ctx) error { requireSound(t, w, "star"); return nil })

	h := edgetest.NewHand(t, w.table)
	for _, followee := range []string{"idol00007", fmt.Sprintf("idol%05d", idols-7)} {
		e, err := w.Get(t.Context(), follow.Edge{Follower: "star", Followee: followee})
		require.NoError(t, err)
		h.Remove(edgetest.Key{"F#star", e.ID.String()})
	}
	h.Remove(edgetest.Key{"E#fan00010", "star"}, edgetest.Key{fmt.Sprintf("E#fan%05d", fans-15), "star"})
	torn := check.
		Plus(m.Stated.Times(float64(idols), "Repository.Check", "where an edge is torn, each edge that the user follows")).
		Plus(m.Stated.Times(2*float64(idols)/100, "Repository.Check", "each 100 edges")).
		Plus(m.Stated.Times(4, "Repository.Repair", "each torn edge more"))
	m.AtMost("Repair of four edges", torn, func(ctx ctx) error {
		drift, err := w.Repair(ctx, "star")
		require.Equal(t, follow.Drift{Torn: 4}, drift)
		return err
	})
	requireStored(t, w, edges)
}
