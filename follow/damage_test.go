package follow_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// junk is a value of any type, often one that nearly fits.
func junk(random *rand.Rand) types.AttributeValue {
	text := func() string {
		return []string{
			"", "x", "-1", "0", "63", "64", "1000000000", "0000000000000", "7ZZZZZZZZZZZZ", "8000000000000",
			"32SBCWQRR0001", "ann", "bob", strings.Repeat("x", 257), strings.Repeat("#", 1500), "\x00", "999999999999999999999999",
		}[random.IntN(17)]
	}
	number := func() string {
		return []string{"0", "-1", "1", "7", "63", "64", "1000000000", "1.5", "9007199254740993", "99999999999999999999999999999999999999", "1E125"}[random.IntN(11)]
	}
	switch random.IntN(10) {
	case 0, 1, 2:
		return &types.AttributeValueMemberS{Value: text()}
	case 3, 4:
		return &types.AttributeValueMemberN{Value: number()}
	case 5:
		return &types.AttributeValueMemberB{Value: []byte(text())}
	case 6:
		return &types.AttributeValueMemberBOOL{Value: true}
	case 7:
		return &types.AttributeValueMemberNS{Value: []string{number()}}
	case 8:
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: text()}}}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

// corrupt damages a few of a table's items, and puts others beside them.
func corrupt(t *testing.T, table dynamo.Table, random *rand.Rand, attributes []string) {
	t.Helper()
	var items []dynamo.Item
	require.NoError(t, table.Scan().All(t.Context(), &items))
	slices.SortFunc(items, func(a, b dynamo.Item) int { return strings.Compare(keyText(a), keyText(b)) })
	for range 1 + random.IntN(4) {
		item := items[random.IntN(len(items))]
		if random.IntN(5) == 0 { // in the same partition
			key := []string{"zzz", "!", "-1", "64", "32SBCWQRR0001x", "0000000000000", "7ZZZZZZZZZZZZ", strings.Repeat("y", 300)}[random.IntN(8)]
			item = dynamo.Item{"pk": item["pk"], "sk": &types.AttributeValueMemberS{Value: key}}
		}
		name := attributes[random.IntN(len(attributes))]
		if random.IntN(3) > 0 {
			var own []string
			for attribute := range item {
				if attribute != "pk" && attribute != "sk" {
					own = append(own, attribute)
				}
			}
			if slices.Sort(own); len(own) > 0 {
				name = own[random.IntN(len(own))]
			}
		}
		if random.IntN(6) == 0 {
			delete(item, name)
		} else {
			item[name] = junk(random)
		}
		require.NoError(t, table.Put(item).Run(t.Context()))
	}
}

func keyText(item dynamo.Item) string {
	return item["pk"].(*types.AttributeValueMemberS).Value + " " + item["sk"].(*types.AttributeValueMemberS).Value
}

// onlyDamage fails where an error is of another class.
func onlyDamage(t *testing.T, what string, err error, or ...error) {
	t.Helper()
	for _, other := range or {
		if errors.Is(err, other) {
			return
		}
	}
	if err != nil {
		require.ErrorIs(t, err, plaza.ErrCorrupt, what)
		require.NotErrorIs(t, err, plaza.ErrInvalid, what)
		var corrupt *plaza.CorruptError
		require.ErrorAs(t, err, &corrupt, what)
		require.NotEmpty(t, corrupt.Table+corrupt.PK+corrupt.Reason, what)
	}
}

func TestRandomDamageFailsNoListAndIsMended(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			damageAndMend(t, seed)
		})
	}
}

func FuzzDamage(f *testing.F) {
	f.Add(uint64(1000))
	f.Fuzz(damageAndMend)
}

