package feed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxHeader is the largest size of a header's marks, in bytes. DynamoDB allows
// 400 KB for an item. With names of 16 bytes there is room for some 4,000
// marks.
const maxHeader = 300 << 10

// markSize is the size of a mark without its name: two ids, the names of their
// attributes, and DynamoDB's overhead for a map.
const markSize = 60

type fullError struct{}

func (fullError) Error() string { return "feed: the home remembers too many ended follows" }

func (fullError) Unwrap() error { return plaza.ErrBusy }

// ErrFull is returned by Home.Unfollow if the home cannot remember another
// source whose entries it hides: some 4,000 within Retention. Nothing was
// written. KeepHistory needs no memory. It unwraps to plaza.ErrBusy.
var ErrFull error = fullError{}

// header is H#reader / ~: which entries of a home are hidden.
type header struct {
	// floor is the lowest id that is shown.
	floor ids.ID

	// item has, by name, the mark of each source that was unfollowed. Each mark
	// is an attribute of its own, because an update can add to a map only if
	// the map exists.
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
	hidden := h.mark(markName(entry.source())).Edge
	return hidden != 0 && entry.Key.edge <= hidden
}

// mark is the mark with the name, zero if there is none. A damaged mark is
// reported and hides all entries of its source.
func (h *header) mark(name string) mark {
	if m, ok := h.marks[name]; ok {
		return m
	}
	var m mark
	if value := h.item[name]; value != nil {
		err := dynamo.Unmarshal(value, &m)
		if err == nil && (m.Edge == 0 || m.Unfollow == 0) {
			err = errors.New("has no edge or no unfollow")
		}
		if err != nil {
			h.table.Skips(h.table.Corrupt(store.KeyOf(h.item), fmt.Sprintf("%q: %v", name, err)))
			m = mark{Edge: damagedMark}
		}
	}
	h.marks[name] = m
	return m
}

const (
	markPrefix = "dead#"
	fullAttr   = "full" // present if the marks have reached maxHeader

	damagedMark = ids.ID(1<<63 - 1) // the edge of a mark that cannot be read
)

func markName(source string) string { return keys.Join("dead", source) }

// parseHeader decodes a header; item may be nil. A damaged floor is an error,
// because trimmed activities must not show.
func (r *Repository) parseHeader(item dynamo.Item) (*header, error) {
	var plain struct {
		Floor ids.ID `dynamo:"floor"`
	}
	if err := r.table.Decode(item, &plain); err != nil {
		return nil, err
	}
	return &header{floor: plain.Floor, item: item, marks: map[string]mark{}, table: r.table}, nil
}

// isHidden reads whether the home hides the entries of the source's edge.
func (h Home) isHidden(ctx context.Context, source string, edge ids.ID) (bool, error) {
	var item dynamo.Item
	err := h.r.table.Get(ctx, headerKey(h.reader), true, &item)
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	head, err := h.r.parseHeader(item)
	if err != nil {
		return false, err
	}
	return edge <= head.mark(markName(source)).Edge, nil
}

// hideSource hides all entries of the source's edges up to this one, including
// those still to be delivered. It also removes old marks all of whose entries
// have expired.
func (h Home) hideSource(ctx context.Context, source string, edge ids.ID) error {
	unfollow, err := h.r.gen.Next(ctx)
	if err != nil {
		return err
	}
	name, m := markName(source), mark{Edge: edge, Unfollow: unfollow}
	var damaged any // the stored attribute, if it is no mark
	for range maxTries {
		var item dynamo.Item
		err := h.r.table.Run(ctx, store.Returning{Update: h.marking(name, m, damaged), Out: &item})
		refused, ok := store.AsRefused(err)
		if ok {
			item, _ = refused.At(0)
		} else if err != nil {
			return tooLarge(err)
		}
		head, err := h.r.parseHeader(item)
		if err != nil {
			return err
		}
		room, err := h.forget(ctx, head, name)
		if err != nil || !ok {
			return err
		}
		switch stands := head.mark(name).Edge; stands {
		case 0:
			if !room {
				return ErrFull
			}
		case damagedMark:
			damaged = item[name]
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

// forget removes marks that hide nothing anymore, except the one named keep. It
// stores and reports whether there is room for more marks.
func (h Home) forget(ctx context.Context, head *header, keep string) (room bool, err error) {
	const atOnce = 50
	horizon := ids.At(h.r.opts.Now().Add(-h.r.opts.Retention - 24*time.Hour))
	var old []string
	size := 0
	for _, name := range slices.Sorted(maps.Keys(head.item)) {
		if !strings.HasPrefix(name, markPrefix) {
			continue
		}
		m := head.mark(name)
		if name != keep && m.Unfollow != 0 && m.Unfollow < horizon && len(old) < atOnce {
			old = append(old, name)
		} else {
			size += len(name) + markSize
		}
	}
	room = size < maxHeader
	if wasFull := head.item[fullAttr] != nil; len(old) == 0 && room != wasFull {
		return room, nil
	}
	update := h.r.table.Update(headerKey(h.reader))
	for _, name := range old {
		update.RemoveExpr("$", name).If("$.$ = ?", name, "unfollow", head.mark(name).Unfollow) // unless it was written again
	}
	if room {
		update.Remove(fullAttr)
	} else {
		update.Set(fullAttr, true)
	}
	err = h.r.runIf(ctx, update)
	return room || len(old) == atOnce, err
}

// tooLarge turns DynamoDB's refusal of too large an item into ErrFull.
func tooLarge(err error) error {
	if store.TooLarge(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Trim removes everything older than before from the home, permanently: a later
// call can only trim more. changed is true only if this call did.
//
// Cost: 1 request, 1 WCU for each KB of the home's header.
func (h Home) Trim(ctx context.Context, before ids.ID) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Home.Trim")
	if err := h.check(); err != nil {
		return false, err
	}
	if err := keys.CheckID("ID", before); err != nil {
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
