package feed

import (
	"context"
	"errors"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Mode is how a source's activities reach the homes of its followers.
type Mode string

// The modes of a source.
const (
	Pushed  Mode = "pushed"  // each activity is delivered to every home
	Opening Mode = "opening" // as Pushed, while homes are set to read the outbox
	Pulled  Mode = "pulled"  // every home reads the outbox
	Closing Mode = "closing" // as Pushed, while homes are set to stop reading new activities from the outbox
)

// switched returns the mode after SetPulled, and whether there is anything to
// do.
func (m Mode) switched(pulled bool) (next Mode, begins bool) {
	switch {
	case pulled && m == Pulled:
		return Pulled, true // for the edges that were created in the graph directly
	case pulled:
		return Opening, m != Opening
	default:
		return Closing, m == Opening || m == Pulled
	}
}

// SetPulled begins a switch to Pulled, or back to Pushed. If the owner is
// Pulled, followers' homes read the outbox and nothing is delivered to them.
// Run or Deliver finishes the switch. Until then activities are delivered, and for up to
// 30 s more by a process that read the mode before. changed is true
// only if this call changed the mode.
//
// If the owner is already Pulled, SetPulled(true) visits all followers again,
// and changed is false. Call it after the graph alone made edges, for example by
// Import. While the owner is Opening it does nothing: call it once Mode is
// Pulled. While a home is full (ErrTooManyPulled, ErrFull), the owner stays
// Opening, and Options.OnAttempt reports why. A damaged mode is
// plaza.ErrCorrupt.
//
// Cost: 1 request, 1 transaction, 4 WCU, 1 RCU, then Deliver's; with nothing to do 2
// requests, 1 WCU, 1 RCU.
//
//plaza:cost a switch: 1 request, 1 transaction, 4 WCU, 1 RCU
//plaza:cost nothing to do: 2 requests, 1 WCU, 1 RCU
//plaza:cost a process's first: 1 request, 1 WCU
func (o Outbox) SetPulled(ctx context.Context, pulled bool) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.SetPulled")
	if err := o.check(); err != nil {
		return false, err
	}
	if changed, err = o.setPulled(ctx, pulled); err != nil {
		return false, fmt.Errorf("feed: set pulled of %q: %w", o.owner, err)
	}
	return changed, nil
}

func (o Outbox) setPulled(ctx context.Context, pulled bool) (changed bool, err error) {
	call, err := o.r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	key := sourceKey(o.owner)
	var again bool // it visits all followers again
	_, begun, err := store.Change[sourceItem]{
		Key: key, Call: call, Part: "switch", Last: (*sourceItem).lastSwitch,
		Next: func(seen *sourceItem, g store.Guard) (store.Write, error) {
			mode, begins := seen.Mode.switched(pulled)
			if !begins {
				return nil, store.ErrSame
			}
			again = mode == seen.Mode
			header := sourceItem{PK: key.PK, SK: key.SK, Mode: mode, At: g.Op()}
			return o.r.table.Tx().Put(g.Put(header)).Put(o.r.table.Put(o.switchJob(header.At))), o.r.jobs.StoreShards(ctx)
		},
		Absent: func(note *store.Update) {
			note.Set("mode", Pushed).Set("ttl", o.r.opts.Now().Add(tombstoneLife).Unix())
		},
	}.Run(ctx, o.r.table)
	return begun && !again, err
}

func (o Outbox) switchJob(at ids.ID) deliveryJob {
	key := jobKey{CacheKey: CacheKey{o.owner, at}, Switch: true}
	return deliveryJob{
		Key:  store.Key{PK: o.r.jobs.Place(at.String()), SK: key.String()},
		Work: jobItem{Key: key, Switch: true},
	}
}

// Mode reads how the owner's activities reach homes. A damaged mode is
// plaza.ErrCorrupt.
//
// Cost: 1 request, 1 RCU.
func (o Outbox) Mode(ctx context.Context) (Mode, error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.Mode")
	if err := o.check(); err != nil {
		return "", err
	}
	header, err := o.mode(ctx)
	if err != nil {
		return "", fmt.Errorf("feed: mode of %q: %w", o.owner, err)
	}
	return header.Mode, nil
}

// mode reads the outbox's header. At is zero where there is none.
func (o Outbox) mode(ctx context.Context) (header sourceItem, err error) {
	err = o.r.table.Get(ctx, sourceKey(o.owner), true, &header)
	if errors.Is(err, plaza.ErrNotFound) {
		return sourceItem{Mode: Pushed}, nil
	}
	return header, err
}

// next is the lowest id above all that the outbox has: activities, references
// and tombstones. It is the constant nothing if the outbox is empty.
func (o Outbox) next(ctx context.Context) (ids.ID, error) {
	span := store.Span{PK: outboxPK(o.owner), To: aboveIDs, Limit: 1, Consistent: true}
	type row struct {
		ID ids.ID `dynamo:"sk"`
	}
	for rows, err := range store.Pages[row](ctx, o.r.table, span) {
		if err != nil {
			return 0, err
		}
		if len(rows) > 0 { // otherwise its key is damaged
			return rows[0].ID + 1, nil
		}
	}
	return nothing, nil
}

// sources reads the headers of sources, consistently. A source that has none,
// or a damaged one, is Pushed: delivering too much is harmless.
func (r *Repository) sources(ctx context.Context, owners []string) (map[string]sourceItem, error) {
	headers := make([]store.Key, len(owners))
	for i, owner := range owners {
		headers[i] = sourceKey(owner)
	}
	stored, err := r.table.GetAll(ctx, headers, true, 1)
	if err != nil {
		return nil, err
	}
	found := make(map[string]sourceItem, len(owners))
	for _, owner := range owners {
		found[owner] = r.sourceIn(stored, owner)
	}
	return found, nil
}

// sourceIn is a source among stored items.
func (r *Repository) sourceIn(stored map[store.Key]dynamo.Item, owner string) sourceItem {
	var header sourceItem
	item := stored[sourceKey(owner)]
	if item == nil || r.table.Skips(r.table.Decode(item, &header)) {
		return sourceItem{Mode: Pushed}
	}
	return header
}
