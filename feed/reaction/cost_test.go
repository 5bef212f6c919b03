package reaction_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/edge/edgetest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/meter"
)

type (
	ctx  = context.Context
	page = cursor.PageRequest
)

// sixteen pads a name to 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

func TestCallsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	const shards = 8
	jack, photo, star, spread := sixteen("jack"), sixteen("photo"), sixteen("star"), sixteen("spread")
	m := callstest.NewMetered(t, "../..", "feed/reaction")
	opts := options(1)
	opts.Consistent = false
	opts.Shards = func(object string) int {
		if object == spread {
			return shards
		}
		return 1
	}
	w := newWorld(t, opts, m.Wrap)
	strong := w.process(t, options(1), m.Wrap)
	objects := make([]string, faults.Size(60, 30))
	for i := range objects {
		objects[i] = sixteen(fmt.Sprint("object ", i))
		w.react(t, objects[i], star, "pin")
		w.react(t, objects[i], spread, "pin")
		w.react(t, star, objects[i], "pin")
	}

	known := map[string]reaction.Reaction{}
	named := func(kind string) reaction.Reaction { return reaction.Reaction{User: jack, Object: photo, Kind: kind} }
	react := func(w world, kind string) func(ctx) error {
		return func(ctx ctx) (err error) {
			a := named(kind)
			a.ID = known[kind].ID
			known[kind], _, err = w.React(ctx, a)
			return err
		}
	}
	unreact := func(a reaction.Reaction) func(ctx) error {
		return func(ctx ctx) error { return failed(w.Unreact(ctx, a)) }
	}
	elsewhere := func() world { return w.process(t, options(reaction.MaxShards), m.Wrap) }
	m.Costs(react(w, "pin"), "Repository.React", "react")
	m.Costs(react(w, "pin"), "Repository.React")
	m.Costs(func(ctx ctx) (err error) { known["pin"], err = w.Get(ctx, named("pin")); return err }, "Repository.Get")
	m.Costs(unreact(known["pin"]), "Repository.Unreact", "with a reaction from React or Get")
	m.Costs(func(ctx ctx) error {
		require.ErrorIs(t, react(w, "pin")(ctx), plaza.ErrRemoved)
		delete(known, "pin")
		return nil
	}, "Repository.React")
	m.Costs(react(w, "pin"), "Repository.React")
	m.Costs(unreact(named("pin")), "Repository.Unreact", "unreact")
	m.Costs(unreact(named("pin")), "Repository.Unreact", "without a reaction")
	delete(known, "pin")
	unused := named("pin")
	unused.ID = w.id(t)
	m.Costs(unreact(unused), "Repository.Unreact", "without a reaction, by an ID, which it remembers")
	m.Costs(unreact(unused), "Repository.Unreact", "without a reaction")

	m.Costs(react(w, "like"), "Repository.React", "react", "a kind of a group more")
	m.Costs(react(w, "love"), "Repository.React", "in the place of another kind")
	m.Costs(react(elsewhere(), "pin"), "Repository.React", "the first into a new shard")
	m.Costs(unreact(known["pin"]), "Repository.Unreact", "with a reaction from React or Get")
	other := named("haha")
	other.ID = known["pin"].ID // in the shard that is open
	m.Costs(func(ctx ctx) error { return failed(elsewhere().React(ctx, other)) }, "Repository.React", "in the place of another kind, in another shard")

	full := func(got cursor.Page[reaction.Reaction], err error) error {
		require.Len(t, got.Items, 25)
		return err
	}
	m.Costs(func(ctx ctx) error { return full(w.ByObject(ctx, star, "pin", page{})) }, "Repository.ByObject", "a page of 25 of one kind")
	m.AtMost("by object, all kinds", m.Stated.Of("Repository.ByObject").Plus(m.Stated.Times(3, "Repository.ByObject", "each further kind, of each shard")), func(ctx ctx) error {
		return full(w.ByObject(ctx, star, "", page{}))
	})
	m.AtMost("by object over shards", m.Stated.Of("Repository.ByObject").Plus(m.Stated.Times(shards-1, "Repository.ByObject", "each further kind, of each shard")), func(ctx ctx) error {
		return full(w.ByObject(ctx, spread, "pin", page{}))
	})
	m.Costs(func(ctx ctx) error { return full(w.ByUser(ctx, star, "pin", page{})) }, "Repository.ByUser", "a page of 25 of one kind")
	m.AtMost("by user, all kinds", m.Stated.Of("Repository.ByUser").Plus(m.Stated.Times(3, "Repository.ByUser", "each further kind")), func(ctx ctx) error {
		return full(w.ByUser(ctx, star, "", page{}))
	})

	reacted := m.Stated.Of("Repository.Reacted", "the objects").Plus(m.Stated.Times(25, "Repository.Reacted", "each object"))
	m.AtMost("reacted to 25", reacted, func(ctx ctx) error { return failed(w.Reacted(ctx, star, objects[:25])) })
	m.AtMost("reacted to 25, consistent", reacted.Plus(meter.Cost{Read: reacted.Read}), func(ctx ctx) error { return failed(strong.Reacted(ctx, star, objects[:25])) })
	m.Costs(func(ctx ctx) error { return failed(w.Counts(ctx, star)) }, "Repository.Counts", "counts")
	m.Costs(func(ctx ctx) error { return failed(strong.Counts(ctx, star)) }, "Repository.Counts", "with Options.Consistent")
	m.AtMost("counts over shards", m.Stated.Of("Repository.Counts", "of a sharded object").Plus(m.Stated.Times(shards-1, "Repository.Counts", "each further shard")), func(ctx ctx) error {
		return failed(w.Counts(ctx, spread))
	})
	m.Costs(func(ctx ctx) error { return failed(w.VersionedCounts(ctx, star)) }, "Repository.VersionedCounts", "counts")
	versioned := m.Stated.Of("Repository.VersionedCounts", "of a sharded object").Plus(m.Stated.Times(shards-1, "Repository.VersionedCounts", "each further shard"))
	m.AtMost("versioned counts over shards", versioned, func(ctx ctx) error { return failed(w.VersionedCounts(ctx, spread)) })
	m.AtMost("counts of 25", m.Stated.Of("Repository.CountsMany", "the objects").Plus(m.Stated.Times(25, "Repository.CountsMany", "each object")), func(ctx ctx) error {
		return failed(w.CountsMany(ctx, objects[:25]))
	})
	m.AtMost("counts of 2 over shards", m.Stated.Of("Repository.CountsMany", "the objects", "each object", "each object", "each 100 further shards").
		Plus(m.Stated.Times(shards-1, "Repository.CountsMany", "each further shard")), func(ctx ctx) error {
		return failed(w.CountsMany(ctx, []string{star, spread}))
	})
}

