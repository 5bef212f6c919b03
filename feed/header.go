package feed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// A home's header is one item, H#reader / ~. It says what the home hides, and which
// outboxes it reads. These are its attributes:
//
//	floor                                          the lowest id that the home shows
//	end#<source>          {edge, unfollow}          an ending: the source was unfollowed
//	pull#<edge>#<source>  {since, until, kept, at}  a pull: the home reads the source's outbox
//	full                                           it has no room for another ending or pull
//	crowded                                        it has no room for another outbox to read
//
// Every page reads the header. Trim, Follow, Unfollow and the workers that finish a
// switch change it (headerchange.go), and make room in it (room.go).
//
// Endings and pulls are attributes of their own, and not entries of a map, because an
// update can add to a map only if the map exists.
type header struct {
	Floor ids.ID `dynamo:"floor"`

	item    dynamo.Item       // all attributes
	endings map[string]ending // those decoded so far, by name
	table   *store.Table
}

// ending hides the entries of a source's edges up to Edge, also those that a late
// delivery will write. Later edges of the source have greater ids.
type ending struct {
	Edge     ids.ID `dynamo:"edge"`
	Unfollow ids.ID `dynamo:"unfollow"` // when it was last written
}

// pull makes the home read a source's outbox, as though an edge had brought its
// activities. Two edges may have one ID, which their caller chose, so the name has the
// source too.
type pull struct {
	Source string `dynamo:"-"`
	Since  ids.ID `dynamo:"since,omitempty"` // the lowest id that it reads
	Until  ids.ID `dynamo:"until,omitempty"` // the lowest id that it no longer reads; 0 is no bound
	Kept   bool   `dynamo:"kept,omitempty"`  // the edge ended with KeepHistory: no switch changes the pull
	At     ids.ID `dynamo:"at"`              // the switch or the unfollow that wrote it last
}

const (
	endingPrefix = "end#"
	pullPrefix   = "pull#"
	fullAttr     = "full"
	crowdedAttr  = "crowded"

	damagedEdge = ids.ID(1<<63 - 1) // the Edge of an ending that cannot be read
	nothing     = ids.ID(1)         // the Until of a pull that reads nothing
)

func endingName(source string) string { return keys.Join("end", source) }

func pullName(edge ids.ID, source string) string { return keys.Join("pull", edge.String(), source) }

// parsePullName undoes pullName. It reports false for other names.
func parsePullName(name string) (edge ids.ID, source string, ok bool) {
	if !strings.HasPrefix(name, pullPrefix) {
		return 0, "", false
	}
	parts := keys.Split(name)
	if len(parts) != 3 {
		return 0, "", false
	}
	edge, err := ids.Parse(parts[1])
	err = errors.Join(err, keys.CheckID("edge", edge), keys.CheckName("source", parts[2]))
	return edge, parts[2], err == nil && (!strings.Contains(name, `\`) || name == pullName(edge, parts[2]))
}

// readHeader reads the home's header, consistently.
func (h Home) readHeader(ctx context.Context) (*header, error) {
	head := &header{table: h.r.table}
	err := h.r.table.Get(ctx, headerKey(h.reader), true, head)
	if errors.Is(err, plaza.ErrNotFound) {
		err = nil
	}
	return head, err
}

// headerItem reads the home's header for a page. It is empty if there is none.
func (h Home) headerItem(ctx context.Context) (item dynamo.Item, err error) {
	err = h.r.table.Get(ctx, headerKey(h.reader), h.r.opts.Consistent, &item)
	if errors.Is(err, plaza.ErrNotFound) {
		err = nil
	}
	return item, err
}

// update begins an update of the header.
func (h Home) update() *store.Update { return h.r.table.Update(headerKey(h.reader)) }

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

// lowest is the lowest id that the home shows.
func (h Home) lowest(head *header, now time.Time) ids.ID {
	return max(head.Floor, ids.At(now.Add(-h.r.opts.Retention)))
}

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

// pull returns the pull of the edge, if there is one. A damaged one is a
// plaza.CorruptError.
func (h *header) pull(edge ids.ID, source string) (p pull, found bool, err error) {
	name := pullName(edge, source)
	value := h.item[name]
	if value == nil {
		return pull{}, false, nil
	}
	p, err = h.decodePull(name, source, value)
	return p, true, err
}

// edgePull is a pull with the edge that it is named after.
type edgePull struct {
	edge ids.ID
	pull
}

// pulls returns the pulls that read something down to the id lowest, in any order. It
// leaves out those that an unfollow has ended. A damaged one is reported and left out.
func (h *header) pulls(lowest ids.ID) []edgePull {
	active := make([]edgePull, 0, len(h.item)) // most attributes are usually active pulls
	for name, value := range h.item {
		edge, source, ok := parsePullName(name)
		if !ok || h.ended(source, edge) {
			continue
		}
		p, err := h.decodePull(name, source, value)
		if !h.table.Skips(err) && !p.empty(lowest) {
			active = append(active, edgePull{edge, p})
		}
	}
	return active
}

// empty reports whether the pull reads nothing down to the id lowest.
func (p pull) empty(lowest ids.ID) bool { return p.Until != 0 && p.Until <= max(p.Since, lowest) }

func (h *header) decodePull(name, source string, value types.AttributeValue) (pull, error) {
	p := pull{Source: source}
	err := unmarshalPart(value, &p)
	if err == nil {
		err = keys.CheckID("at", p.At)
	}
	if err != nil {
		return pull{}, h.damaged(name, err)
	}
	return p, nil
}

// unmarshalPart decodes an ending or a pull.
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
