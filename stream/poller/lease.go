package poller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/internal/store"
)

// leases are the items of a group that reads a stream: L#group#stream / S#shard {owner, gen, seq,
// parent, ended} says who reads a shard, and up to which record everything was handled.
// L#group#stream / W#worker {beat} says that a worker is alive.
type leases struct {
	table *store.Table
	pk    string
}

func newLeases(table *store.Table, group, arn string) leases {
	return leases{table: table, pk: keys.Join("L", group, arn)}
}

func (l leases) shardKey(shard string) store.Key {
	return store.Key{PK: l.pk, SK: keys.Join("S", shard)}
}
func (l leases) workerKey(worker string) store.Key {
	return store.Key{PK: l.pk, SK: keys.Join("W", worker)}
}

// leaseItem is the item of a shard, or that of a worker.
type leaseItem struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	lease.Lease
	Seq    string `dynamo:"seq,omitempty"` // everything up to it was handled; "" if nothing was
	Parent string `dynamo:"parent,omitempty"`
	Ended  bool   `dynamo:"ended,omitempty"` // everything in the shard was handled
	Beat   int64  `dynamo:"beat,omitempty"`

	damaged error
}

// UnmarshalDynamoItem keeps a damaged item, so that nobody takes its shard for an
// unknown one.
func (l *leaseItem) UnmarshalDynamoItem(item dynamo.Item) error {
	key := store.KeyOf(item)
	err := store.UnmarshalItem(item, l)
	if err == nil && (strings.Trim(l.Seq, "0123456789") != "" || len(l.Seq) > 64) {
		err = errors.New("seq is no sequence number")
	}
	if err != nil {
		*l = leaseItem{PK: key.PK, SK: key.SK, damaged: err}
	}
	return nil
}

func (l leaseItem) key() store.Key { return store.Key{PK: l.PK, SK: l.SK} }

// shardID is "" for a worker.
func (l leaseItem) shardID() string { return l.part("S") }

func (l leaseItem) workerID() string { return l.part("W") }

func (l leaseItem) part(kind string) string {
	if parts := keys.Split(l.SK); len(parts) == 2 && parts[0] == kind {
		return parts[1]
	}
	return ""
}

// all reads the leases by shard, and the beats by worker.
func (l leases) all(ctx context.Context) (shards map[string]leaseItem, beats map[string]int64, err error) {
	rows, err := store.Query[leaseItem](ctx, l.table, store.Span{PK: l.pk, Ascending: true, Consistent: true})
	if err != nil {
		return nil, nil, err
	}
	shards, beats = map[string]leaseItem{}, map[string]int64{}
	for _, row := range rows {
		l.table.Skips(l.corrupt(&row))
		if shard := row.shardID(); shard != "" {
			shards[shard] = row
		} else if worker := row.workerID(); worker != "" && row.damaged == nil {
			beats[worker] = row.Beat
		}
	}
	return shards, beats, nil
}

// beat shows that a worker is alive. n must differ from its last beat.
func (l leases) beat(ctx context.Context, worker string, n int64) error {
	return l.table.Run(ctx, l.table.Update(l.workerKey(worker)).Set("beat", n))
}

// leave removes a worker, unless it has sent a beat since.
func (l leases) leave(ctx context.Context, worker string, beat int64) error {
	_, err := l.holds(ctx, l.table.Delete(l.workerKey(worker)).If("beat = ?", beat))
	return err
}

// add stores a lease for a shard that is to be read.
func (l leases) add(ctx context.Context, s shard) (leaseItem, error) {
	key := l.shardKey(s.id)
	item := leaseItem{PK: key.PK, SK: key.SK, Parent: s.parent}
	found, err := l.holds(ctx, l.table.Put(item).If("attribute_not_exists(pk)"))
	if found != nil {
		return *found, err
	}
	return item, err
}

// forget removes a shard that has ended.
func (l leases) forget(ctx context.Context, shard string) error {
	_, err := l.holds(ctx, l.table.Delete(l.shardKey(shard)).If("ended = ?", true))
	return err
}

// acquire takes a shard from the owner that seen names, or a free one. It returns the
// item as it is afterwards. The worker has the shard if it is the Owner.
func (l leases) acquire(ctx context.Context, seen leaseItem, worker string) (leaseItem, error) {
	mine := lease.Lease{Owner: worker, Gen: seen.Gen + 1}
	update := lease.Take(l.table, seen.key(), seen.Lease, mine).If("attribute_exists(pk) AND attribute_not_exists(ended)")
	var now leaseItem
	found, err := l.holds(ctx, store.Returning{Update: update, Out: &now})
	if found != nil {
		return *found, err
	}
	return now, err
}

// checkpoint stores that everything up to seq was handled. It reports false if
// the lease is another's now.
//
// Its condition names the last checkpoint, because a late request must not undo a
// newer one.
func (l leases) checkpoint(ctx context.Context, held *leaseItem, seq string) (owned bool, err error) {
	next := func(found *leaseItem) (store.Write, error) {
		if owned = found.Lease == held.Lease; !owned {
			return nil, cmp.Or(l.corrupt(found), store.ErrSame)
		}
		update := l.owned(*held).Set("seq", seq)
		if found.Seq == "" {
			return update.If("attribute_not_exists(seq)"), nil
		}
		return update.If("seq = ?", found.Seq), nil // by a write whose answer was lost, perhaps this one
	}
	first, _ := next(held)
	if _, err := store.Merge(ctx, l.table, held.key(), first, next); err != nil {
		return true, fmt.Errorf("poller: checkpoint: %w", err)
	}
	if owned {
		held.Seq = seq
	}
	return owned, nil
}

// end stores that everything was handled. It reports false if the lease is
// another's now.
func (l leases) end(ctx context.Context, held leaseItem) (bool, error) {
	found, err := l.holds(ctx, l.owned(held).Set("ended", true).Remove("owner"))
	return err != nil || found == nil || found.Ended && found.Gen == held.Gen, err
}

// release frees a shard.
func (l leases) release(ctx context.Context, held leaseItem) error {
	_, err := l.holds(ctx, lease.Release(l.table, held.key(), held.Lease))
	return err
}

// owned is an update by the owner of a shard.
func (l leases) owned(held leaseItem) *store.Update {
	return lease.Owned(l.table, held.key(), held.Lease)
}

// holds runs a write. If the write was refused, it returns the item that is stored, or
// an empty one if there is none.
func (l leases) holds(ctx context.Context, w store.Write) (found *leaseItem, err error) {
	found, err = lease.Refused[leaseItem](ctx, l.table, w)
	if err == nil && found != nil {
		err = l.corrupt(found)
	}
	return found, err
}

// corrupt is plaza.ErrCorrupt if the item is damaged.
func (l leases) corrupt(found *leaseItem) error {
	if found.damaged == nil {
		return nil
	}
	return l.table.Corrupt(found.key(), found.damaged.Error())
}
