package feed_test

import (
	"math"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// pull is how a home says that it reads an outbox.
type pull struct {
	Since ids.ID `dynamo:"since,omitempty"`
	Until ids.ID `dynamo:"until,omitempty"`
	Kept  bool   `dynamo:"kept,omitempty"`
	At    ids.ID `dynamo:"at"`
}

// headerItem reads the raw header of a home; nil if there is none.
func headerItem(t testing.TB, w world, reader string) dynamo.Item {
	t.Helper()
	var items []dynamo.Item
	err := dynamotest.DB(t).Table(w.feedTable).Get("pk", keys.Join("H", reader)).Range("sk", dynamo.Equal, "~").Consistent(true).All(t.Context(), &items)
	require.NoError(t, err)
	if len(items) == 0 {
		return nil
	}
	return items[0]
}

// pulls are those of a home by edge, of one source.
func pulls(t testing.TB, w world, reader, source string) map[ids.ID]pull {
	t.Helper()
	found := map[ids.ID]pull{}
	for _, p := range w.pullsOf(t, reader) {
		if p.Source == source {
			found[p.Edge] = p.pull
		}
	}
	return found
}

// putAttributes sets attributes of jack's header.
func putAttributes(t testing.TB, w world, attributes map[string]any) {
	t.Helper()
	w.setAttributes(t, "jack", attributes)
}

func (w world) setAttributes(t testing.TB, reader string, attributes map[string]any) {
	t.Helper()
	table := dynamotest.DB(t).Table(w.feedTable)
	item := headerItem(t, w, reader)
	if item == nil {
		item = dynamo.Item{"pk": text("H#" + reader), "sk": text("~")}
	}
	for name, v := range attributes {
		value, err := dynamo.Marshal(v)
		require.NoError(t, err)
		item[name] = value
	}
	require.NoError(t, table.Put(item).Run(t.Context()))
}

// switchTo switches a source and finishes the switch.
func (w world) switchTo(t testing.TB, source string, mode feed.Mode) {
	t.Helper()
	w.setPulled(t, source, mode == feed.Pulled || mode == feed.Opening)
	if mode == feed.Pulled || mode == feed.Pushed {
		deliverAll(t, w.later(t))
	}
	require.Equal(t, mode, w.mode(t, source))
}

func (w world) mode(t testing.TB, source string) feed.Mode {
	t.Helper()
	mode, err := w.Outbox(source).Mode(t.Context())
	require.NoError(t, err)
	return mode
}

// before is another process. hook runs just before its first request that
// contains all of texts.
func (w world) before(t testing.TB, hook func(), texts ...string) world {
	t.Helper()
	return w.process(t, nil, held(t, func(op string, body []byte) bool { return has(append([]byte(op), body...), texts...) }, hook))
}

// edge returns the ID of the edge from reader to source.
func (w world) edge(t testing.TB, reader, source string) ids.ID {
	t.Helper()
	edge, err := w.follows.Get(t.Context(), followEdge(reader, source))
	require.NoError(t, err)
	return edge.ID
}

func TestASwitchOverOpensAPullAndASwitchBackBoundsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	jack, edge := w.Home("jack"), ids.At(time.Now())
	since, until := edge-10, edge+10
	open := func(want bool, since, at ids.ID) {
		t.Helper()
		changed, err := jack.OpenPull(t.Context(), "chris", edge, since, at)
		require.NoError(t, err)
		require.Equal(t, want, changed)
	}
	closed := func(want bool, until, at ids.ID) {
		t.Helper()
		changed, err := jack.ClosePull(t.Context(), "chris", edge, until, at)
		require.NoError(t, err)
		require.Equal(t, want, changed)
	}
	is := func(p pull) {
		t.Helper()
		require.Equal(t, map[ids.ID]pull{edge: p}, pulls(t, w, "jack", "chris"))
	}
	closed(false, until, 5)
	require.Empty(t, pulls(t, w, "jack", "chris"), "a switch back adds none")
	open(true, since, 10)
	open(false, since, 10)
	is(pull{Since: since, At: 10})
	closed(false, until, 9)
	closed(false, until, 10)
	closed(true, until, 11)
	closed(false, until+1, 11)
	is(pull{Since: since, Until: until, At: 11})
	open(false, since, 10)
	open(true, 0, 12)
	is(pull{Since: since, At: 12})

	kept := pull{Until: 1, Kept: true, At: edge}
	putAttributes(t, w, map[string]any{feed.PullName(edge, "chris"): kept})
	open(false, since, edge+1)
	closed(false, until, edge+1)
	is(kept)
}