func damageAndMend(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 5))
	var mu sync.Mutex
	reported := 0
	opts := sharded(2)
	opts.OnCorrupt = func(e *plaza.CorruptError) {
		mu.Lock()
		defer mu.Unlock()
		reported++
	}
	w := newWorld(t, opts)
	users := []string{"ann", "bob", "cat"}
	var edges []follow.Edge
	for i, follower := range users {
		edges = append(edges, w.follow(t, follower, users[(i+1)%3]), w.follow(t, follower, users[(i+2)%3]))
	}
	_, err := w.Unfollow(t.Context(), edges[0])
	require.NoError(t, err)
	corrupt(t, dynamotest.DB(t).Table(w.table), random, []string{
		"id", "shard", "ended", "ttl", "import", "followee", "follower", "followers", "following", "ver", "shards", "other",
	})

	for _, user := range users {
		for name, list := range map[string]lister{"followers": w.Followers, "following": w.Following, "walk": w.Walk} {
			for _, limit := range []int{1, 3} {
				req := cursor.PageRequest{Limit: limit}
				for pages := 0; ; pages++ {
					require.Less(t, pages, 20, "%s of %q", name, user)
					page, err := list(t.Context(), user, req)
					require.NoError(t, err, "%s of %q", name, user)
					if req.Cursor = page.Next; req.Cursor == "" {
						break
					}
				}
			}
		}
		_, err := w.Counts(t.Context(), user)
		onlyDamage(t, "Counts", err)
		_, err = w.Relations(t.Context(), user, users)
		require.NoError(t, err)
		_, err = w.Check(t.Context(), user)
		onlyDamage(t, "Check", err)
	}
	_, err = w.CountsMany(t.Context(), users)
	require.NoError(t, err)
	for _, e := range edges {
		_, err := w.Get(t.Context(), e)
		onlyDamage(t, "Get", err, plaza.ErrNotFound)
		_, _, err = w.Last(t.Context(), e)
		onlyDamage(t, "Last", err, plaza.ErrNotFound)
		if seed%3 > 0 {
			continue
		}
		_, _, err = w.Follow(t.Context(), follow.Edge{Follower: e.Follower, Followee: e.Followee})
		onlyDamage(t, "Follow", err, plaza.ErrConflict, plaza.ErrBusy)
		_, err = w.Unfollow(t.Context(), follow.Edge{Follower: e.Follower, Followee: e.Followee})
		onlyDamage(t, "Unfollow", err)
	}
	_, err = w.Import(t.Context(), "old", sequence(edges), nil)
	onlyDamage(t, "Import", err, plaza.ErrConflict)

	// A user whose edge is torn is mended once the other's counter is.
	for range 3 {
		for _, user := range users {
			_, err := w.Repair(t.Context(), user)
			onlyDamage(t, "Repair", err)
		}
	}
	for _, user := range users {
		drift, err := w.Check(t.Context(), user)
		require.NoError(t, err)
		require.Zero(t, drift, "Check of %q", user)
	}
	reported = 0
	w.reads(t, users...)
	require.Zero(t, reported)
	for _, user := range users {
		require.NoError(t, w.Erase(t.Context(), user))
	}
	w.holds(t, graph{}, users...)
}

// reads fails where anything cannot be read, or counts are not lists.
func (w world) reads(t *testing.T, users ...string) {
	t.Helper()
	g := graph{}
	for _, user := range users {
		for _, e := range all(t, w.Following, user, 7) {
			g[pair{e.Follower, e.Followee}] = e.ID
		}
	}
	for p := range g {
		if !slices.Contains(users, p.followee) {
			t.Fatalf("%v is nobody's", p)
		}
	}
	w.holds(t, g, users...)
}

