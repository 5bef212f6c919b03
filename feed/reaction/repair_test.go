package reaction_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// hand damages a table. Its reaction is ann's like of the photo, in the shard
// of the photo's list that is not 0 where there is one.
type hand struct {
	t     *testing.T
	table dynamo.Table
	like  ids.ID
	shard string
}

func (h hand) remove(keys ...[2]string) {
	for _, key := range keys {
		require.NoError(h.t, h.table.Delete("pk", key[0]).Range("sk", key[1]).If("attribute_exists(pk)").Run(h.t.Context()))
	}
}

func (h hand) set(key [2]string, attribute string, value any) {
	require.NoError(h.t, h.table.Update("pk", key[0]).Range("sk", key[1]).SetExpr("$ = ?", attribute, value).Run(h.t.Context()))
}

func (h hand) unset(key [2]string, attributes ...string) {
	update := h.table.Update("pk", key[0]).Range("sk", key[1]).If("attribute_exists($)", attributes[0])
	for _, attribute := range attributes {
		update.RemoveExpr("$", attribute)
	}
	require.NoError(h.t, update.Run(h.t.Context()))
}

func (h hand) guard() [2]string    { return [2]string{"U#ann", "photo"} }
func (h hand) inUser() [2]string   { return [2]string{"M#ann#like", h.like.String()} }
func (h hand) inObject() [2]string { return [2]string{"L#photo#like#" + h.shard, h.like.String()} }
func (h hand) counter() [2]string  { return [2]string{"C#photo#" + h.shard, "C"} }
func (h hand) first() [2]string    { return [2]string{"C#photo#0", "C"} }

// unguard leaves ann's pin in the guard.
func (h hand) unguard() { h.unset(h.guard(), "id#like", "shard#like") }

const other = "0000000000ZZZ" // an id

func off(kind string, n int64) reaction.Drift {
	return reaction.Drift{Counts: map[string]int64{kind: n}, Counters: 1}
}

// damages are of ann's like of the photo and of its counters. Drift is what
// Check and CheckUser find of each before any repair.
var damages = map[string]struct {
	do        func(hand)
	ann       reaction.Drift
	photo     reaction.Drift
	mendsUser *reaction.Drift // what RepairUser says, if not the same
	ends      bool            // what is left is no reaction
	shards    int             // 0: in any number of them
}{
	"guard gone": {do: hand.unguard, ann: reaction.Drift{Torn: 1}, photo: reaction.Drift{Torn: 1}},
	"guard of two gone": {do: func(h hand) { h.remove(h.guard()) },
		ann: reaction.Drift{Torn: 2}, photo: reaction.Drift{Torn: 2}},
	"the user's gone":   {do: func(h hand) { h.remove(h.inUser()) }, ann: reaction.Drift{Torn: 1}},
	"the object's gone": {do: func(h hand) { h.remove(h.inObject()) }, ann: reaction.Drift{Torn: 1}, photo: off("like", 1)},

	"only the guard left": {do: func(h hand) { h.remove(h.inUser(), h.inObject()) }, ends: true,
		ann: reaction.Drift{Orphans: 1}, photo: off("like", 1)},
	"only the user's left": {do: func(h hand) { h.unguard(); h.remove(h.inObject()) }, ends: true,
		ann: reaction.Drift{Orphans: 1}, photo: off("like", 1)},
	"only the object's left": {do: func(h hand) { h.unguard(); h.remove(h.inUser()) }, ends: true,
		photo: reaction.Drift{Counts: map[string]int64{"like": 1}, Counters: 1, Orphans: 1}},
	"nothing left": {do: func(h hand) { h.unguard(); h.remove(h.inUser(), h.inObject()) }, ends: true,
		photo: off("like", 1)},

	"count gone astray":      {do: func(h hand) { h.set(h.counter(), "count#like", 41) }, photo: off("like", 40)},
	"counter gone":           {shards: 1, do: func(h hand) { h.remove(h.counter()) }, photo: reaction.Drift{Counts: map[string]int64{"like": -1, "pin": -2}, Counters: 1}},
	"a shard's counter gone": {shards: 5, do: func(h hand) { h.remove(h.counter()) }, photo: off("like", -1)},
	"first counter gone":     {shards: 5, do: func(h hand) { h.remove(h.first()) }, photo: off("pin", -2)},
	"every counter gone": {shards: 5, do: func(h hand) { h.remove(h.first(), h.counter()) },
		photo: reaction.Drift{Counts: map[string]int64{"like": -1, "pin": -2}, Counters: 2}},
	"shard not named": {shards: 5, do: func(h hand) { h.unset(h.first(), "shards") }, photo: reaction.Drift{Counters: 1}},
	"the object's gone with its counter": {shards: 5, do: func(h hand) { h.remove(h.inObject(), h.counter()) },
		ann: reaction.Drift{Torn: 1}, photo: reaction.Drift{Counters: 1}},

	"guard of another id": {do: func(h hand) { h.set(h.guard(), "id#like", other) },
		ann: reaction.Drift{Torn: 1, Orphans: 1}, mendsUser: &reaction.Drift{Torn: 1, Orphans: 1}, photo: reaction.Drift{Torn: 1}},
	"guard of another shard": {do: func(h hand) { h.set(h.guard(), "shard#like", 63) },
		ann: reaction.Drift{Torn: 1}, photo: reaction.Drift{Torn: 1}},
	"the user's of another": {do: func(h hand) { h.set(h.inUser(), "object", "zoo") },
		ann: reaction.Drift{Torn: 1, Orphans: 1}, mendsUser: &reaction.Drift{Torn: 1}},
	"the object's of another": {do: func(h hand) { h.set(h.inObject(), "user", "zoe") },
		ann: reaction.Drift{Torn: 1}, photo: reaction.Drift{Counts: map[string]int64{"like": 1}, Counters: 1, Orphans: 1}},
	"a second of the user": {do: func(h hand) { h.set([2]string{"M#ann#like", other}, "object", "photo") },
		ann: reaction.Drift{Orphans: 1}},
	"a second of the object": {do: func(h hand) { h.set([2]string{"L#photo#like#0", other}, "user", "ann") },
		photo: reaction.Drift{Orphans: 1}},
	"one in a second shard": {shards: 5, do: func(h hand) { h.set([2]string{"L#photo#like#0", h.like.String()}, "user", "ann") },
		photo: reaction.Drift{Orphans: 1}},
	"a second in both lists": {do: func(h hand) {
		h.set([2]string{"M#ann#like", other}, "object", "photo")
		h.set([2]string{"L#photo#like#0", other}, "user", "ann")
	}, ann: reaction.Drift{Orphans: 1}, photo: reaction.Drift{Orphans: 1}},
	"one of another kind": {do: func(h hand) { h.set([2]string{"M#ann#love", other}, "object", "photo") },
		ann: reaction.Drift{Orphans: 1}},
}

