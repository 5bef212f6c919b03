package feed

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// header is H#reader / ~: what a home hides, and which outboxes it reads. It has a
// floor, an ending for each source that was unfollowed, and a pull for each edge of a
// Pulled source.
type header struct {
	// Floor is the lowest id that is shown.
	Floor ids.ID `dynamo:"floor"`

	// item has the endings and pulls by name. Each is an attribute of its own,
	// because an update can add to a map only if the map exists.
	item    dynamo.Item
	endings map[string]ending // those decoded so far
	table   *store.Table
}

// head reads the home's header, consistently.
func (h Home) head(ctx context.Context) (*header, error) {
	head := &header{table: h.r.table}
	err := h.r.table.Get(ctx, headerKey(h.reader), true, head)
	if errors.Is(err, plaza.ErrNotFound) {
		err = nil
	}
	return head, err
}

// parseHeader decodes a header; item may be nil.
func (r *Repository) parseHeader(item dynamo.Item) (*header, error) {
	head := &header{table: r.table}
	return head, r.table.Decode(item, head)
}

// UnmarshalDynamoItem decodes the floor; endings and pulls are decoded when they are
// looked for. A damaged floor is an error, because trimmed activities must not show.
func (h *header) UnmarshalDynamoItem(item dynamo.Item) error {
	h.item, h.endings = item, map[string]ending{}
	return store.UnmarshalItem(item, h)
}

// ending is end#source: it hides the entries of the source's edges up to Edge,
// also those that a late delivery will write. Later edges of the source have
// greater ids.
type ending struct {
	Edge     ids.ID `dynamo:"edge"`
	Unfollow ids.ID `dynamo:"unfollow"` // when it was last written
}

const (
	endingPrefix = "end#"
	damagedEdge  = ids.ID(1<<63 - 1) // the edge of an ending that cannot be read
)

func endingName(source string) string { return keys.Join("end", source) }

// hidesAny reports whether the header may hide entries.
func (h *header) hidesAny() bool { return h.Floor != 0 || len(h.item) > 0 }

// hides reports whether the entry is hidden.
func (h *header) hides(entry entryItem) bool {
	if entry.Key.ID < h.Floor || !h.hidesAny() {
		return entry.Key.ID < h.Floor
	}
	return h.ended(entry.source(), entry.Key.edge)
}

// ended reports whether the source's entries by this edge are hidden.
func (h *header) ended(source string, edge ids.ID) bool {
	last := h.ending(endingName(source)).Edge
	return last != 0 && edge <= last
}

// ending returns the ending with the name, or zero if there is none. A damaged one is
// reported and hides all entries of its source.
func (h *header) ending(name string) ending {
	if e, ok := h.endings[name]; ok {
		return e
	}
	value := h.item[name]
	if value == nil {
		return ending{}
	}
	var e ending
	err := unmarshalPart(value, &e)
	if err == nil && (e.Edge == 0 || e.Unfollow == 0) {
		err = errors.New("has no edge or no unfollow")
	}
	if h.table.Skips(h.damaged(name, err)) {
		e = ending{Edge: damagedEdge}
	}
	h.endings[name] = e
	return e
}

// unmarshalPart decodes an attribute of a header.
func unmarshalPart(value types.AttributeValue, out any) error {
	fields, ok := value.(*types.AttributeValueMemberM)
	if !ok {
		return errors.New("is no map")
	}
	return store.UnmarshalItem(fields.Value, out)
}

// damaged is the error for an ending or a pull that err refuses, nil if that is nil.
func (h *header) damaged(name string, err error) error {
	if err == nil {
		return nil
	}
	return h.table.Corrupt(store.KeyOf(h.item), fmt.Sprintf("%q: %v", name, err))
}
