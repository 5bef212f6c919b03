package feed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// owned returns the owners and ids of activities.
func owned(as []feed.Activity) []feed.CacheKey {
	named := make([]feed.CacheKey, len(as))
	for i, a := range as {
		named[i] = feed.CacheKey{Owner: a.Owner, ID: a.ID}
	}
	return named
}

// walk reads a list to its end, and readUpFrom back to its start.
func walk(t testing.TB, list lister, limit int) (as []feed.Activity, last cursor.Cursor) {
	t.Helper()
	req := cursor.PageRequest{Limit: limit}
	for {
		page := pageOf(t, list, req)
		as = append(as, page.Items...)
		if page.Prev != "" {
			last = page.Prev
		}
		if page.Next == "" {
			return as, last
		}
		require.NotEqual(t, req.Cursor, page.Next, "a page that leads nowhere")
		req.Cursor = page.Next
	}
}

func readUpFrom(t testing.TB, list lister, at cursor.Cursor, limit int) (as []feed.Activity) {
	t.Helper()
	for {
		page := pageOf(t, list, cursor.PageRequest{Cursor: at, Limit: limit})
		as = slices.Concat(page.Items, as)
		if len(page.Items) == 0 && page.Prev == at {
			return as
		}
		at = page.Prev
	}
}

// requireExact reads a home to its end and back, by pages of some sizes.
func requireExact(t testing.TB, list lister, want []feed.CacheKey) {
	t.Helper()
	requireSizes(t, list, want, faults.Some(1, 5, 1, 2))
}

func requireSizes(t testing.TB, list lister, want []feed.CacheKey, limits []int) {
	t.Helper()
	for _, limit := range limits {
		requireWalk(t, list, limit, want)
	}
}

// inHome sorts as a home does: newest first, and by owner if ids are equal.
func inHome(as []feed.Activity) []feed.CacheKey {
	named := owned(as)
	slices.SortFunc(named, func(a, b feed.CacheKey) int {
		return strings.Compare(keys.Join(b.ID.String(), b.Owner, ""), keys.Join(a.ID.String(), a.Owner, ""))
	})
	return named
}

func TestActivitiesWithOneIDDoNotHideEachOther(t *testing.T) {
	t.Parallel()
	for name, opts := range faults.Sample(3, map[string]feed.Options{
		"consistent":   {Consistent: true},
		"cached":       {Cache: memoryCache(t, nil)},
		"with reposts": {About: func(a feed.Activity) feed.Ref { return feed.Ref{ID: a.Owner} }, RepostWindow: 3},
		"filtered":     {Filter: hideVerb("like", new(int))},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &opts)
			w.subscribe(t, "joe", "victim")
			w.subscribe(t, "joe", "evil")
			var done []feed.Activity
			for n := range 3 {
				theirs := w.publish(t, "victim", 1)[0]
				copied := activity("evil", n)
				copied.ID = theirs.ID
				copied = w.send(t, "evil", copied)
				require.Equal(t, "evil", copied.Owner)
				done = append(done, theirs, copied)
			}
			want := inHome(done)
			if opts.About != nil { // the window ends in the middle of an id
				want = inHome(done[:2])
			}
			requireExact(t, w.Home("joe").List, want)
			page := pageOf(t, w.Home("joe").List, cursor.PageRequest{})
			for _, a := range page.Items {
				require.Contains(t, done, a, "each with its own content")
			}
			for _, owner := range []string{"victim", "evil"} {
				found, err := w.Outbox(owner).GetMany(t.Context(), []ids.ID{done[0].ID})
				require.NoError(t, err)
				require.Equal(t, owner, found[done[0].ID].Owner)
				require.Equal(t, owner, found[done[0].ID].Actor.ID)
				got, err := w.Outbox(owner).Get(t.Context(), done[0].ID)
				require.NoError(t, err)
				require.Equal(t, owner, got.Owner)
			}
			if opts.About != nil {
				return
			}

			w.subscribe(t, "late", "evil")
			w.subscribe(t, "late", "victim")
			requireExact(t, w.Home("late").List, want)

			w.unfollow(t, "joe", "evil", nil)
			victims := inHome([]feed.Activity{done[0], done[2], done[4]})
			requireExact(t, w.process(t, nil).Home("joe").List, victims)
			require.NoError(t, w.Erase(t.Context(), "evil"))
			requireExact(t, w.process(t, nil).Home("late").List, victims)
		})
	}
}