// damaged has ann's like of the photo, other reactions around it, and a damage.
// Only the photo is sharded; its pins lie in the first shard.
func damaged(t *testing.T, shards int, do func(hand)) (w world, like reaction.Reaction, others []reaction.Reaction) {
	opts := options(1)
	opts.Shards = func(object string) int {
		if object == "photo" {
			return shards
		}
		return 1
	}
	w = newWorld(t, opts)
	give := func(user, kind string, inFirst bool) reaction.Reaction {
		a := reaction.Reaction{User: user, Object: "photo", Kind: kind, ID: w.idIn(t, shards, inFirst)}
		a, changed, err := w.React(t.Context(), a)
		require.NoError(t, err)
		require.True(t, changed)
		return a
	}
	like = give("ann", "like", shards == 1)
	others = []reaction.Reaction{give("ann", "pin", true), give("zoe", "pin", true), w.react(t, "ann", "film", "love")}
	shard := cmp.Or(scan(t, w)[[2]string{"U#ann", "photo"}]["shard#like"], "0")
	require.Equal(t, shards > 1, shard != "0")
	do(hand{t, dynamotest.DB(t).Table(w.table), like.ID, shard})
	return w, like, others
}

// idIn mints an id that lies in the first shard, or in another.
func (w world) idIn(t *testing.T, shards int, first bool) ids.ID {
	for {
		id := w.id(t)
		h := fnv.New64a()
		h.Write([]byte(id.String()))
		if (h.Sum64()%uint64(shards) == 0) == first {
			return id
		}
	}
}

// side is one that can be checked and repaired.
type side struct {
	name          string
	check, repair func(context.Context, string) (reaction.Drift, error)
}

func (w world) ann() side   { return side{"ann", w.CheckUser, w.RepairUser} }
func (w world) photo() side { return side{"photo", w.Check, w.Repair} }

func requireSound(t testing.TB, sides ...side) {
	t.Helper()
	for _, s := range sides {
		drift, err := s.check(t.Context(), s.name)
		require.NoError(t, err)
		require.Zero(t, drift, "check of %q", s.name)
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
				userFirst := i == 0
				t.Run(fmt.Sprint(name, ", ", shards, " shards, user first: ", userFirst), func(t *testing.T) {
					t.Parallel()
					w, like, left := damaged(t, shards, damage.do)
					if !damage.ends {
						left = append(left, like)
					}
					order, want := []side{w.ann(), w.photo()}, []reaction.Drift{damage.ann, damage.photo}
					if !userFirst {
						order, want = []side{w.photo(), w.ann()}, []reaction.Drift{damage.photo, damage.ann}
					}
					for i, s := range order {
						drift, err := s.check(t.Context(), s.name)
						require.NoError(t, err)
						require.Equal(t, want[i], drift, "check of %q", s.name)
					}
					if damage.mendsUser != nil && userFirst {
						want[0] = *damage.mendsUser
					}

					drift, err := order[0].repair(t.Context(), order[0].name)
					require.NoError(t, err)
					require.Equal(t, want[0], drift)
					_, err = order[1].repair(t.Context(), order[1].name)
					require.NoError(t, err)
					requireStored(t, w, standing(left...))

					before := scan(t, w)
					requireSound(t, order...)
					for _, s := range order {
						again, err := s.repair(t.Context(), s.name)
						require.NoError(t, err)
						require.Zero(t, again, "second repair of %q", s.name)
					}
					require.Equal(t, before, scan(t, w))
				})
			}
		}
	}
}

// TestRepairOfTheUserMindsTheObject restores a reaction to the object's list,
// or elsewhere: its count is right at once, and a Check of the object notices.
func TestRepairOfTheUserMindsTheObject(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"guard gone", "the user's gone", "the object's gone", "the object's of another"} {
		w, like, others := damaged(t, 5, damages[name].do)
		versions := func() (sum int) {
			for key, item := range scan(t, w) {
				if strings.HasPrefix(key[0], "C#photo#") {
					ver, err := strconv.Atoi(item["ver"])
					require.NoError(t, err)
					sum += ver
				}
			}
			return sum
		}
		before := versions()
		drift, err := w.RepairUser(t.Context(), "ann")
		require.NoError(t, err)
		require.Equal(t, reaction.Drift{Torn: 1}, drift, name)
		require.Greater(t, versions(), before, name)
		requireStored(t, w, standing(append(others, like)...))
		requireSound(t, w.ann(), w.photo())
	}
}