// TestManyDamagedRowsDoNotStopALister has more of them than a page reads.
func TestManyDamagedRowsDoNotStopALister(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, sharded(1), in.Wrap)
	edges := w.fans(t, "star", 6)
	var want []bare
	for _, e := range slices.Backward(edges) {
		want = append(want, see(e))
	}
	table := dynamotest.DB(t).Table(w.table)
	batch := table.Batch("pk", "sk").Write()
	put := func(sk string, tail any) {
		batch = batch.Put(map[string]any{"pk": "R#star#0", "sk": sk, "follower": tail})
	}
	for i := range 150 {
		put(fmt.Sprintf("zzz%03d", i), "x")
		put(fmt.Sprintf("%v%03d", edges[2].ID, i), "x")
		put((edges[3].ID + 1 + ids.ID(i)).String(), i)
		put(fmt.Sprintf("!%03d", i), "x")
	}
	_, err := batch.Run(t.Context())
	require.NoError(t, err)
	for name, list := range map[string]lister{"Followers": w.Followers, "Walk": w.Walk} {
		for _, limit := range []int{1, 25} {
			var got []bare
			req := cursor.PageRequest{Limit: limit}
			for pages := 0; ; pages++ {
				require.Less(t, pages, 400, "%s by %d", name, limit)
				before := in.Requests()
				page, err := list(t.Context(), "star", req)
				require.NoError(t, err)
				require.LessOrEqual(t, in.Requests()-before, 70, "%s by %d", name, limit)
				if name == "Followers" {
					require.LessOrEqual(t, in.Requests()-before, 6*2)
				}
				got = append(got, seeAll(page.Items)...)
				if req.Cursor = page.Next; req.Cursor == "" {
					break
				}
			}
			require.Equal(t, want, got, "%s by %d", name, limit)
		}
	}
	// And back.
	page, err := w.Followers(t.Context(), "star", cursor.PageRequest{Limit: 3})
	require.NoError(t, err)
	var up []bare
	for req := page.Prev; ; {
		page, err := w.Followers(t.Context(), "star", cursor.PageRequest{Cursor: req, Limit: 3})
		require.NoError(t, err)
		up = append(up, seeAll(page.Items)...)
		if page.Prev == "" || page.Prev == req {
			break
		}
		req = page.Prev
	}
	require.Empty(t, up)
	drift, err := w.Repair(t.Context(), "star")
	require.NoError(t, err)
	require.Equal(t, follow.Drift{Damaged: 600}, drift)
	requireStored(t, w, edges)
}

