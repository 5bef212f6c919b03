package feed_test

import (
	"errors"
	"fmt"
	"maps"
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
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// reported collects the keys of items passed to Options.OnCorrupt.
type reported struct {
	mu   sync.Mutex
	keys []string
}

func (r *reported) add(e *plaza.CorruptError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = append(r.keys, e.PK+" / "+e.SK)
}

func (r *reported) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.keys = nil }()
	return r.keys
}

// damage replaces attributes of an item; nil removes one.
func (w world) damage(t testing.TB, pk, sk string, attributes dynamo.Item) {
	t.Helper()
	table := dynamotest.DB(t).Table(w.feedTable)
	var item dynamo.Item
	require.NoError(t, table.Get("pk", pk).Range("sk", dynamo.Equal, sk).Consistent(true).One(t.Context(), &item), "%s / %s", pk, sk)
	maps.Copy(item, attributes)
	maps.DeleteFunc(item, func(_ string, v types.AttributeValue) bool { return v == nil })
	require.NoError(t, table.Put(item).Run(t.Context()))
}

func text(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

func TestADamagedItemIsLeftOutAndReported(t *testing.T) {
	t.Parallel()
	var corrupt reported
	w := newWorld(t, &feed.Options{Consistent: true, OnCorrupt: corrupt.add})
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "ann", "birds")
	as := w.publishMany(t, "chris", activities("chris", 5)...)
	deliverAll(t, w)
	edge, err := w.follows.Get(t.Context(), followEdge("jack", "chris"))
	require.NoError(t, err)
	left := []ids.ID{as[4].ID, as[2].ID, as[0].ID}
	w.damage(t, "O#chris", as[1].ID.String(), dynamo.Item{"verb": number("1")})
	entrySK := fmt.Sprintf("%v#chris#%v", as[3].ID, edge.ID)
	w.damage(t, "H#jack", entrySK, dynamo.Item{"ttl": nil})

	damaged := "O#chris / " + as[1].ID.String()
	require.Equal(t, left, all(t, w.Home("jack").List, 2))
	got := corrupt.take()
	require.Contains(t, got, damaged)
	require.Contains(t, got, "H#jack / "+entrySK)
	require.Equal(t, []ids.ID{as[4].ID, as[3].ID, as[2].ID, as[0].ID}, all(t, w.Outbox("chris").List, 2))
	require.Contains(t, corrupt.take(), damaged)
	w.damage(t, "O#birds", as[0].ID.String(), dynamo.Item{"owner": text(strings.Repeat("x", 3_000))})
	require.Equal(t, []ids.ID{as[4].ID}, all(t, w.Outbox("birds").List, 2))
	require.Contains(t, corrupt.take(), "O#birds / "+as[0].ID.String())
	many, err := w.Outbox("chris").GetMany(t.Context(), newestFirst(as))
	require.NoError(t, err)
	require.Len(t, many, 4)
	require.Contains(t, corrupt.take(), damaged)

	_, err = w.Outbox("chris").Get(t.Context(), as[1].ID)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	_, err = w.Outbox("birds").Get(t.Context(), as[0].ID)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	cached := w.process(t, &feed.Options{Cache: memoryCache(t, nil)})
	require.Equal(t, left, all(t, cached.Home("jack").List, 2))

	// An edit replaces the damaged activity, and Erase deletes one.
	_, _, err = w.Outbox("chris").Update(t.Context(), as[1])
	require.NoError(t, err)
	require.Equal(t, newestFirst(as), all(t, w.Outbox("chris").List, 2))
	w.damage(t, "O#chris", as[2].ID.String(), dynamo.Item{"to": number("1")})
	w.expire(t, "H#jack", entrySK)
	require.NoError(t, w.Erase(t.Context(), "chris"))
	requireErased(t, w)
}

func TestADamagedJobDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	var corrupt reported
	w := newWorld(t, &feed.Options{Consistent: true, JobShards: 1, InlineFollowers: -1, OnCorrupt: corrupt.add})
	w.subscribe(t, "jack", "chris")
	as := w.publishMany(t, "chris", activities("chris", 4)...)
	for i, attributes := range []dynamo.Item{{"at": number("-1")}, {"to": text("x")}, {"to": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("")}}}} {
		w.damage(t, "J#0", as[i].ID.String()+"#chris", attributes)
	}
	for range 2 {
		later := w.process(t, &feed.Options{Consistent: true, OnCorrupt: corrupt.add})
		later.deliver(t)
		require.Equal(t, []ids.ID{as[3].ID}, all(t, w.Home("jack").List, 10))
		require.Len(t, w.jobs(t), 3, "damaged jobs stay")
		require.Subset(t, corrupt.take(), []string{"J#0 / " + as[0].ID.String() + "#chris", "J#0 / " + as[2].ID.String() + "#chris"})
	}

	// A job beyond its sources ends.
	w.send(t, "chris", activity("chris", 8))
	w.damage(t, "J#0", w.jobs(t)[3].SK, dynamo.Item{"at": number("9")})
	require.Equal(t, 1, w.deliver(t))
	require.Len(t, w.jobs(t), 3)

	// The item that holds the number of job shards may be damaged too.
	for _, n := range faults.Some[types.AttributeValue](1, number("1000000000"), nil, text("x"), number("-1")) {
		a := w.send(t, "chris", activity("chris", 9))
		w.damage(t, "J", "shards", dynamo.Item{"n": n})
		require.Equal(t, 1, w.deliver(t))
		require.Contains(t, all(t, w.Home("jack").List, 10), a.ID)
		require.Contains(t, corrupt.take(), "J / shards")
	}
}

func TestADamagedSwitchStaysAndIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, JobShards: 1})
	w.subscribe(t, "jack", "chris")
	at := w.setPulled(t, "chris", true)
	id := at.String()
	var damaged []string
	for sk, attributes := range map[string]map[string]any{
		id + "#dora":          {"switch": true},
		id + "#dora#switch":   {},
		id + "#emma#switch":   {"switch": "yes"},
		id + "#fred#swap":     {"switch": true},
		id + "#gina#switch#":  {"switch": true},
		id + "#hugo#":         {"switch": true},
		"x#ian#switch":        {"switch": true},
		id + "##switch":       {"switch": true},
		id + `#\j#switch`:     {"switch": true},
		id + "#kate#switch":   {"switch": true, "at": -1},
		id + "#liam#switch":   {"switch": true, "told": "x"},
		id + "#mary#switch":   {"switch": true, "cursor": 1},
		id + "#chris#switch#": {"switch": true},
	} {
		attributes["pk"], attributes["sk"] = "J#0", sk
		require.NoError(t, w.db.Table(w.feedTable).Put(attributes).Run(t.Context()))
		damaged = append(damaged, "J#0 / "+sk)
	}
	for range 2 {
		var corrupt reported
		_, err := w.process(t, &feed.Options{OnCorrupt: corrupt.add}).Deliver(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, damaged, corrupt.take())
		require.Len(t, w.jobs(t), len(damaged))
		require.Equal(t, sourceMode{feed.Pulled, at}, w.storedMode(t, "chris"), "it holds up no other")
	}
}

func TestADamagedEndingHidesItsSource(t *testing.T) {
	t.Parallel()
	var corrupt reported
	w := newWorld(t, &feed.Options{Consistent: true, OnCorrupt: corrupt.add})
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "jack", "ann")
	w.publish(t, "chris", 2)
	anns := w.publish(t, "ann", 2)
	w.unfollow(t, "jack", "chris", nil)
	for _, damaged := range faults.Some[types.AttributeValue](2,
		text("x"), &types.AttributeValueMemberM{Value: dynamo.Item{"edge": text("zzz"), "unfollow": text("")}},
		number("1"), &types.AttributeValueMemberM{},
	) {
		w.damage(t, "H#jack", "~", dynamo.Item{"end#chris": damaged})
		require.Equal(t, newestFirst(anns), all(t, w.Home("jack").List, 10))
		require.Contains(t, corrupt.take(), "H#jack / ~")

		// Another Unfollow repairs the ending.
		w.subscribe(t, "jack", "chris")
		w.unfollow(t, "jack", "chris", nil)
		corrupt.take()
		w.subscribe(t, "jack", "chris")
		require.Len(t, all(t, w.Home("jack").List, 10), 4)
		require.Empty(t, corrupt.take())
		w.unfollow(t, "jack", "chris", nil)
	}

	// So does Follow, which also reads the ending.
	w.subscribe(t, "jack", "chris")
	w.damage(t, "H#jack", "~", dynamo.Item{"end#chris": text("x")})
	w.subscribe(t, "jack", "chris")
	require.Len(t, all(t, w.Home("jack").List, 10), 4)

	w.damage(t, "H#jack", "~", dynamo.Item{"floor": text("x")})
	_, err := w.Home("jack").List(t.Context(), cursor.PageRequest{})
	require.ErrorIs(t, err, plaza.ErrCorrupt, "trimmed activities must not show")
	_, err = w.Home("jack").Trim(t.Context(), 1)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
}

