package follow_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// hand damages a table. Its edge is ann's to bob, in the shard of bob's list
// that is not 0 where there is one.
type hand struct {
	t     *testing.T
	table dynamo.Table
	id    string
	shard string
}

func (h hand) remove(keys ...[2]string) {
	for _, key := range keys {
		require.NoError(h.t, h.table.Delete("pk", key[0]).Range("sk", key[1]).If("attribute_exists(pk)").Run(h.t.Context()))
	}
}

func (h hand) set(key [2]string, attribute string, value any) {
	require.NoError(h.t, h.table.Update("pk", key[0]).Range("sk", key[1]).Set(attribute, value).Run(h.t.Context()))
}

func (h hand) guard() [2]string     { return [2]string{"E#ann", "bob"} }
func (h hand) following() [2]string { return [2]string{"F#ann", h.id} }
func (h hand) follower() [2]string  { return [2]string{"R#bob#" + h.shard, h.id} }
func (h hand) counter() [2]string   { return [2]string{"C#bob", h.shard} }

// damages are of ann's edge to bob, and of their counters. Drift is what Check
// finds of each before any repair.
var damages = map[string]struct {
	do       func(hand)
	ann, bob follow.Drift
	mends    *follow.Drift // what Repair of ann says, if not the same
	ends     bool          // what is left is no edge
	shards   int           // 0: in any number of them
}{
	"guard gone":     {do: func(h hand) { h.remove(h.guard()) }, ann: follow.Drift{Torn: 1}, bob: follow.Drift{Torn: 1}},
	"following gone": {do: func(h hand) { h.remove(h.following()) }, ann: follow.Drift{Torn: 1}},
	"follower gone": {do: func(h hand) { h.remove(h.follower()) }, ann: follow.Drift{Torn: 1},
		bob: follow.Drift{Followers: 1, Counters: 1}},

	"only the guard left": {do: func(h hand) { h.remove(h.following(), h.follower()) }, ends: true,
		ann: follow.Drift{Following: 1, Counters: 1, Orphans: 1}, bob: follow.Drift{Followers: 1, Counters: 1}},
	"only following left": {do: func(h hand) { h.remove(h.guard(), h.follower()) }, ends: true,
		ann: follow.Drift{Following: 1, Counters: 1, Orphans: 1}, bob: follow.Drift{Followers: 1, Counters: 1}},
	"only follower left": {do: func(h hand) { h.remove(h.guard(), h.following()) }, ends: true,
		ann: follow.Drift{Following: 1, Counters: 1}, bob: follow.Drift{Followers: 1, Counters: 1, Orphans: 1}},
	"nothing left": {do: func(h hand) { h.remove(h.guard(), h.following(), h.follower()) }, ends: true,
		ann: follow.Drift{Following: 1, Counters: 1}, bob: follow.Drift{Followers: 1, Counters: 1}},

	"followers gone astray": {do: func(h hand) { h.set(h.counter(), "followers", 41) },
		bob: follow.Drift{Followers: 40, Counters: 1}},
	"following gone astray": {do: func(h hand) { h.set([2]string{"C#ann", "0"}, "following", -1) },
		ann: follow.Drift{Following: -3, Counters: 1}},
	"follower's counter gone": {do: func(h hand) { h.remove([2]string{"C#ann", "0"}) },
		ann: follow.Drift{Followers: -1, Following: -2, Counters: 1}},
	"all counters gone": {shards: 1, do: func(h hand) { h.remove(h.counter()) },
		bob: follow.Drift{Followers: -1, Following: -1, Counters: 1}},
	"a shard's counter gone": {shards: 5, do: func(h hand) { h.remove(h.counter()) },
		bob: follow.Drift{Followers: -1, Counters: 1}},
	"first shard's counter gone": {shards: 5, do: func(h hand) { h.remove([2]string{"C#bob", "0"}) },
		bob: follow.Drift{Following: -1, Counters: 1}},
	"every shard's counter gone": {shards: 5, do: func(h hand) {
		h.remove([2]string{"C#bob", "0"}, h.counter())
	}, bob: follow.Drift{Followers: -1, Following: -1, Counters: 2}},
	"shard not named": {shards: 5, do: func(h hand) { h.set([2]string{"C#bob", "0"}, "shards", "") },
		bob: follow.Drift{Counters: 1}},
	"version gone": {do: func(h hand) { h.set(h.counter(), "ver", ""); h.set(h.counter(), "followers", 7) },
		bob: follow.Drift{Followers: 6, Counters: 1}},
	"follower gone with its counter": {do: func(h hand) { h.remove(h.follower(), h.counter()) }, shards: 5,
		ann: follow.Drift{Torn: 1}, bob: follow.Drift{Counters: 1}},

	"guard of another id": {do: func(h hand) { h.set(h.guard(), "id", "0000000000ZZZ") },
		ann: follow.Drift{Torn: 1, Orphans: 1}, bob: follow.Drift{Torn: 1}},
	"guard of another shard": {do: func(h hand) { h.set(h.guard(), "shard", 63) },
		ann: follow.Drift{Torn: 1}, bob: follow.Drift{Torn: 1}},
	"following of another": {do: func(h hand) { h.set(h.following(), "followee", "zoe") },
		ann: follow.Drift{Torn: 1, Orphans: 1}, mends: &follow.Drift{Torn: 1}},
	"follower of another": {do: func(h hand) { h.set(h.follower(), "follower", "zoe") },
		ann: follow.Drift{Torn: 1}, bob: follow.Drift{Followers: 1, Counters: 1, Orphans: 1}},
	"a second following": {do: func(h hand) { h.set([2]string{"F#ann", "0000000000ZZZ"}, "followee", "bob") },
		ann: follow.Drift{Orphans: 1}},
	"a second follower": {do: func(h hand) { h.set([2]string{"R#bob#0", "0000000000ZZZ"}, "follower", "ann") },
		bob: follow.Drift{Orphans: 1}},
	"a follower in a second shard": {shards: 5, do: func(h hand) { h.set([2]string{"R#bob#0", h.id}, "follower", "ann") },
		bob: follow.Drift{Orphans: 1}},
}

