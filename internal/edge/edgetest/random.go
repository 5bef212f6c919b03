package edgetest

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
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// junk is a random value of any type, often an almost valid one.
func junk(random *rand.Rand) types.AttributeValue {
	texts := []string{
		"", "x", "-1", "0", "63", "64", "1000000000", "0000000000000", "7ZZZZZZZZZZZZ", "8000000000000",
		"32SBCWQRR0001", "ann", "bob", "photo", strings.Repeat("x", 257), strings.Repeat("#", 1500), "\x00", "999999999999999999999999",
	}
	numbers := []string{"0", "-1", "1", "7", "63", "64", "1000000000", "1.5", "9007199254740993", "99999999999999999999999999999999999999", "1E125"}
	text, number := texts[random.IntN(len(texts))], numbers[random.IntN(len(numbers))]
	switch random.IntN(10) {
	case 0, 1, 2:
		return &types.AttributeValueMemberS{Value: text}
	case 3, 4:
		return &types.AttributeValueMemberN{Value: number}
	case 5:
		return &types.AttributeValueMemberB{Value: []byte(text)}
	case 6:
		return &types.AttributeValueMemberBOOL{Value: true}
	case 7:
		return &types.AttributeValueMemberNS{Value: []string{number}}
	case 8:
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: text}}}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

// corrupt damages a few of a table's items and adds invalid ones.
func corrupt(t *testing.T, table dynamo.Table, random *rand.Rand, attributes []string) {
	t.Helper()
	var items []dynamo.Item
	require.NoError(t, table.Scan().All(t.Context(), &items))
	slices.SortFunc(items, func(a, b dynamo.Item) int { return strings.Compare(keyText(a), keyText(b)) })
	keys := []string{"zzz", "!", "-1", "64", "32SBCWQRR0001x", "0000000000000", "7ZZZZZZZZZZZZ", strings.Repeat("y", 300)}
	for range 1 + random.IntN(4) {
		item := items[random.IntN(len(items))]
		if random.IntN(5) == 0 { // in the same partition
			item = dynamo.Item{"pk": item["pk"], "sk": &types.AttributeValueMemberS{Value: keys[random.IntN(len(keys))]}}
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

// OnlyDamage fails on an error that neither damage nor one of or explains.
func OnlyDamage(t *testing.T, what string, err error, or ...error) {
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

func randomDamage[E any](t *testing.T, f Feature[E]) {
	for seed := range faults.Seeds(15) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			damageAndRepair(t, f, seed)
		})
	}
}

func damageAndRepair[E any](t *testing.T, f Feature[E], seed uint64) {
	random := rand.New(rand.NewPCG(seed, 5))
	var mu sync.Mutex
	reported := 0
	opts := spread(2)
	opts.OnCorrupt = func(*plaza.CorruptError) {
		mu.Lock()
		defer mu.Unlock()
		reported++
	}
	w := newWorld(t, f, opts)
	tails, heads := f.names()
	g := graph{}
	for _, e := range f.slots() {
		if random.IntN(5) > 0 {
			e = w.give(t, e)
			f.supersede(g, e)
			g[e.anyID()] = e.ID
		}
	}
	all := g.edges()
	w.finish(t, all[0], true)
	attributes := []string{"ttl", f.Shape.Tail, f.Shape.Head, f.Shape.Count, f.Shape.TailCount, "import", "ver", "shards", "other"}
	for _, kind := range append(f.kinds(), "odd", strings.Repeat("x", 300)) {
		attributes = append(attributes, of(kind, "id"), of(kind, "shard"), of(kind, "ended"), of(kind, f.Shape.Count))
	}
	attributes = slices.DeleteFunc(attributes, func(name string) bool { return name == "" })
	corrupt(t, dynamotest.DB(t).Table(w.table), random, attributes)
	w.damagedReads(t, tails, heads)
	for _, e := range all {
		_, err := w.Get(t.Context(), f.Of(e))
		OnlyDamage(t, "Get", err, plaza.ErrNotFound)
		for name, call := range w.Further {
			OnlyDamage(t, name, call(t.Context(), f.Of(e)), plaza.ErrNotFound, plaza.ErrConflict)
		}
		if seed%3 > 0 {
			continue
		}
		_, _, err = w.try(t.Context(), e.anyID())
		OnlyDamage(t, "Begin", err, plaza.ErrConflict, plaza.ErrBusy)
		_, err = w.End(t.Context(), f.Of(e.anyID()))
		OnlyDamage(t, "End", err)
	}

	// Some torn edges are repaired only after the counter of the other end.
	var sides []edge.Ends
	for _, tail := range tails {
		sides = append(sides, edge.Ends{Tail: tail})
	}
	for _, head := range heads {
		if !f.mutual() {
			sides = append(sides, edge.Ends{Head: head})
		}
	}
	for range 3 {
		for _, of := range sides {
			_, err := w.Repair(t.Context(), of)
			OnlyDamage(t, "Repair", err)
		}
	}
	reported = 0
	for _, of := range sides {
		drift, err := w.Check(t.Context(), of)
		require.NoError(t, err)
		require.Zero(t, drift, "Check of %+v", of)
	}
	left := graph{}
	for _, tail := range tails {
		for _, e := range w.read(t, w.ByTail, tail, "", 7) {
			require.Contains(t, heads, e.Head)
			left[e.anyID()] = e.ID
		}
	}
	w.holds(t, left, tails, heads)
	require.Zero(t, reported)
	for _, tail := range tails {
		require.NoError(t, w.Erase(t.Context(), edge.Ends{Tail: tail}))
	}
	w.holds(t, graph{}, tails, heads)
}

// damagedReads reads everything from a damaged table.
func (w world[E]) damagedReads(t *testing.T, tails, heads []string) {
	lists := func(list list[E], name string) {
		for _, kind := range slices.Compact([]string{"", w.f.first(), w.f.free()}) {
			for _, limit := range faults.Some(1, 1, 3) {
				req := cursor.PageRequest{Limit: limit}
				for pages := 0; ; pages++ {
					require.Less(t, pages, 30, "%q of %q", kind, name)
					page, err := list(t.Context(), name, kind, req)
					require.NoError(t, err, "%q of %q", kind, name)
					if req.Cursor = page.Next; req.Cursor == "" {
						break
					}
				}
			}
		}
	}
	for _, tail := range tails {
		lists(w.ByTail, tail)
		_, err := w.Kinds(t.Context(), tail, heads)
		require.NoError(t, err)
		_, err = w.Check(t.Context(), edge.Ends{Tail: tail})
		OnlyDamage(t, "Check of a tail", err)
	}
	for _, head := range heads {
		lists(w.ByHead, head)
		_, err := w.Counts(t.Context(), head)
		OnlyDamage(t, "Counts", err)
		_, err = w.Check(t.Context(), edge.Ends{Head: head})
		OnlyDamage(t, "Check of a head", err)
	}
	_, err := w.CountsMany(t.Context(), heads)
	require.NoError(t, err)
}