func TestASwitchAddsNoPullBelowAnEnding(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	edge := ids.At(time.Now())
	putAttributes(t, w, map[string]any{"end#ann": ending{Edge: edge, Unfollow: edge}})
	for edge, want := range map[ids.ID]bool{edge - 1: false, edge: false, edge + 1: true} {
		changed, err := w.Home("jack").OpenPull(t.Context(), "ann", edge, 0, 20)
		require.NoError(t, err)
		require.Equal(t, want, changed)
	}
	require.Equal(t, map[ids.ID]pull{edge + 1: {At: 20}}, pulls(t, w, "jack", "ann"))
}

// The walk read the edge, which ends before the home is changed.
func TestASwitchThatReadAnEndedEdgeAddsNoPull(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*feed.UnfollowOptions{"unfollowed": nil, "kept": keep} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.subscribe(t, "jack", "chris")
			edge := w.edge(t, "jack", "chris")
			done := w.publish(t, "chris", 2)
			walker := w.before(t, func() {
				require.True(t, w.unfollow(t, "jack", "chris", opts))
			}, "UpdateItem", "pull#")
			walker.setPulled(t, "chris", true)
			deliverAll(t, walker)
			w.publish(t, "chris", 1)
			if name == "kept" {
				require.Equal(t, ids.ID(1), pulls(t, w, "jack", "chris")[edge].Until)
				require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10))
			} else {
				require.Empty(t, pulls(t, w, "jack", "chris"))
				require.Empty(t, all(t, w.Home("jack").List, 10))
			}
		})
	}
}

func TestADamagedPullFailsTheSwitchAndAFollowReplacesIt(t *testing.T) {
	t.Parallel()
	for name, damage := range faults.Sample(3, map[string]types.AttributeValue{
		"text": text("x"), "empty": &types.AttributeValueMemberM{Value: dynamo.Item{}}, "since": &types.AttributeValueMemberM{Value: dynamo.Item{"since": number("-1"), "at": text(ids.ID(math.MaxInt64).String())}},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var corrupt reported
			w := newWorld(t, &feed.Options{Consistent: true, OnCorrupt: corrupt.add})
			w.subscribe(t, "jack", "chris")
			w.subscribe(t, "ann", "chris")
			edge := w.edge(t, "jack", "chris")
			damaged := map[string]any{feed.PullName(edge, "chris"): damage}
			putAttributes(t, w, damaged)
			w.setPulled(t, "chris", true)
			_, err := w.Deliver(t.Context())
			require.ErrorIs(t, err, plaza.ErrCorrupt)
			require.Contains(t, corrupt.take(), "H#jack / ~")
			require.Equal(t, feed.Opening, w.mode(t, "chris"))
			require.Len(t, pulls(t, w, "ann", "chris"), 1, "the others are told")

			_, err = w.Home("jack").ClosePull(t.Context(), "chris", edge, 60, edge)
			require.ErrorIs(t, err, plaza.ErrCorrupt)
			putAttributes(t, w, damaged)
			w.subscribe(t, "jack", "chris")
			require.Contains(t, pulls(t, w, "jack", "chris"), edge)
			deliverAll(t, w.later(t))
			require.Equal(t, feed.Pulled, w.mode(t, "chris"))

			for _, keep := range []bool{true, false} {
				putAttributes(t, w, damaged)
				w.unfollow(t, "jack", "chris", &feed.UnfollowOptions{KeepHistory: keep})
				if keep {
					p := pulls(t, w, "jack", "chris")[edge]
					require.Equal(t, pull{Until: 1, Kept: true, At: p.At}, p)
				}
			}
			require.Empty(t, pulls(t, w, "jack", "chris"))
		})
	}
}

// An ending that cannot be read hides all of its source.
func TestADamagedEndingKeepsSwitchesAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	putAttributes(t, w, map[string]any{"end#ann": "x"})
	changed, err := w.Home("jack").OpenPull(t.Context(), "ann", 50, 0, 10)
	require.NoError(t, err)
	require.False(t, changed)
}
