package group

import (
	"cmp"
	"fmt"
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
	Cut     ids.ID `dynamo:"cut"`   // unknown events up to it were retracted
	Floor   ids.ID `dynamo:"floor"` // its place does not go below
	Top     ids.ID `dynamo:"top"`   // the newest event, which Data shows; not in the index
	entries map[string]Entry

	exists bool
	from   ids.ID      // Last as read
	item   dynamo.Item // as read, for what this package does not know
}

// FloorAttr is the id at which a reader put a group back into the list. Without
// it, a retraction would take the group below. It is not in the index.
const FloorAttr = "floor"

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

// UnmarshalDynamoItem reads the entries, whose names are data, and the rest.
func (g *stored) UnmarshalDynamoItem(item dynamo.Item) (err error) {
	g.entries = map[string]Entry{}
	for name, value := range item {
		if !strings.HasPrefix(name, entryPrefix) {
			continue
		}
		var text string
		if err = store.SetText(value, &text); err == nil {
			g.entries[name], err = parseEntry(name, text)
		}
		if err != nil {
			return fmt.Errorf("attribute %s: %w", name, err)
		}
	}
	return store.UnmarshalItem(item, g)
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
	set("a1", g.A1)
	set("a2", g.A2)
	set("a3", g.A3)
	set("a4", g.A4)
	set("a5", g.A5)
	item["rev"] = number(g.Rev + 1)
	id("read", g.Read)
	id("unread", g.Unread)
	set("was", g.Was)
	set("past", string(g.Past))
	item["ttl"] = number(g.TTL)
	set("data", g.Data)
	id("cut", g.Cut)
	id(FloorAttr, g.Floor)
	id("top", g.Top)
	if item["born"] == nil {
		id("born", g.Last)
	}
	return item
}

// live are the entries that count, the newest event first.
func (g *stored) live() []Entry {
	live := make([]Entry, 0, len(g.entries))
	for _, e := range g.entries {
		if !e.Off {
			live = append(live, e)
		}
	}
	slices.SortFunc(live, func(a, b Entry) int { return cmp.Compare(b.ID, a.ID) })
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
