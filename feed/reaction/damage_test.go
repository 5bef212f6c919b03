package reaction_test

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
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// junk is a value of any type, often one that nearly fits.
func junk(random *rand.Rand) types.AttributeValue {
	text := func() string {
		return []string{
			"", "x", "-1", "0", "63", "64", "1000000000", "0000000000000", "7ZZZZZZZZZZZZ", "8000000000000",
			"32SBCWQRR0001", "ann", "photo", strings.Repeat("x", 257), strings.Repeat("#", 1500), "\x00", "999999999999999999999999",
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
	opts := options(2)
	opts.OnCorrupt = func(*plaza.CorruptError) {
		mu.Lock()
		defer mu.Unlock()
		reported++
	}
	w := newWorld(t, opts)
	users, objects := []string{"ann", "bob"}, []string{"photo", "film"}
	var all []reaction.Reaction
	for i, user := range users {
		for j, object := range objects {
			all = append(all, w.react(t, user, object, kinds[(i+j)%3]), w.react(t, user, object, "pin"))
		}
	}
	_, err := w.Unreact(t.Context(), all[0])
	require.NoError(t, err)
	w.react(t, all[2].User, all[2].Object, "haha")
	corrupt(t, dynamotest.DB(t).Table(w.table), random, []string{
		"id#like", "shard#like", "ended#like", "id#pin", "shard#pin", "ended#pin", "id#odd", "id#", "id", "ttl",
		"user", "object", "count#like", "count#pin", "count#odd", "count#" + strings.Repeat("x", 300), "ver", "shards", "other",
	})
	lists := func(name string, list lister) {
		for _, kind := range []string{"", "like", "pin"} {
			for _, limit := range []int{1, 3} {
				req := cursor.PageRequest{Limit: limit}
				for pages := 0; ; pages++ {
					require.Less(t, pages, 20, "%q of %q", kind, name)
					page, err := list(t.Context(), name, kind, req)
					require.NoError(t, err, "%q of %q", kind, name)
					if req.Cursor = page.Next; req.Cursor == "" {
						break
					}
				}
			}
		}
	}
	for _, user := range users {
		lists(user, w.ByUser)
		_, err := w.Reacted(t.Context(), user, objects)
		require.NoError(t, err)
		_, err = w.CheckUser(t.Context(), user)
		onlyDamage(t, "CheckUser", err)
	}
	for _, object := range objects {
		lists(object, w.ByObject)
		_, err := w.Counts(t.Context(), object)
		onlyDamage(t, "Counts", err)
		_, err = w.Check(t.Context(), object)
		onlyDamage(t, "Check", err)
	}
	_, err = w.CountsMany(t.Context(), objects)
	require.NoError(t, err)
	for _, a := range all {
		_, err := w.Get(t.Context(), a)
		onlyDamage(t, "Get", err, plaza.ErrNotFound)
		if seed%3 > 0 {
			continue
		}
		_, _, err = w.React(t.Context(), reaction.Reaction{User: a.User, Object: a.Object, Kind: a.Kind})
		onlyDamage(t, "React", err, plaza.ErrConflict, plaza.ErrBusy)
		_, err = w.Unreact(t.Context(), reaction.Reaction{User: a.User, Object: a.Object, Kind: a.Kind})
		onlyDamage(t, "Unreact", err)
	}

	// What is torn is mended once the other's counter is.
	var sides []side
	for _, user := range users {
		sides = append(sides, side{user, w.CheckUser, w.RepairUser})
	}
	for _, object := range objects {
		sides = append(sides, side{object, w.Check, w.Repair})
	}
	for range 3 {
		for _, s := range sides {
			_, err := s.repair(t.Context(), s.name)
			onlyDamage(t, "Repair", err)
		}
	}
	requireSound(t, sides...)
	reported = 0
	left := reactions{}
	for _, user := range users {
		for _, a := range read(t, w.ByUser, user, "", 7) {
			left[placeOf(a)] = a.ID
		}
	}
	w.holds(t, left, users, objects)
	require.Zero(t, reported)
	for _, user := range users {
		require.NoError(t, w.Erase(t.Context(), user))
	}
	w.holds(t, reactions{}, users, objects)
}

// TestManyDamagedRowsDoNotStopAList has more of them than a page reads, in one
// of the lists that are merged.
func TestManyDamagedRowsDoNotStopAList(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, options(1), in.Wrap)
	all := w.crowd(t, "star", 8, "like", "pin")
	want := standing(all...).list(func(place) bool { return true })
	batch := dynamotest.DB(t).Table(w.table).Batch("pk", "sk").Write()
	for i := range 100 {
		for _, sk := range []string{
			fmt.Sprintf("zzz%03d", i), fmt.Sprintf("%v%03d", all[2].ID, i), (all[3].ID + 1 + ids.ID(i)).String(), fmt.Sprintf("!%03d", i),
		} {
			batch = batch.Put(map[string]any{"pk": "L#star#like#0", "sk": sk, "user": i})
		}
	}
	_, err := batch.Run(t.Context())
	require.NoError(t, err)
	for _, limit := range []int{3, 25} {
		var got []bare
		req := cursor.PageRequest{Limit: limit}
		for pages := 0; ; pages++ {
			require.Less(t, pages, 200, "by %d", limit)
			before := in.Requests()
			page, err := w.ByObject(t.Context(), "star", "", req)
			require.NoError(t, err)
			require.LessOrEqual(t, in.Requests()-before, 6*(1+len(kinds)), "by %d", limit)
			got = append(got, see(page.Items...)...)
			if req.Cursor = page.Next; req.Cursor == "" {
				break
			}
		}
		require.Equal(t, want, got, "by %d", limit)
	}
	drift, err := w.Repair(t.Context(), "star")
	require.NoError(t, err)
	require.Equal(t, reaction.Drift{Damaged: 400}, drift)
	requireStored(t, w, standing(all...))
}

// TestAGuardWhoseVersionIsDamaged refuses to be written until it is repaired.
func TestAGuardWhoseVersionIsDamaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	pin := w.react(t, "jack", "photo", "pin")
	h := hand{t: t, table: dynamotest.DB(t).Table(w.table)}
	h.set([2]string{"U#jack", "photo"}, "ver", "x")
	_, _, err := w.React(t.Context(), of("like", 0))
	onlyDamage(t, "React", err)
	require.Error(t, err)
	drift, err := w.RepairUser(t.Context(), "jack")
	require.NoError(t, err)
	require.Equal(t, reaction.Drift{Damaged: 1}, drift)
	drift, err = w.RepairUser(t.Context(), "jack")
	require.NoError(t, err)
	require.Zero(t, drift)
	requireStored(t, w, standing(pin, w.react(t, "jack", "photo", "like")))
}

