package edge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Items are built and read without reflection: the shape names their
// attributes, and lists and imports handle many items.

// GuardItem is the guard of e where it is not shared.
func (s Shape) GuardItem(e Edge) dynamo.Item {
	item := itemAt(s.GuardKey(e))
	item[idAttr] = text(e.ID.String())
	if shard := e.Place - 1; shard > 0 {
		item[shardAttr] = number(int64(shard))
	}
	return item
}

// endedItem is the guard of e after e has ended, for guards that are not
// shared.
func (g *Graph) endedItem(e Edge) dynamo.Item {
	item := itemAt(g.GuardKey(e))
	item[endedAttr] = text(e.ID.String())
	item[ttlAttr] = number(g.expiry())
	return item
}

// TailItem is the edge in its tail's list.
func (s Shape) TailItem(e Edge) dynamo.Item {
	item := itemAt(s.TailKey(e))
	item[s.Head] = text(e.Head)
	return item
}

// HeadItem is the edge in its head's list.
func (s Shape) HeadItem(e Edge) dynamo.Item {
	item := itemAt(s.HeadKey(e))
	item[s.Tail] = text(e.Tail)
	return item
}

// Held is what a guard holds of one kind.
type Held struct {
	Edge         // without an ID if there is none
	Ended ids.ID // the last one that ended, 0 if none is known
}

// Exists reports whether there is an edge.
func (h Held) Exists() bool { return h.ID != 0 }

// HeldBy is what the guard of e's pair holds of e's kind. The nil guard holds
// nothing.
func (g *Graph) HeldBy(guard dynamo.Item, e Edge) (Held, error) {
	return g.heldBy(guard, e, attributesOf(e.Kind))
}

func (g *Graph) heldBy(guard dynamo.Item, e Edge, of attributes) (Held, error) {
	h, err := heldBy(guard, e, of)
	if err != nil {
		err = g.table.Corrupt(g.GuardKey(e), err.Error())
	}
	return h, err
}

func heldBy(guard dynamo.Item, e Edge, of attributes) (h Held, err error) {
	h.Edge = Edge{Tail: e.Tail, Head: e.Head, Kind: e.Kind}
	if h.ID, err = idIn(guard, of.id); err == nil {
		h.Ended, err = idIn(guard, of.ended)
	}
	if err == nil && h.Exists() {
		h.Place, err = placeIn(guard, of.shard)
	}
	if err == nil && h.Ended != 0 && keys.After(0, h.Ended) <= h.Ended {
		err = fmt.Errorf("no id is later than %s", of.ended) // the pair could never have another edge
	}
	return h, err
}

// Existing is the edge of e's pair and kind that a guard holds, or
// plaza.ErrNotFound.
func (g *Graph) Existing(e Edge, guard dynamo.Item) (Edge, error) {
	h, err := g.HeldBy(guard, e)
	if err == nil && !h.Exists() {
		err = plaza.ErrNotFound
	}
	return h.Edge, err
}

// idIn is 0 if there is no such attribute.
func idIn(item dynamo.Item, attribute string) (ids.ID, error) {
	value, there := item[attribute]
	if !there {
		return 0, nil
	}
	id, err := ids.Parse(textIn(value))
	if err == nil && id == 0 {
		err = ids.ErrInvalid
	}
	if err != nil {
		return 0, fmt.Errorf("%s is not an id", attribute)
	}
	return id, nil
}

// placeIn is the Place of an edge whose guard has its shard in attribute. Only an
// absent attribute means shard 0, since conditions on the guard ask for that.
func placeIn(item dynamo.Item, attribute string) (int, error) {
	value, there := item[attribute]
	if !there {
		return 1, nil
	}
	shard, ok := intIn(value)
	if !ok || shard < 1 || shard >= MaxShards {
		return 0, fmt.Errorf("%s is not a shard", attribute)
	}
	return int(shard) + 1, nil
}

