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

type fullError struct{}

func (fullError) Error() string { return "feed: the home remembers too many follows" }

func (fullError) Unwrap() error { return plaza.ErrBusy }

// ErrFull is returned by Home.Unfollow if the home cannot remember another
// source whose entries it hides or keeps: some 4,000 within Retention. Nothing
// was written. Home.Follow returns it too, for a Pulled source. It unwraps to
// plaza.ErrBusy.
var ErrFull error = fullError{}

// header is H#reader / ~: which entries of a home are hidden, and which outboxes
// it reads.
type header struct {
	// floor is the lowest id that is shown.
	floor ids.ID

	// item has, by name, the mark of each source that was unfollowed, and a
	// pull for each edge of a Pulled source. Each is an attribute of its own,
	// because an update can add to a map only if the map exists.
	item  dynamo.Item
	marks map[string]mark // those decoded so far
	table *store.Table
}

// mark is dead#source: it hides the entries of the source's edges up to Edge,
// also those that a late delivery will write. Later edges of the source have
// greater ids.
type mark struct {
	Edge     ids.ID `dynamo:"edge"`
	Unfollow ids.ID `dynamo:"unfollow"` // when it was last marked
}

// hidesAny reports whether the header may hide entries.
func (h *header) hidesAny() bool { return h.floor != 0 || len(h.item) > 0 }

// hides reports whether the entry is hidden.
func (h *header) hides(entry entryItem) bool {
	if entry.Key.ID < h.floor || !h.hidesAny() {
		return entry.Key.ID < h.floor
	}
	return h.covers(entry.source(), entry.Key.edge)
}

// covers reports whether the source's entries by this edge are hidden.
func (h *header) covers(source string, edge ids.ID) bool {
	hidden := h.mark(markName(source)).Edge
	return hidden != 0 && edge <= hidden
}

// mark returns the mark with the name, or zero if there is none. A damaged mark is
// reported and hides all entries of its source.
func (h *header) mark(name string) mark {
	if m, ok := h.marks[name]; ok {
		return m
	}
	value := h.item[name]
	if value == nil {
		return mark{}
	}
	var m mark
	err := markFields(value, m.attribute)
	if err == nil && (m.Edge == 0 || m.Unfollow == 0) {
		err = errors.New("has no edge or no unfollow")
	}
	if err != nil {
		h.table.Skips(h.table.Corrupt(store.KeyOf(h.item), fmt.Sprintf("%q: %v", name, err)))
		m = mark{Edge: damagedMark}
	}
	h.marks[name] = m
	return m
}

func (m *mark) attribute(name string) any {
	switch name {
	case "edge":
		return &m.Edge
	case "unfollow":
		return &m.Unfollow
	}
	return nil
}

// markFields is store.Fields for an attribute of a header.
func markFields(value types.AttributeValue, field func(name string) any) error {
	fields, ok := value.(*types.AttributeValueMemberM)
	if !ok {
		return errors.New("is no map")
	}
	return store.Fields(fields.Value, field)
}

const (
	markPrefix  = "dead#"
	damagedMark = ids.ID(1<<63 - 1) // the edge of a mark that cannot be read
)

func markName(source string) string { return keys.Join("dead", source) }

// parseHeader decodes a header; item may be nil. A damaged floor is an error,
// because trimmed activities must not show.
func (r *Repository) parseHeader(item dynamo.Item) (*header, error) {
	head := &header{item: item, marks: map[string]mark{}, table: r.table}
	if err := r.table.Decode(item, head); err != nil {
		return nil, err
	}
	return head, nil
}

// UnmarshalDynamoItem decodes the floor; marks are decoded when they are looked
// for.
func (h *header) UnmarshalDynamoItem(item dynamo.Item) error {
	return store.Fields(item, func(name string) any {
		if name == "floor" {
			return &h.floor
		}
		return nil
	})
}

// head reads the home's header, consistently.
func (h Home) head(ctx context.Context) (*header, error) {
	var item dynamo.Item
	if err := h.r.table.Get(ctx, headerKey(h.reader), true, &item); err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return nil, err
	}
	return h.r.parseHeader(item)
}

// hideSource hides all entries of the source's edges up to this one, including
// those still to be delivered. The home no longer reads the source's outbox by
// these edges.
func (h Home) hideSource(ctx context.Context, source string, edge ids.ID) error {
	unfollow, err := h.r.gen.Next(ctx)
	if err != nil {
		return err
	}
	name, m := markName(source), mark{Edge: edge, Unfollow: unfollow}
	var damaged any // the stored attribute, if it is no mark
	for range maxTries {
		head, refused, err := h.writeHeader(ctx, h.marking(name, m, damaged).RemoveExpr("$", pullName(edge, source)))
		if err != nil {
			return err
		}
		room, err := h.tidy(ctx, head, name)
		if err != nil || refused == nil {
			return err
		}
		switch stands := head.mark(name).Edge; stands {
		case 0:
			if !room.marks {
				return ErrFull
			}
		case damagedMark:
			damaged = head.item[name]
		default:
			m.Edge = max(m.Edge, stands)
		}
	}
	return plaza.ErrBusy
}

// marking replaces a lower mark, a missing one if there is room, or a damaged
// one.
func (h Home) marking(name string, m mark, damaged any) *store.Update {
	update := h.r.table.Update(headerKey(h.reader)).SetExpr("$ = ?", name, m)
	if damaged != nil {
		return update.If("$ = ?", name, damaged)
	}
	return update.If("(attribute_not_exists($) AND attribute_not_exists($)) OR $.$ <= ?", name, fullAttr, name, "edge", m.Edge)
}

// writeHeader applies an update of the home's header and returns the header as
// it is afterwards, even if the update was refused.
func (h Home) writeHeader(ctx context.Context, update *store.Update) (*header, *store.Refused, error) {
	var item dynamo.Item
	err := h.r.table.Run(ctx, store.Returning{Update: update, Out: &item})
	refused, ok := store.AsRefused(err)
	if ok {
		item, _ = refused.At(0)
	} else if err != nil {
		return nil, nil, tooLarge(err)
	}
	head, err := h.r.parseHeader(item)
	return head, refused, err
}

// tooLarge turns DynamoDB's refusal of too large an item into ErrFull.
func tooLarge(err error) error {
	if store.TooLarge(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Trim removes everything older than before from the home, permanently: a later
// call can only trim more. changed is true only if this call did. An id more than
// 10 s ahead of Options.Now is plaza.ErrInvalid.
//
// Cost: 1 request, 1 WCU for each KB of the home's header.
func (h Home) Trim(ctx context.Context, before ids.ID) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.Trim")
	if err := h.check(); err != nil {
		return false, err
	}
	if err := keys.CheckNewID("ID", before, h.r.opts.Now()); err != nil {
		return false, err
	}
	trim, err := h.r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	err = h.r.table.Run(ctx, h.r.table.Update(headerKey(h.reader)).
		Set("floor", before).
		Set("trim", trim).
		If("attribute_not_exists(floor) OR floor < ?", before))
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		var stands struct {
			Floor ids.ID `dynamo:"floor"`
			Trim  ids.ID `dynamo:"trim"`
		}
		if err = h.r.table.Decode(item, &stands); err == nil {
			return stands.Trim == trim, nil // the SDK may have sent it twice
		}
	}
	if err != nil {
		return false, fmt.Errorf("feed: trim home of %q: %w", h.reader, err)
	}
	return true, nil
}