// TestADamagedCounterIsMendedBeforeWhatItCounts is of a reaction that is torn
// where the counter cannot be read: the object comes first.
func TestADamagedCounterIsMendedBeforeWhatItCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options(1))
	pin := w.react(t, "jack", "photo", "pin")
	h := hand{t: t, table: dynamotest.DB(t).Table(w.table)}
	h.remove([2]string{"L#photo#pin#0", pin.ID.String()})
	h.set([2]string{"C#photo#0", "C"}, "ver", 1.5)
	_, err := w.RepairUser(t.Context(), "jack")
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	_, err = w.Repair(t.Context(), "photo")
	require.NoError(t, err)
	_, err = w.RepairUser(t.Context(), "jack")
	require.NoError(t, err)
	requireStored(t, w, standing(pin))
	requireSound(t, side{"jack", w.CheckUser, w.RepairUser}, side{"photo", w.Check, w.Repair})
}

// TestWhereShardsCannotBeReadAllAre damages the set that names them.
func TestWhereShardsCannotBeReadAllAre(t *testing.T) {
	t.Parallel()
	for _, shards := range []any{[]int{-1}, []int{1_000_000_000}, []int{0, 3}, []string{"3"}} {
		w := newWorld(t, options(8))
		all := w.crowd(t, "photo", 12, "pin")
		table := dynamotest.DB(t).Table(w.table)
		require.NoError(t, table.Update("pk", "C#photo#0").Range("sk", "C").SetSet("shards", shards).Run(t.Context()))
		_, err := w.Counts(t.Context(), "photo")
		onlyDamage(t, "Counts", err)
		require.Error(t, err)
		many, err := w.CountsMany(t.Context(), []string{"photo", "film"})
		require.NoError(t, err)
		require.NotContains(t, many, "photo")
		require.Len(t, many, 1)
		require.Equal(t, standing(all...).list(func(place) bool { return true }), see(read(t, w.ByObject, "photo", "pin", 25)...))
		drift, err := w.Repair(t.Context(), "photo")
		require.NoError(t, err)
		require.Equal(t, reaction.Drift{Damaged: 1, Counters: 1}, drift)
		requireStored(t, w, standing(all...))
	}
}