// damaged has ann's edge to bob, others around it, and a damage. Only bob is
// sharded.
func damaged(t *testing.T, shards int, do func(hand)) (w world, others []follow.Edge) {
	w = newWorld(t, &follow.Options{Consistent: true, Shards: func(followee string) int {
		if followee == "bob" {
			return shards
		}
		return 1
	}})
	edge, created, err := w.Follow(t.Context(), follow.Edge{Follower: "ann", Followee: "bob", ID: w.idBeyondFirst(t, shards)})
	require.NoError(t, err)
	require.True(t, created)
	others = []follow.Edge{w.follow(t, "ann", "cat"), w.follow(t, "bob", "ann")}
	shard := cmp.Or(scan(t, w)[[2]string{"E#ann", "bob"}]["shard"], "0")
	require.Equal(t, shards > 1, shard != "0")
	do(hand{t, dynamotest.DB(t).Table(w.table), edge.ID.String(), shard})
	return w, others
}

// idBeyondFirst mints an id that lies in another shard than the first, if there
// is one.
func (w world) idBeyondFirst(t *testing.T, shards int) ids.ID {
	for {
		id, err := w.gen.Next(t.Context())
		require.NoError(t, err)
		h := fnv.New64a()
		h.Write([]byte(id.String()))
		if shards == 1 || h.Sum64()%uint64(shards) != 0 {
			return id
		}
	}
}

func requireSound(t testing.TB, w world, users ...string) {
	t.Helper()
	for _, user := range users {
		drift, err := w.Check(t.Context(), user)
		require.NoError(t, err)
		require.Zero(t, drift, "Check of %q", user)
	}
}

func TestRepairMendsEveryDamageInEitherOrder(t *testing.T) {
	t.Parallel()
	for name, damage := range damages {
		for _, shards := range []int{1, 5} {
			if damage.shards != 0 && damage.shards != shards {
				continue
			}
			for i := range faults.Seeds(2) {
				order := [][]string{{"ann", "bob"}, {"bob", "ann"}}[i]
				t.Run(fmt.Sprint(name, ", ", shards, " shards, first ", order[0]), func(t *testing.T) {
					t.Parallel()
					w, left := damaged(t, shards, damage.do)
					if !damage.ends {
						left = append(left, follow.Edge{Follower: "ann", Followee: "bob"})
					}
					want := map[string]follow.Drift{"ann": damage.ann, "bob": damage.bob}
					for user, want := range want {
						drift, err := w.Check(t.Context(), user)
						require.NoError(t, err)
						require.Equal(t, want, drift, "Check of %q", user)
					}
					if damage.mends != nil {
						want["ann"] = *damage.mends
					}

					drift, err := w.Repair(t.Context(), order[0])
					require.NoError(t, err)
					require.Equal(t, want[order[0]], drift)
					_, err = w.Repair(t.Context(), order[1])
					require.NoError(t, err)
					requireStored(t, w, left)

					before := scan(t, w)
					requireSound(t, w, order...)
					for _, user := range order {
						again, err := w.Repair(t.Context(), user)
						require.NoError(t, err)
						require.Zero(t, again, "second Repair of %q", user)
					}
					require.Equal(t, before, scan(t, w))
				})
			}
		}
	}
}