// edgesOf returns the edges that a guard of tail holds, including those of
// kinds that this process does not know, and the names of its damaged
// attributes: "pk" means the whole item.
func (g *Graph) edgesOf(tail string, guard dynamo.Item) (edges []Edge, damaged []string) {
	head := store.KeyOf(guard).SK
	if keys.CheckName("sk", head) != nil || g.loops(Edge{Tail: tail, Head: head}) {
		return nil, []string{"pk"}
	}
	ended := false
	for kind := range g.kindsIn(guard) {
		held, err := g.HeldBy(guard, Edge{Tail: tail, Head: head, Kind: kind})
		switch _, placed := guard[ofKind(kind, shardAttr)]; {
		case err != nil:
			damaged = append(damaged, ofKind(kind, idAttr), ofKind(kind, shardAttr), ofKind(kind, endedAttr))
		case held.Exists():
			edges = append(edges, held.Edge)
		case placed:
			damaged = append(damaged, ofKind(kind, shardAttr))
		default:
			ended = true
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int { return strings.Compare(a.Kind, b.Kind) })
	if _, ok := intIn(guard[verAttr]); !ok && g.shared() {
		damaged = append(damaged, verAttr)
	}
	if expiry, expires := guard[ttlAttr]; expires {
		if _, ok := intIn(expiry); !ok || len(edges) > 0 {
			damaged = append(damaged, ttlAttr)
		}
	} else if ended && !g.shared() {
		damaged = append(damaged, ttlAttr)
	}
	if stamp, stamped := guard[g.Stamp]; stamped && !g.Stamped(stamp) {
		damaged = append(damaged, g.Stamp)
	}
	if !g.shared() && len(edges) == 0 && !ended {
		damaged = []string{"pk", idAttr, shardAttr, endedAttr}
	}
	return edges, damaged
}

// kindsIn are the kinds that guards have attributes of.
func (s Shape) kindsIn(guards ...dynamo.Item) map[string]bool {
	kinds := map[string]bool{}
	for _, guard := range guards {
		for attribute := range guard {
			for _, name := range []string{idAttr, shardAttr, endedAttr} {
				if kind, ok := kindIn(attribute, name); ok && s.mayBeKind(kind) {
					kinds[kind] = true
				}
			}
		}
	}
	return kinds
}

// mayBeKind reports whether an attribute can be of this kind, which another
// process may know.
func (s Shape) mayBeKind(kind string) bool {
	if !s.shared() {
		return kind == ""
	}
	return keys.CheckName("kind", kind) == nil
}

// KindsOf returns the Kinds of the edges in tail's guard, in their order.
// Damaged edges are left out.
func (g *Graph) KindsOf(tail string, guard dynamo.Item) []string {
	kinds := []string{}
	head := store.KeyOf(guard).SK
	for i, kind := range g.Kinds {
		held, err := g.heldBy(guard, Edge{Tail: tail, Head: head, Kind: kind}, g.attributes[i])
		if !g.table.Skips(err) && held.Exists() {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// listed is the edge of a list's item. e has the fields that all edges of the
// list share.
func (g *Graph) listed(e Edge, item dynamo.Item) (Edge, error) {
	key := store.KeyOf(item)
	other, attribute, own := &e.Head, g.Head, e.Tail
	if e.Tail == "" {
		other, attribute, own = &e.Tail, g.Tail, e.Head
	}
	name := textIn(item[attribute])
	id, err := ids.Parse(key.SK)
	switch {
	case err != nil || id == 0:
		return e, g.table.Corrupt(key, "its key is not an id")
	case keys.CheckName(attribute, name) != nil:
		return e, g.table.Corrupt(key, attribute+" is no name")
	case g.loops(Edge{Tail: name, Head: own}):
		return e, g.table.Corrupt(key, attribute+" is the name that has the list")
	}
	*other, e.ID = name, id
	return e, nil
}

func itemAt(key store.Key) dynamo.Item { return dynamo.Item{"pk": text(key.PK), "sk": text(key.SK)} }

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// textIn is "" if value is not a text.
func textIn(value types.AttributeValue) string {
	s, _ := value.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

// intIn is not ok if value is not a whole number.
func intIn(value types.AttributeValue) (number int64, ok bool) {
	n, _ := value.(*types.AttributeValueMemberN)
	if n == nil {
		return 0, false
	}
	number, err := strconv.ParseInt(n.Value, 10, 64)
	return number, err == nil
}