// A Follow after damage shows its source, or leaves no edge.
func TestAFollowAfterADamagedHeader(t *testing.T) {
	t.Parallel()
	var corrupt reported
	w := newWorld(t, &feed.Options{Consistent: true, OnCorrupt: corrupt.add})
	w.setPulled(t, "emma", true)
	jack := w.Home("jack")
	w.subscribe(t, "jack", "chris")
	want := w.publish(t, "chris", 2)
	emmas := w.publish(t, "emma", 2)
	for _, source := range []string{"chris", "emma"} {
		if source == "emma" {
			want = append(want, emmas...)
			_, err := jack.Follow(t.Context(), source, nil)
			require.NoError(t, err)
		}
		_, err := jack.Unfollow(t.Context(), source, nil)
		require.NoError(t, err)
		w.damage(t, "H#jack", "~", dynamo.Item{"end#" + source: text("x")})
		created, err := jack.Follow(t.Context(), source, nil)
		require.NoError(t, err)
		require.True(t, created)
		require.Contains(t, corrupt.take(), "H#jack / ~")
		require.Equal(t, newestFirst(want), all(t, jack.List, 10), source)
		require.Empty(t, corrupt.take())
	}

	w.damage(t, "H#jack", "~", dynamo.Item{"floor": text("x")})
	w.setPulled(t, "fred", true)
	many, err := jack.FollowMany(t.Context(), []string{"ann", "fred"}, nil)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	require.False(t, many[0].Changed || many[1].Changed)
	for _, source := range []string{"ann", "fred"} {
		created, err := jack.Follow(t.Context(), source, nil)
		require.ErrorIs(t, err, plaza.ErrCorrupt)
		require.False(t, created)
		_, err = w.follows.Get(t.Context(), followEdge("jack", source))
		require.ErrorIs(t, err, plaza.ErrNotFound)
	}
	created, err := jack.Follow(t.Context(), "chris", nil)
	require.ErrorIs(t, err, plaza.ErrCorrupt)
	require.False(t, created)
	_, err = w.follows.Get(t.Context(), followEdge("jack", "chris"))
	require.NoError(t, err, "it stood before")
}

func TestAPullThatNamesNoEdgeOrSourceIsIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reads(t, "jack", "chris")
	want := newestFirst(w.publish(t, "chris", 2))
	meter := dynamotest.NewMeter()
	list := w.process(t, &feed.Options{Consistent: true}, meter.Wrap).Home("jack").List
	require.Equal(t, want, all(t, list, 10))
	cost := meter.Take()
	putAttributes(t, w, map[string]any{
		feed.PullName(0, "ann"):                      pull{At: 5},
		feed.PullName(5, ""):                         pull{At: 5},
		feed.PullName(5, strings.Repeat("x", 3_000)): pull{At: 5}, // more than a key may have
	})
	require.Equal(t, want, all(t, list, 10))
	require.Equal(t, cost.Requests, meter.Take().Requests)
}

func TestADamagedGuardIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := activity("chris", 1)
	a.ForeignID = "picture"
	w.send(t, "chris", a)
	for _, id := range []types.AttributeValue{nil, text("x"), number("1")} {
		w.damage(t, "X#chris", "picture", dynamo.Item{"id": id})
		_, _, err := w.Outbox("chris").Publish(t.Context(), a)
		require.ErrorIs(t, err, plaza.ErrCorrupt)
		_, err = w.Outbox("chris").RemoveForeign(t.Context(), "picture")
		require.ErrorIs(t, err, plaza.ErrCorrupt)
	}
}