// TestRepairsCostNoMoreThanStated damages the reactions of a user to ten objects, and to one
// object by ten users.
func TestRepairsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "../..", "feed/reaction")
	w := newWorld(t, options(2), m.Wrap)
	const n = 10.0
	var last, like reaction.Reaction
	for i := range int(n) {
		w.react(t, fmt.Sprint("fan ", i), "photo", "pin")
		last = w.react(t, "jack", fmt.Sprint("photo ", i), "pin")
	}
	like = w.react(t, "ann", "photo", "like")
	is := func(call func(ctx, string) (reaction.Drift, error), name string, want reaction.Drift) func(ctx) error {
		return func(ctx ctx) error {
			drift, err := call(ctx, name)
			require.Equal(t, want, drift)
			return err
		}
	}
	user := m.Stated.Times(1, "Repository.CheckUser", "each 100 reactions").
		Plus(m.Stated.Times(n, "Repository.CheckUser", "each reaction")).
		Plus(m.Stated.Times(1, "Repository.CheckUser", "each 20 reactions")).
		Plus(m.Stated.Times(n, "Repository.CheckUser", "each reaction in another shard than the first")).
		Plus(m.Stated.Times(float64(len(kinds)), "Repository.CheckUser", "each kind"))
	object := m.Stated.Of("Repository.Check", "each 100 reactions", "each 20 reactions", "the counters").
		Plus(m.Stated.Times(n+1, "Repository.Check", "each reaction")).
		Plus(m.Stated.Times(2*float64(len(kinds)), "Repository.Check", "each kind and shard"))
	m.AtMost("CheckUser", user, is(w.CheckUser, "jack", reaction.Drift{}))
	m.AtMost("Check", object, is(w.Check, "photo", reaction.Drift{}))
	m.AtMost("Repair", object.Plus(m.Stated.Of("Repository.Repair", "the object more")), is(w.Repair, "photo", reaction.Drift{}))

	h := edgetest.NewHand(t, w.table)
	h.Remove(edgetest.Key{"M#jack#pin", last.ID.String()})
	tornUser := user.Plus(m.Stated.Times(n, "Repository.CheckUser", "where one is torn, or of a kind that is not in Options.Kinds, each reaction"))
	m.AtMost("CheckUser of a torn one", tornUser.Plus(m.Stated.Of("Repository.CheckUser", "each torn reaction")), is(w.CheckUser, "jack", reaction.Drift{Torn: 1}))
	m.AtMost("RepairUser of a torn one", tornUser.Plus(m.Stated.Of("Repository.RepairUser", "where one is torn more", "each torn reaction more",
		"where one is put back into an object's list", "each 40 reactions in that list")), is(w.RepairUser, "jack", reaction.Drift{Torn: 1}))
	h.Remove(edgetest.Key{"M#ann#like", like.ID.String()}, edgetest.Key{"U#ann", "photo"})
	m.AtMost("Check of a torn one", object.Plus(m.Stated.Of("Repository.Check", "each torn reaction")),
		is(w.Check, "photo", reaction.Drift{Counts: map[string]int64{"like": 1}, Counters: 1, Orphans: 1}))
	m.AtMost("Repair of a torn one", object.Plus(object).Plus(m.Stated.Of("Repository.Repair", "the object more", "each torn reaction more",
		"each orphan in another shard than the first more", "each wrong counter, and the lists once more")), is(w.Repair, "photo", reaction.Drift{Counts: map[string]int64{"like": 1}, Counters: 1, Orphans: 1}))

	m.AtMost("Erase", user.Plus(m.Stated.Of("Repository.Erase", "the user more")).
		Plus(m.Stated.Times(n, "Repository.Erase", "each reaction")).
		Plus(m.Stated.Times(n, "Repository.Erase", "each object that the user ever reacted to")), func(ctx ctx) error { return w.Erase(ctx, "jack") })
	m.AtMost("Erase of who is erased", m.Stated.Of("Repository.Erase", "a user who is erased", "a user who is erased, each 4 KB of the items that keep IDs").
		Plus(m.Stated.Times(float64(len(kinds)-1), "Repository.Erase", "a user who is erased, each further kind")), func(ctx ctx) error { return w.Erase(ctx, "jack") })
	m.AtMost("EraseObject", object.
		Plus(m.Stated.Of("Repository.EraseObject", "the object more", "each counter", "each counter")).
		Plus(m.Stated.Times(2*float64(len(kinds)), "Repository.EraseObject", "each kind and shard")).
		Plus(m.Stated.Times(n, "Repository.EraseObject", "each reaction")), func(ctx ctx) error { return w.EraseObject(ctx, "photo") })
	m.AtMost("EraseObject of what is erased", m.Stated.Of("Repository.EraseObject", "an object that is erased"), func(ctx ctx) error { return w.EraseObject(ctx, "photo") })
	none := m.Stated.Of("Repository.Check", "the counters").
		Plus(m.Stated.Times(float64(len(kinds)), "Repository.Check", "an object without counters, each kind more"))
	m.AtMost("Check of nothing", none, is(w.Check, "nothing", reaction.Drift{}))
	m.AtMost("EraseObject of nothing", m.Stated.Of("Repository.Check", "the counters").Plus(m.Stated.Of("Repository.EraseObject", "the object more", "each counter")).
		Plus(m.Stated.Times(float64(len(kinds)), "Repository.EraseObject", "an object without counters, each kind more")), func(ctx ctx) error {
		return w.EraseObject(ctx, "nothing")
	})
}
