package feed_test

import (
	"fmt"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// row is any item of the table.
type row struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Owner string `dynamo:"owner,omitempty"`
	TTL   int64  `dynamo:"ttl,omitempty"`
	Lease int64  `dynamo:"lease,omitempty"`
}

// owner is the owner of the row's activity, or of the one that it refers to.
func (r row) owner() string {
	pk, sk := keys.Split(r.PK), keys.Split(r.SK)
	if (pk[0] == "H" || pk[0] == "J") && len(sk) > 1 {
		return sk[1]
	}
	return r.Owner
}

func (w world) rows(t testing.TB) []row {
	t.Helper()
	var rows []row
	require.NoError(t, dynamotest.DB(t).Table(w.feedTable).Scan().Consistent(true).All(t.Context(), &rows))
	return rows
}

func (w world) jobs(t testing.TB) []row {
	t.Helper()
	var jobs []row
	table := dynamotest.DB(t).Table(w.feedTable)
	var stored struct {
		N int `dynamo:"n"`
	}
	err := table.Get("pk", "J").Range("sk", dynamo.Equal, "shards").Consistent(true).One(t.Context(), &stored)
	if stored.N == 0 {
		require.ErrorIs(t, err, dynamo.ErrNotFound)
		stored.N = 4 // jobs of a test's own
	}
	for shard := range stored.N {
		var some []row
		require.NoError(t, table.Get("pk", fmt.Sprintf("J#%d", shard)).Consistent(true).All(t.Context(), &some))
		jobs = append(jobs, some...)
	}
	return jobs
}

// requireErased fails if there is anything of chris but entries in others'
// homes, which expire.
func requireErased(t testing.TB, w world) {
	t.Helper()
	for _, row := range w.rows(t) {
		require.NotContains(t, []string{"O#chris", "X#chris", "H#chris"}, row.PK)
		if row.owner() == "chris" {
			require.Contains(t, row.PK, "H#")
			require.NotZero(t, row.TTL)
		}
	}
}

// populate stores everything that a user can have, for chris: activities with
// and without foreign ids, some addressed to birds and paris, one of them
// removed, a home with a header, and waiting deliveries. It returns ann's
// activities, which must stay.
func populate(t testing.TB, w world) (anns []feed.Activity) {
	t.Helper()
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "fan", "birds")
	w.subscribe(t, "chris", "ann")
	w.subscribe(t, "chris", "bob")
	as := activities("chris", 6)
	as[2].To = []string{"birds", "paris"}
	as = w.publishMany(t, "chris", as...)
	w.remove(t, "chris", as[2].ID)
	for n := range 3 {
		anns = append(anns, w.send(t, "ann", addressed("ann", n, "chris", "birds")))
	}
	w.publish(t, "bob", 2)
	deliverAll(t, w.later(t))
	w.unfollow(t, "chris", "bob", nil)
	w.publishMany(t, "chris", activity("chris", 7), activity("chris", 8))
	more := w.publishMany(t, "ann", activity("ann", 3))
	return append(anns, more...)
}

// requireOthers fails unless everything of ann is still there.
func requireOthers(t testing.TB, w world, anns []feed.Activity) {
	t.Helper()
	require.Equal(t, newestFirst(anns), all(t, w.Outbox("ann").List, 3))
	require.Equal(t, newestFirst(anns[:3]), all(t, w.Outbox("birds").List, 3))
	require.Equal(t, newestFirst(anns[:3]), all(t, w.Home("fan").List, 3))
	require.Equal(t, newestFirst(anns[:3]), all(t, w.Home("jack").List, 3), "the activity that she addressed to chris")
}

func TestEraseLeavesNothingOfAUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	anns := populate(t, w)
	require.Len(t, all(t, w.Home("jack").List, 10), 5+3)
	require.Len(t, w.jobs(t), 3)
	require.NoError(t, w.Erase(t.Context(), "chris"))
	requireErased(t, w)
	requireOthers(t, w, anns)
	require.Len(t, w.jobs(t), 1, "ann's")
	require.NoError(t, w.Erase(t.Context(), "chris"))
	require.NoError(t, w.Erase(t.Context(), "nobody"))
	requireOthers(t, w, anns)

	// The user may come back and use the same foreign ids.
	as := w.publishMany(t, "chris", activities("chris", 6)...)
	deliverAll(t, w.later(t))
	require.Equal(t, newestFirst(append(anns[:3], as...)), all(t, w.Home("jack").List, 10), "the graph keeps its edges")
}

// Erase runs while a worker is in the middle of a delivery.
func TestADeliveryDuringEraseLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.subscribe(t, "jack", "chris")
	w.publish(t, "chris", 1)
	slow := w.over(t, watchedGraph{w.follows, func(string) error {
		return w.Erase(t.Context(), "chris")
	}}, nil)
	slow.deliver(t)
	requireErased(t, w)
	require.Empty(t, w.jobs(t))
	require.Empty(t, all(t, w.Home("jack").List, 10), "the entry has no activity")
}

func (w world) put(t testing.TB, rows []row) {
	t.Helper()
	items := make([]any, len(rows))
	for i := range rows {
		items[i] = rows[i]
	}
	_, err := dynamotest.DB(t).Table(w.feedTable).Batch().Write().Put(items...).Run(t.Context())
	require.NoError(t, err)
}