// trickyOwners are names of owners that a careless key of a home would mix up.
var trickyOwners = []string{"a", "a#", `a\`, "a$", `a\#`, "a#$"}

func TestSourcesMayShareEveryID(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1}, meter.Wrap)
	for _, source := range trickyOwners {
		w.subscribe(t, "joe", source)
	}
	var done []feed.Activity
	for n := range faults.Size(3, 2) {
		id := w.mint(t)
		for _, source := range trickyOwners {
			a := activity(source, n)
			a.ID = id
			done = append(done, w.send(t, source, a))
		}
	}
	require.Len(t, w.jobs(t), len(done), "no job blocks another")
	deliverAll(t, w)
	requireExact(t, w.Home("joe").List, inHome(done))
	cached := w.process(t, &feed.Options{Cache: memoryCache(t, nil)})
	requireSizes(t, cached.Home("joe").List, inHome(done), faults.Some(1, 5, 1, 2))
	limit := len(done) - 1
	meter.AtMost(t, "a page", dynamotest.Cost{Requests: 2, Read: 3 + float64(limit)}, func() {
		page := pageOf(t, w.Home("joe").List, cursor.PageRequest{Limit: limit})
		require.Equal(t, inHome(done)[:limit], owned(page.Items))
	})

	// Erase and Unfollow affect no other owner's activities.
	require.NoError(t, w.Erase(t.Context(), `a\`))
	w.unfollow(t, "joe", "a#", nil)
	requireExact(t, w.Home("joe").List, inHome(slices.DeleteFunc(done, func(a feed.Activity) bool {
		return a.Owner == `a\` || a.Owner == "a#"
	})))
}

func TestAnIDTakenInAnOutboxOfToIsAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	own := w.publish(t, "birds", 1)[0]
	referred := w.send(t, "ann", addressed("ann", 1, "birds"))
	for name, id := range map[string]ids.ID{"its own activity": own.ID, "another's reference": referred.ID} {
		for _, foreign := range []string{"", "picture"} {
			evil := addressed("evil", 1, "paris", "birds")
			evil.ID, evil.ForeignID = id, foreign
			_, _, err := w.Outbox("evil").Publish(t.Context(), evil)
			require.ErrorIs(t, err, plaza.ErrConflict, name)
			results, err := w.Outbox("evil").PublishMany(t.Context(), []feed.Activity{evil})
			require.ErrorIs(t, err, plaza.ErrConflict, name)
			require.Equal(t, id, results[0].Value.ID)
		}
	}
	require.Empty(t, all(t, w.Outbox("evil").List, 10))
	require.Empty(t, all(t, w.Outbox("paris").List, 10))
	require.Empty(t, w.jobs(t))
	for _, row := range w.rows(t) {
		require.NotEqual(t, "X#evil", row.PK, "nothing is stored")
	}
	require.Equal(t, []ids.ID{referred.ID, own.ID}, all(t, w.Outbox("birds").List, 10))

	// The outbox's own owner, also once the other activity is removed and forgotten.
	late := activity("birds", 1)
	late.ID = referred.ID
	for when, happens := range []func(){
		func() {},
		func() {
			w.remove(t, "ann", referred.ID)
		},
		func() { w.expire(t, "O#ann", referred.ID.String()) },
	} {
		happens()
		_, _, err := w.Outbox("birds").Publish(t.Context(), late)
		require.ErrorIs(t, err, plaza.ErrConflict, when)
		_, err = w.Outbox("birds").PublishMany(t.Context(), []feed.Activity{late})
		require.ErrorIs(t, err, plaza.ErrConflict, when)
	}
}

// After an Erase, entries of the owner's followers remain. Their key may now be
// a reference: another owner addressed an activity with the same id to the
// erased one.
func TestAReferenceToAnotherActivityIsNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "joe", "chris")
	foreign := addressed("chris", 1, "birds")
	foreign.ForeignID = "picture"
	a := w.send(t, "chris", foreign)
	w.expire(t, "O#chris", a.ID.String())
	evil := addressed("evil", 1, "chris")
	evil.ID = a.ID
	evil = w.send(t, "evil", evil)

	want := owned([]feed.Activity{evil})
	for name, list := range map[string]lister{"home": w.Home("joe").List, "outbox": w.Outbox("chris").List} {
		page := pageOf(t, list, cursor.PageRequest{})
		require.Equal(t, want, owned(page.Items), name)
	}
	require.Empty(t, all(t, w.Outbox("birds").List, 10))
	_, err := w.Outbox("birds").Get(t.Context(), a.ID)
	require.ErrorIs(t, err, plaza.ErrNotFound)

	// Nor does it hold a foreign id.
	for _, want := range []bool{true, false} {
		again, created, err := w.Outbox("chris").Publish(t.Context(), foreign)
		require.NoError(t, err)
		require.Equal(t, want, created)
		require.Equal(t, "chris", again.Owner)
	}

	// Erase deletes only the user's own references.
	back := w.send(t, "evil", addressed("evil", 2, "paris"))
	w.expire(t, "O#paris", back.ID.String())
	theirs := activity("paris", 1)
	theirs.ID = back.ID
	w.send(t, "paris", theirs)
	require.NoError(t, w.Erase(t.Context(), "evil"))
	require.Equal(t, []ids.ID{back.ID}, all(t, w.Outbox("paris").List, 10))
}

// A reference outlives its activity if the activity expired, or an Erase was
// interrupted.
func TestALeftoverReferenceIsNotAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.send(t, "chris", addressed("chris", 1, "birds"))
	w.expire(t, "O#chris", a.ID.String())
	require.Equal(t, a, w.send(t, "chris", a))
	require.Equal(t, []ids.ID{a.ID}, all(t, w.Outbox("birds").List, 10))
}

func TestAnInvalidGapOfAHomeIsRefused(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	id := ids.ID(1 << 40).String()
	forge := func(gap string) error {
		forged := cursor.Plain().Encode(cursor.Scope{List: "feed/home", Partition: "joe"}, []byte("d"+gap))
		_, err := w.Home("joe").List(t.Context(), cursor.PageRequest{Cursor: forged})
		return err
	}
	for _, gap := range []string{
		id, id + "#a#", id + "#a$", id + "#a#" + id, id + "#a#" + id + "\x00",
		id + `#a\##`, id + `#a\\$`, id + "#$$", id + "#$#",
	} {
		require.NoError(t, forge(gap), "%q", gap)
	}
	meter.Take()
	for _, gap := range []string{
		"~", "9", "x", id[1:], id + "#", id + "$", id + "##", id + "#$", id + "#a", id + `#a\#`, id + `#a\$`, id + `#a\`,
		id + `#\a#`, id + "#a#b#", id + "#a#b$", id + "#a#$", id + "#a#" + id + "#", id + "#a#" + id + "$",
		id + "#a#" + id + "\x00\x00", id + "#a#" + id[1:], id + "#" + strings.Repeat("x", 257) + "#", id + "#\xff#",
		"o" + id[1:] + "#a#", strings.Repeat("0", 13), strings.Repeat("0", 13) + "#a#", id + "#a#\x00",
	} {
		require.ErrorIs(t, forge(gap), cursor.ErrInvalid, "%q", gap)
	}
	require.Zero(t, meter.Take().Requests)
}
