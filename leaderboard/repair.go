package leaderboard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/folder"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Repair fixes the entries that Check finds broken, and returns the Drift that Check
// would. A second Repair finds nothing broken. Others may write meanwhile. Misfolded
// numbers are right once a Folder has read the period again, after FolderOptions.Settle
// and the time to read the index.
//
// An entry with a damaged key gets the key of its score and sub score, with the time
// of its last operation; if the score is damaged too, the player is removed. A damaged
// period gets its end and the rest from the board's definition, and counts as one broken
// entry. A damaged definition is plaza.ErrCorrupt until Define.
//
// Cost: as Check; 1 request, up to 4 WCU a broken entry; 1 request, 1 WCU if
// misfolded; 4 requests, a Check for a damaged period.
func (r *Repository) Repair(ctx context.Context, in In) (Drift, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Repair")
	if err := in.check(); err != nil {
		return Drift{}, err
	}
	drift, err := r.repair(ctx, in)
	return drift, in.wrap("repair", err)
}

func (r *Repository) repair(ctx context.Context, in In) (Drift, error) {
	periods := 0
	a, err := r.audit(ctx, in)
	var damage *plaza.CorruptError
	for errors.As(err, &damage) && damage.PK == periodsPK(in.Board) && periods < maxRetries {
		if err := r.fixPeriod(ctx, in.Board, store.Key{PK: damage.PK, SK: damage.SK}); err != nil {
			return Drift{}, err
		}
		periods++
		a, err = r.audit(ctx, in)
	}
	if err != nil {
		return Drift{}, err
	}
	for _, entry := range a.broken {
		if err := r.fixEntry(ctx, a, entry); err != nil {
			return Drift{}, err
		}
	}
	if a.misfolded > 0 {
		id, err := r.gen.Next(ctx)
		if err != nil {
			return Drift{}, err
		}
		if err := r.table.Run(ctx, folder.Order(r.table, a.name(), id, a.period.ttl)); err != nil {
			return Drift{}, err
		}
	}
	drift := a.drift()
	drift.Broken += periods
	return drift, nil
}

// fixEntry writes an entry as it should be, unless it changed since it was read.
func (r *Repository) fixEntry(ctx context.Context, a audit, entry dynamo.Item) error {
	_, err := store.Merge(ctx, r.table, store.KeyOf(entry), r.fix(a.fixed(entry), entry), func(now *dynamo.Item) (store.Write, error) {
		if err := a.reopen(ctx, r); err != nil {
			return nil, err
		}
		if *now == nil || a.whole(*now) { // it may have been erased
			return nil, store.ErrSame
		}
		return r.fix(a.fixed(*now), *now), nil
	})
	return err
}

// revisionAttrs are attributes of an entry. Every write changes at least one of them.
var revisionAttrs = []string{"rev", "lastOp", "ops", "key", "removed", "managed"}

func (r *Repository) fix(want, entry dynamo.Item) store.Write {
	if want == nil {
		return store.IfUnchanged(r.table.Delete(store.KeyOf(entry)), entry, revisionAttrs...)
	}
	if !isErased(want) {
		n := int64(0)
		if rev, ok := want["rev"].(*types.AttributeValueMemberN); ok {
			n, _ = strconv.ParseInt(rev.Value, 10, 64)
		}
		want["rev"] = &types.AttributeValueMemberN{Value: strconv.FormatInt(n+1, 10)}
	}
	return store.IfUnchanged(r.table.Put(want), entry, revisionAttrs...)
}

// fixPeriod fills a damaged period from the definition. If the number of shards is
// lost, it becomes MaxShards. An item that cannot be a period is deleted.
func (r *Repository) fixPeriod(ctx context.Context, board string, key store.Key) error {
	var item dynamo.Item
	if err := r.table.Get(ctx, key, true, &item); err != nil {
		return err
	}
	b, err := r.board(ctx, board)
	if err != nil {
		return err
	}
	defer r.forget(board, nil)
	all := []string{"end", "grace", "shards", "before", "from", "expires"}
	p, err := r.fixedPeriod(ctx, b, item)
	if errors.Is(err, errPlace) {
		return r.table.Run(ctx, store.IfUnchanged(r.table.Delete(key), item, all...))
	}
	if err != nil {
		return err
	}
	err = r.table.Run(ctx, store.IfUnchanged(r.table.Put(newPeriodItem(board, p)), item, all...))
	if _, refused := store.AsRefused(err); refused {
		return nil // another call fixed it, so read it again
	}
	return err
}

func (r *Repository) fixedPeriod(ctx context.Context, b *board, item dynamo.Item) (period, error) {
	read := dynamo.Item{"pk": item["pk"], "sk": item["sk"], "shards": &types.AttributeValueMemberN{Value: strconv.Itoa(MaxShards)}}
	if r.table.Decode(read, new(periodItem)) != nil {
		return period{}, errPlace
	}
	lost := map[string]bool{}
	for _, name := range []string{"end", "grace", "shards", "expires"} {
		alone := maps.Clone(read)
		alone[name] = item[name]
		if lost[name] = item[name] != nil && r.table.Decode(alone, new(periodItem)) != nil; !lost[name] && item[name] != nil {
			read[name] = item[name]
		}
	}
	var i periodItem
	if err := r.table.Decode(read, &i); err != nil {
		return period{}, err
	}
	p := i.period()
	if lost["end"] {
		switch {
		case b.schedule != nil:
			p.end = b.schedule.Next(p.start)
		case b.unscheduled != nil:
			return period{}, b.unscheduled
		}
		next := periodKey(b.Name, p.start.Add(time.Second))
		later, err := r.neighbour(ctx, store.Span{PK: next.PK, From: next.SK, Ascending: true, Limit: 1, Consistent: true})
		if err != nil {
			return period{}, fmt.Errorf("the period after it: %w", err)
		}
		if later != nil && (p.end.IsZero() || later.start.Before(p.end)) {
			p.end = later.start
		}
	}
	if lost["grace"] {
		p.grace = b.Grace
	}
	if lost["expires"] && b.Keep > 0 && !p.end.IsZero() {
		p.ttl = p.end.Add(p.grace + b.Keep).Unix()
	}
	return p, nil
}
