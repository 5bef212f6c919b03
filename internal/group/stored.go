package group

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// stored is a whole group: its head and its entries by attribute.
type stored struct {
	Head
	cut     ids.ID // unknown events up to it were retracted
	floor   ids.ID // its place does not go below
	entries map[string]Entry

	exists bool
	from   ids.ID      // Last as read
	item   dynamo.Item // as read, for what this package does not know
}

// These are not in the index.
const (
	cutAttr = "cut"

	// FloorAttr is the id at which a reader put a group back into the list. Without
	// it, a retraction would take the group below.
	FloorAttr = "floor"

	// BornAttr is the write that began a group, perhaps after it was erased.
	BornAttr = "born"
)

// parse decodes a group. No item, and one that has expired, is a group without
// events.
func parse(t *store.Table, key store.Key, item dynamo.Item, now time.Time) (*stored, error) {
	g := &stored{entries: map[string]Entry{}, item: item, exists: item != nil}
	if item == nil {
		g.PK, g.SK = key.PK, key.SK
		return g, nil
	}
	if err := t.Decode(item, g); err != nil {
		return nil, err
	}
	if g.TTL <= now.Unix() {
		head := Head{PK: g.PK, SK: g.SK, Last: g.Last, Rev: g.Rev}
		g = &stored{Head: head, entries: map[string]Entry{}, exists: true}
	}
	g.from = g.Last
	return g, nil
}

func (g *stored) UnmarshalDynamoItem(item dynamo.Item) error {
	err := store.Fields(item, func(name string) any {
		switch {
		case name == cutAttr:
			return &g.cut
		case name == FloorAttr:
			return &g.floor
		case strings.HasPrefix(name, entryPrefix):
			return entrySlot{g.entries, name}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return g.Head.UnmarshalDynamoItem(item)
}

// entrySlot is where an entry is decoded to.
type entrySlot struct {
	entries map[string]Entry
	name    string
}

func (s entrySlot) UnmarshalText(text []byte) error {
	e, err := parseEntry(s.name, string(text))
	s.entries[s.name] = e
	return err
}

// next is the item of the group as it is now, under the next rev. Attributes that
// this package does not know stay.
func (g *stored) next() dynamo.Item {
	item := make(dynamo.Item, len(g.item)+16)
	for name, value := range g.item {
		if !strings.HasPrefix(name, entryPrefix) {
			item[name] = value
		}
	}
	for name, e := range g.entries {
		item[name] = text(e.text(name))
	}
	set := func(name, value string) {
		delete(item, name)
		if value != "" {
			item[name] = text(value)
		}
	}
	id := func(name string, id ids.ID) {
		delete(item, name)
		if id != 0 {
			item[name] = text(id.String())
		}
	}
	set("pk", g.PK)
	set("sk", g.SK)
	set("last", g.Place)
	id("lv", g.Last)
	item["n"] = number(g.N)
	delete(item, "more")
	if g.More {
		item["more"] = &types.AttributeValueMemberBOOL{Value: true}
	}
	for i, actor := range g.Actors {
		set(actorAttrs[i], actor)
	}
	item["rev"] = number(g.Rev + 1)
	id("read", g.Read)
	id("unread", g.Unread)
	set("was", g.Was)
	set("past", string(g.Past))
	item["ttl"] = number(g.TTL)
	set("data", g.Data)
	id(cutAttr, g.cut)
	id(FloorAttr, g.floor)
	if item[BornAttr] == nil {
		id(BornAttr, g.Last)
	}
	return item
}

// live are the entries that count, in the order in which they were stored, newest first.
func (g *stored) live() []Entry {
	live := make([]Entry, 0, len(g.entries))
	for _, e := range g.entries {
		if !e.Off {
			live = append(live, e)
		}
	}
	slices.SortFunc(live, func(a, b Entry) int { return cmp.Compare(b.first(), a.first()) })
	return live
}

// offs are the attributes of the entries that are off, oldest event first, without
// one of them.
func (g *stored) offs(without string) []string {
	var offs []string
	for name, e := range g.entries {
		if e.Off && name != without {
			offs = append(offs, name)
		}
	}
	slices.SortFunc(offs, func(a, b string) int { return cmp.Compare(g.entries[a].ID, g.entries[b].ID) })
	return offs
}

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func number(v int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(v, 10)}
}