// The test damages each attribute of each item in turn. No call may panic or
// report its arguments as invalid.
func TestDamageCausesNoPanicAndNoInvalidError(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			w := newWorld(t, &feed.Options{Consistent: true, JobShards: 1, About: aboutObject})
			w.subscribe(t, "jack", "chris")
			w.subscribe(t, "jack", "birds")
			w.subscribe(t, "jack", "ann")
			a := addressed("chris", 1, "birds")
			a.ForeignID = "picture"
			a = w.send(t, "chris", a)
			w.publish(t, "ann", 1)
			gone := w.publish(t, "chris", 1)[0]
			w.remove(t, "chris", gone.ID)
			w.unfollow(t, "jack", "ann", nil)
			_, err := w.Home("jack").Trim(t.Context(), 1)
			require.NoError(t, err)
			w.publishMany(t, "chris", addressed("chris", 2, "birds"))
			var items []dynamo.Item
			table := dynamotest.DB(t).Table(w.feedTable)
			require.NoError(t, table.Scan().Consistent(true).All(t.Context(), &items))
			check := func(err error) {
				t.Helper()
				if err != nil && !errors.Is(err, plaza.ErrCorrupt) && !errors.Is(err, plaza.ErrNotFound) &&
					!errors.Is(err, plaza.ErrConflict) && !errors.Is(err, plaza.ErrRemoved) {
					t.Error(err)
				}
			}
			for _, item := range items {
				for _, name := range slices.Sorted(maps.Keys(item)) {
					if name == "pk" || name == "sk" || random.IntN(12) >= faults.Size(12, 1) {
						continue
					}
					damaged := maps.Clone(item)
					if damaged[name] = garbage(random); damaged[name] == nil {
						delete(damaged, name)
					}
					require.NoError(t, table.Put(damaged).Run(t.Context()))
					for _, list := range []lister{w.Home("jack").List, w.Outbox("chris").List, w.Outbox("birds").List} {
						page, err := list(t.Context(), cursor.PageRequest{Limit: 2})
						check(err)
						if err == nil && page.Next != "" {
							_, err = list(t.Context(), cursor.PageRequest{Limit: 2, Cursor: page.Next})
							check(err)
						}
					}
					_, err := w.Outbox("birds").Get(t.Context(), a.ID)
					check(err)
					_, err = w.Outbox("chris").GetMany(t.Context(), []ids.ID{a.ID, gone.ID})
					check(err)
					_, _, err = w.Outbox("chris").Publish(t.Context(), a)
					check(err)
					again := a
					again.ID = 0
					_, _, err = w.Outbox("chris").Publish(t.Context(), again)
					check(err)
					_, err = w.Home("jack").Unfollow(t.Context(), "ann", nil)
					check(err)
					_, err = w.Deliver(t.Context())
					check(err)
					require.NoError(t, table.Put(item).Run(t.Context()))
				}
			}
		})
	}
}

// garbage is a random value of any type; nil is none.
func garbage(random *rand.Rand) types.AttributeValue {
	bytes := make([]byte, random.IntN(20))
	for i := range bytes {
		bytes[i] = byte(random.Uint32())
	}
	word := strings.ToValidUTF8(string(bytes), "#")
	return []types.AttributeValue{
		nil, text(""), text(word), text(strings.Repeat("x", 3_000)), number("-1"), number("1e40"), number("0.5"),
		&types.AttributeValueMemberB{Value: bytes}, &types.AttributeValueMemberBOOL{Value: true},
		&types.AttributeValueMemberNULL{Value: true}, &types.AttributeValueMemberL{Value: []types.AttributeValue{text(word)}},
		&types.AttributeValueMemberM{Value: dynamo.Item{"edge": text(word)}}, &types.AttributeValueMemberSS{Value: []string{"a"}},
	}[random.IntN(13)]
}

func TestTheKeyOfAnEntryHasOneText(t *testing.T) {
	t.Parallel()
	id := ids.ID(7).String()
	for owner, valid := range map[string]bool{"chris": true, `a\#b`: true, `a\\b`: true, `\chris`: false, `chris\`: false, "a#b": false} {
		require.Equal(t, valid, feed.ParseEntryKey(id+"#"+owner+"#"+id) == nil, owner)
	}
}
