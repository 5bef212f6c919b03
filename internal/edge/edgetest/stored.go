package edgetest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/edge"
)

// Stored is a table's items by key; their attributes are in text form.
type Stored map[Key]map[string]string

// Scan reads a whole table.
func Scan(t testing.TB, table string) Stored {
	t.Helper()
	var items []dynamo.Item
	require.NoError(t, dynamotest.DB(t).Table(table).Scan().All(t.Context(), &items))
	s := Stored{}
	for _, item := range items {
		fields := map[string]string{}
		for name, value := range item {
			switch v := value.(type) {
			case *types.AttributeValueMemberS:
				fields[name] = v.Value
			case *types.AttributeValueMemberN:
				fields[name] = v.Value
			case *types.AttributeValueMemberNS:
				fields[name] = fmt.Sprint(slices.Sorted(slices.Values(v.Value)))
			}
		}
		s[Key{fields["pk"], fields["sk"]}] = fields
	}
	return s
}

// row is an edge in a list, and count a counter's number for a kind.
type (
	row struct {
		Edge
		shard int
	}
	count struct {
		name, kind string
		shard      int
		tail       bool
	}
)

// RequireStored reads the whole table. It fails unless exactly these edges have
// their three items, the counters equal the lists, and guards of ended edges
// contain nothing else. An edge without an ID may have any ID.
func RequireStored(t testing.TB, shape edge.Shape, table string, edges ...Edge) {
	t.Helper()
	l, items := layout{shape}, Scan(t, table)
	guards, inTails, inHeads := map[row]bool{}, map[Edge]bool{}, map[row]bool{}
	is, should, shards := map[count]int{}, map[count]int{}, map[string][]string{}
	stands := graph{}
	for key, item := range items {
		part := strings.Split(key[0], "#")
		switch part[0] {
		case l.Guard:
			for _, r := range l.guarded(t, part[1], key[1], item) {
				guards[r] = true
				stands[r.anyID()] = r.ID
				should[count{r.Head, r.Kind, r.shard, false}]++
				if l.TailCount != "" {
					should[count{r.Tail, "", 0, true}]++
				}
			}
		case l.Tails:
			inTails[Edge{part[1], item[l.Head], kindAt(part, 2, len(part)), idOf(t, key[1])}] = true
		case l.Heads:
			shard := number(t, part[len(part)-1])
			inHeads[row{Edge{item[l.Tail], part[1], kindAt(part, 2, len(part)-1), idOf(t, key[1])}, shard}] = true
		case l.Counter:
			shard := key[1]
			if l.Apart {
				shard = part[2]
			}
			for attribute, value := range item {
				if n, err := strconv.Atoi(value); err == nil && n != 0 {
					if kind, ok := kindOf(attribute, l.Count); ok {
						is[count{part[1], kind, number(t, shard), false}] = n
					} else if attribute == l.TailCount {
						is[count{part[1], "", number(t, shard), true}] = n
					}
				}
			}
			if shard != "0" {
				shards[part[1]] = append(shards[part[1]], shard)
			}
		}
	}
	require.Equal(t, guards, inHeads)
	unplaced := map[Edge]bool{}
	for r := range guards {
		unplaced[r.Edge] = true
	}
	require.Equal(t, unplaced, inTails)
	require.Equal(t, should, is)
	want := standing(edges...)
	for e, id := range want {
		if id == 0 {
			want[e] = stands[e]
		}
	}
	require.Equal(t, want, stands)
	for name, opened := range shards {
		require.Equal(t, fmt.Sprint(slices.Sorted(slices.Values(opened))), items[l.counter(name, 0)]["shards"])
	}
}

// guarded returns the edges of a guard.
func (l layout) guarded(t testing.TB, tail, head string, item map[string]string) (rows []row) {
	t.Helper()
	for attribute, value := range item {
		if kind, ok := kindOf(attribute, "shard"); ok {
			require.Contains(t, item, of(kind, "id"))
		}
		if kind, ok := kindOf(attribute, "ended"); ok {
			require.NotContains(t, item, of(kind, "id"))
		}
		if kind, ok := kindOf(attribute, "id"); ok {
			require.NotContains(t, item, "ttl")
			shard := number(t, cmp.Or(item[of(kind, "shard")], "0"))
			rows = append(rows, row{Edge{tail, head, kind, idOf(t, value)}, shard})
		}
	}
	if len(rows) == 0 && l.Kinds[0] == "" { // it remains for a while and contains nothing else
		require.Len(t, item, 4)
		require.NotEmpty(t, item["ended"])
		require.NotEmpty(t, item["ttl"])
	}
	return rows
}

// kindAt is the kind in a key, if it has one.
func kindAt(part []string, at, end int) string {
	if at < end {
		return part[at]
	}
	return ""
}

func idOf(t testing.TB, text string) ids.ID {
	t.Helper()
	id, err := ids.Parse(text)
	require.NoError(t, err)
	return id
}

func number(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

func (w world[E]) requireStored(t testing.TB, edges ...Edge) {
	t.Helper()
	RequireStored(t, w.f.Shape, w.table, edges...)
}

// requireSound fails if Check of the tail or head of an edge finds anything.
func (w world[E]) requireSound(t testing.TB, edges ...Edge) {
	t.Helper()
	for _, e := range edges {
		for _, of := range []edge.Ends{{Tail: e.Tail}, {Head: e.Head}} {
			drift, err := w.Check(t.Context(), of)
			require.NoError(t, err)
			require.Zero(t, drift, "Check of %+v", of)
		}
	}
}

// Hand changes a table's items directly, to damage them.
type Hand struct {
	t     testing.TB
	table dynamo.Table
	loose bool // what it removes may be gone
}

// NewHand returns a Hand for the named table.
func NewHand(t testing.TB, table string) Hand {
	return Hand{t: t, table: dynamotest.DB(t).Table(table)}
}

func (w world[E]) hand(t testing.TB) Hand { return NewHand(t, w.table) }

// Remove deletes items.
func (h Hand) Remove(keys ...Key) {
	h.t.Helper()
	for _, key := range keys {
		err := h.table.Delete("pk", key[0]).Range("sk", key[1]).If("attribute_exists(pk)").Run(h.t.Context())
		require.True(h.t, err == nil || h.loose && dynamo.IsCondCheckFailed(err), err)
	}
}

// Set sets an attribute of an item, which need not exist.
func (h Hand) Set(key Key, attribute string, value any) {
	h.t.Helper()
	require.NoError(h.t, h.table.Update("pk", key[0]).Range("sk", key[1]).SetExpr("$ = ?", attribute, value).Run(h.t.Context()))
}

func (h Hand) unset(key Key, attributes ...string) {
	h.t.Helper()
	update := h.table.Update("pk", key[0]).Range("sk", key[1]).If("attribute_exists($)", attributes[0])
	for _, attribute := range attributes {
		update.RemoveExpr("$", attribute)
	}
	err := update.Run(h.t.Context())
	require.True(h.t, err == nil || h.loose && dynamo.IsCondCheckFailed(err), err)
}