// TestWhatIsDamagedIsSaid damages one item of ann's follow of bob at a time.
func TestWhatIsDamagedIsSaid(t *testing.T) {
	t.Parallel()
	guard, row, counter := [2]string{"E#ann", "bob"}, "F#ann", [2]string{"C#bob", "0"}
	for name, c := range map[string]struct {
		do         func(h hand)
		unreadable bool // the edge
		uncounted  bool // bob
		unlisted   int  // of ann's following
		ann, bob   follow.Drift
	}{
		"an id of another type": {do: func(h hand) { h.set(guard, "id", 5) }, unreadable: true,
			ann: follow.Drift{Damaged: 1, Torn: 1}, bob: follow.Drift{Torn: 1}},
		"an id that is none": {do: func(h hand) { h.set(guard, "id", "0000000000000") }, unreadable: true,
			ann: follow.Drift{Damaged: 1, Torn: 1}, bob: follow.Drift{Torn: 1}},
		"a shard that is none": {do: func(h hand) { h.set(guard, "shard", 1_000_000_000) }, unreadable: true,
			ann: follow.Drift{Damaged: 1, Torn: 1}, bob: follow.Drift{Torn: 1}},
		"a negative shard": {do: func(h hand) { h.set(guard, "shard", -1) }, unreadable: true,
			ann: follow.Drift{Damaged: 1, Torn: 1}, bob: follow.Drift{Torn: 1}},
		"an expiry beside an edge": {do: func(h hand) { h.set(guard, "ttl", 5) }, ann: follow.Drift{Damaged: 1}},
		"no name in the list": {do: func(h hand) { h.set([2]string{row, h.id}, "followee", true) }, unlisted: 1,
			ann: follow.Drift{Damaged: 1, Torn: 1}},
		"a key that is the zero id": {do: func(h hand) { h.set([2]string{row, "0000000000000"}, "followee", "bob") },
			ann: follow.Drift{Damaged: 1}},
		"a key that is none": {do: func(h hand) { h.set([2]string{row, "zzz"}, "followee", "bob") },
			ann: follow.Drift{Damaged: 1}},
		"a count of another type": {do: func(h hand) { h.set(counter, "followers", "many") }, uncounted: true,
			bob: follow.Drift{Damaged: 1, Followers: -1, Counters: 1}},
		"a count that is a fraction": {do: func(h hand) { h.set(counter, "followers", 1.5) }, uncounted: true,
			bob: follow.Drift{Damaged: 1, Followers: -1, Counters: 1}},
		"a version of another type": {do: func(h hand) { h.set(counter, "ver", "x") }, uncounted: true,
			bob: follow.Drift{Damaged: 1}},
		"a shard that readers cannot read": {do: func(h hand) { h.set(counter, "shards", []int{-1}) }, uncounted: true,
			bob: follow.Drift{Damaged: 1}},
		"another item among the counters": {do: func(h hand) { h.set([2]string{"C#bob", "1000000000"}, "followers", 1) }, uncounted: true,
			bob: follow.Drift{Damaged: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reported := map[string]bool{}
			w := newWorld(t, &follow.Options{Consistent: true, OnCorrupt: func(e *plaza.CorruptError) { reported[e.PK] = true }})
			edge := w.follow(t, "ann", "bob")
			others := []follow.Edge{w.follow(t, "ann", "cat"), w.follow(t, "bob", "ann")}
			c.do(hand{t, dynamotest.DB(t).Table(w.table), edge.ID.String(), "0"})

			_, err := w.Get(t.Context(), edge)
			relations, reachable := w.Relations(t.Context(), "ann", []string{"bob"})
			require.NoError(t, reachable)
			if c.unreadable {
				require.ErrorIs(t, err, plaza.ErrCorrupt)
				_, _, err = w.Follow(t.Context(), follow.Edge{Follower: "ann", Followee: "bob"})
				require.ErrorIs(t, err, plaza.ErrCorrupt)
				_, err = w.Unfollow(t.Context(), follow.Edge{Follower: "ann", Followee: "bob"})
				require.ErrorIs(t, err, plaza.ErrCorrupt)
				require.True(t, reported["E#ann"])
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, follow.Relation{Follows: !c.unreadable, FollowedBy: true}, relations["bob"])
			_, err = w.Counts(t.Context(), "bob")
			many, reachable := w.CountsMany(t.Context(), []string{"ann", "bob"})
			require.NoError(t, reachable)
			require.Equal(t, follow.Counts{Followers: 1, Following: 2}, many["ann"])
			if c.uncounted {
				require.ErrorIs(t, err, plaza.ErrCorrupt)
				_, there := many["bob"]
				require.Equal(t, name == "another item among the counters", there, "CountsMany reads by key")
			} else {
				require.NoError(t, err)
				require.Equal(t, follow.Counts{Followers: 1, Following: 1}, many["bob"])
			}
			require.Len(t, all(t, w.Following, "ann", 1), 2-c.unlisted)
			require.Len(t, all(t, w.Followers, "bob", 1), 1)
			require.Len(t, all(t, w.Walk, "bob", 1), 1)

			for user, want := range map[string]follow.Drift{"ann": c.ann, "bob": c.bob} {
				drift, err := w.Check(t.Context(), user)
				require.NoError(t, err)
				require.Equal(t, want, drift, "Check of %q", user)
			}
			for _, user := range []string{"ann", "bob"} {
				_, err := w.Repair(t.Context(), user)
				require.NoError(t, err)
			}
			requireSound(t, w, "ann", "bob", "cat")
			requireStored(t, w, append(others, edge))
		})
	}
}

// TestRepairRestoresNothingThatHasEnded finds both places in the lists of an
// edge whose guard says that it has ended.
func TestRepairRestoresNothingThatHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	edge := w.follow(t, "ann", "bob")
	w.undo(t, edge, true)
	h := hand{t: t, table: dynamotest.DB(t).Table(w.table)}
	h.set([2]string{"F#ann", edge.ID.String()}, "followee", "bob")
	h.set([2]string{"R#bob#0", edge.ID.String()}, "follower", "ann")
	for _, user := range []string{"ann", "bob"} {
		drift, err := w.Repair(t.Context(), user)
		require.NoError(t, err)
		require.Equal(t, follow.Drift{Orphans: 1}, drift)
	}
	requireStored(t, w, nil)
	requireSound(t, w, "ann", "bob")
}
