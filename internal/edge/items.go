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
	"github.com/plaza-sdk/plaza/internal/store"
)

// Items are made and read by hand: their attributes have the names that the
// shape gives, and lists and imports make many.

// GuardItem is the guard of e where it is not shared.
func (s Shape) GuardItem(e Edge) dynamo.Item {
	item := itemAt(s.GuardKey(e))
	item[idAttr] = text(e.ID.String())
	if shard := e.Place - 1; shard > 0 {
		item[shardAttr] = number(int64(shard))
	}
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

// Standing is the edge of e's pair and kind that a guard holds, or
// plaza.ErrNotFound.
func (s Shape) Standing(e Edge, guard dynamo.Item) (Edge, error) {
	id, stands := guard[ofKind(e.Kind, idAttr)]
	if !stands {
		return e, plaza.ErrNotFound
	}
	var err error
	if e.ID, err = ids.Parse(textIn(id)); err != nil {
		return e, fmt.Errorf("guard of %q and %q: %w", e.Tail, e.Head, err)
	}
	shard, err := intIn(guard[ofKind(e.Kind, shardAttr)])
	e.Place = int(shard) + 1
	return e, err
}

// edgesOf are the edges that a guard of tail holds, also of kinds that this
// process does not know.
func (s Shape) edgesOf(tail string, guard dynamo.Item) (edges []Edge, err error) {
	head := store.KeyOf(guard).SK
	for attribute := range guard {
		if kind, ok := kindIn(attribute, idAttr); ok {
			e, err := s.Standing(Edge{Tail: tail, Head: head, Kind: kind}, guard)
			if err != nil {
				return nil, err
			}
			edges = append(edges, e)
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int { return strings.Compare(a.Kind, b.Kind) })
	return edges, nil
}

// KindsOf are those of Kinds of which a guard holds an edge, in their order.
func (s Shape) KindsOf(guard dynamo.Item) (kinds []string) {
	for _, kind := range s.Kinds {
		if _, stands := guard[ofKind(kind, idAttr)]; stands {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// listed is the edge of a list's item, of which e tells what all items of the
// list have in common.
func (s Shape) listed(e Edge, item dynamo.Item) (Edge, error) {
	if e.Tail == "" {
		e.Tail = textIn(item[s.Tail])
	} else {
		e.Head = textIn(item[s.Head])
	}
	key := store.KeyOf(item)
	var err error
	if e.ID, err = ids.Parse(key.SK); err != nil {
		err = fmt.Errorf("item in %q: %w", key.PK, err)
	}
	return e, err
}

func itemAt(key store.Key) dynamo.Item { return dynamo.Item{"pk": text(key.PK), "sk": text(key.SK)} }

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// textIn is "" where value is no text.
func textIn(value types.AttributeValue) string {
	s, _ := value.(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

// intIn is 0 where value is no number.
func intIn(value types.AttributeValue) (int64, error) {
	n, _ := value.(*types.AttributeValueMemberN)
	if n == nil {
		return 0, nil
	}
	return strconv.ParseInt(n.Value, 10, 64)
}