func TestEraseRefusesAUserWhoseOutboxHomesRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1})
	w.subscribe(t, "jack", "chris")
	w.publish(t, "chris", 2)
	deliverAll(t, w.later(t))
	refuses := func(want feed.Mode) {
		t.Helper()
		require.Equal(t, want, w.storedMode(t, "chris").Mode)
		before := w.rows(t)
		err := w.Erase(t.Context(), "chris")
		require.ErrorIs(t, err, feed.ErrPulled)
		require.ErrorIs(t, err, plaza.ErrConflict)
		require.ElementsMatch(t, before, w.rows(t), "nothing was deleted")
	}
	w.setPulled(t, "chris", true)
	refuses(feed.Opening)
	deliverAll(t, w.later(t))
	refuses(feed.Pulled)
	w.setPulled(t, "chris", false)
	refuses(feed.Closing)

	// A worker changes the mode, and dies before it ends its job.
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "DeleteItem" {
			return faults.Fault{Kind: faults.KilledBefore}
		}
		return faults.Fault{}
	})
	_, err := w.process(t, nil, in.Wrap).Deliver(t.Context())
	require.ErrorIs(t, err, faults.ErrKilled)
	require.Equal(t, feed.Pushed, w.storedMode(t, "chris").Mode)
	w.send(t, "ann#chris#switch", activity("ann", 1))
	require.Len(t, w.jobs(t), 2)
	require.NoError(t, w.Erase(t.Context(), "chris"))
	requireErased(t, w)
	require.Len(t, w.jobs(t), 1, "the other's")
	require.NotZero(t, w.pullOf(t, "jack").Until, "the home stops there")
}

// A damaged mode must not keep a user's data.
func TestEraseDeletesADamagedMode(t *testing.T) {
	t.Parallel()
	var corrupt reported
	w := newWorld(t, &feed.Options{Consistent: true, OnCorrupt: corrupt.add})
	w.publish(t, "chris", 1)
	w.setPulled(t, "chris", true)
	w.damage(t, "O#chris", "~", dynamo.Item{"mode": text("x"), "to": number("1")})
	require.NoError(t, w.Erase(t.Context(), "chris"))
	require.Contains(t, corrupt.take(), "O#chris / ~")
	requireErased(t, w)
	require.Empty(t, w.jobs(t))
}

func TestEraseReadsSeveralPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, JobShards: 1})
	w.publishMany(t, "ann", activities("ann", 1)...) // stores the number of job shards
	var rows []row
	jobs := faults.Size(2_050, 1_050)
	others := jobs
	for n := range jobs {
		id := ids.ID(n + 1).String()
		owner := "ann"
		if n%1_024 < 3 {
			owner = "chris"
			others--
		}
		rows = append(rows, row{PK: "J#0", SK: id + "#" + owner})
		if n < faults.Size(1_050, 600) {
			rows = append(rows, row{PK: "H#chris", SK: id + "#ann#" + id})
		}
	}
	w.put(t, rows)
	_, err := w.Home("chris").Trim(t.Context(), 1)
	require.NoError(t, err)

	injector := faults.New(t, 1, faults.Rates{})
	injector.KillAt(3 + 20) // among the batches of the home
	require.ErrorIs(t, w.process(t, nil, injector.Wrap).Erase(t.Context(), "chris"), faults.ErrKilled)
	require.NotEmpty(t, headerItem(t, w, "chris"), "the header goes last, because it hides entries")

	require.NoError(t, w.Erase(t.Context(), "chris"))
	requireErased(t, w)
	require.Len(t, w.jobs(t), 1+others)
}

func TestEraseCostsAUnitAnItem(t *testing.T) {
	t.Parallel()
	n := faults.Size(60, 14)
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{Consistent: true, OwnHome: true}, meter.Wrap)
	as := make([]feed.Activity, n)
	for i := range as {
		as[i] = kilobyte(i)
		as[i].ForeignID = as[i].Object.String()
		as[i].To = []string{"birds"}
	}
	as = w.publishMany(t, "chris", as...)
	deliverAll(t, w)
	w.publishMany(t, "chris", activities("chris", 4)...)
	_, err := w.Home("chris").Trim(t.Context(), as[0].ID)
	require.NoError(t, err)
	stated := costs(t)
	nothing := stated.Of("Repository.Erase", "nothing")
	activities, foreign, entries, jobs := float64(n+4), float64(n+2), float64(n+1), 4.0
	// The activities, their foreign ids, the home and its header, and 4 shards of jobs.
	erases := nothing.Plus(stated.Times(activities/25+foreign/25+entries/25+4+4, "Repository.Erase", "each 25 items of a partition")).
		Plus(stated.Times(activities+foreign+entries+jobs, "Repository.Erase", "each KB, and each 4 KB of all deliveries that wait")).
		Plus(stated.Times(activities, "Repository.Erase", "each To of an activity"))
	meter.AtMost(t, "erase", erases, func() { require.NoError(t, w.Erase(t.Context(), "chris")) })
	meter.AtMost(t, "erase nothing", nothing, func() { require.NoError(t, w.Erase(t.Context(), "chris")) })
	requireErased(t, w)
}
