// Package work is a queue of jobs in a table. A job is an item that is deleted
// once its work is done.
//
// A worker claims a job by taking its lease. Others leave the job alone until the lease
// ends, and then claim it: the worker died, or its work failed. A worker that is stopped
// gives the job back. A slow worker may still be at work when another claims its job, so
// doing a job twice must be harmless.
//
// Jobs are spread over shards, each a partition. The number of shards is stored
// and only grows.
package work

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"sync/atomic"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Queue is the jobs of one kind. It must not be copied after its first use.
type Queue[W any] struct {
	Table *store.Table
	PK    func(shard int) string
	Lease time.Duration
	Now   func() time.Time

	// If MaxShards is 1, the number of shards is not stored.
	ShardsKey store.Key // of the item that holds the number of shards
	Shards    int       // how many this process spreads its jobs over, at least
	MaxShards int

	// Failed is given each error that keeps Pass from finding or claiming jobs,
	// and returns what Pass returns for it. Nil changes nothing.
	Failed func(error) error

	shardsStored atomic.Bool // this process has stored Shards, or has read as much
}

// Job is an item of the queue. W is what its work needs: the attributes of the
// item besides these. A job whose W cannot be decoded is damaged.
type Job[W any] struct {
	Key   store.Key
	Lease int64 // others leave it alone until then, in Unix ms; 0 means nobody has it
	Work  W

	claim uint32 // distinguishes leases that begin in one millisecond
}

// MarshalDynamoItem joins the key, the lease and the attributes of W.
func (j Job[W]) MarshalDynamoItem() (dynamo.Item, error) {
	item, err := dynamo.MarshalItem(j.Work)
	if err != nil {
		return nil, err
	}
	own, err := dynamo.MarshalItem(jobItem{j.Key.PK, j.Key.SK, j.Lease, j.claim})
	maps.Copy(item, own)
	return item, err
}

// UnmarshalDynamoItem reads what MarshalDynamoItem wrote.
func (j *Job[W]) UnmarshalDynamoItem(item dynamo.Item) error {
	var own jobItem
	if err := store.UnmarshalItem(item, &own); err != nil {
		return err
	}
	j.Key, j.Lease, j.claim = store.Key{PK: own.PK, SK: own.SK}, own.Lease, own.Claim
	return store.UnmarshalItem(item, &j.Work)
}

type jobItem struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Lease int64  `dynamo:"lease,omitempty"`
	Claim uint32 `dynamo:"claim,omitempty"`
}

// Place is the partition of the job that key names, the same for every call.
func (q *Queue[W]) Place(key string) (pk string) {
	h := fnv.New64a()
	h.Write([]byte(key))
	return q.PK(int(h.Sum64() % uint64(q.Shards)))
}

// StoredShards reads the number of shards, which is 0 before the first job. If the number
// is damaged, jobs may be in any shard.
func (q *Queue[W]) StoredShards(ctx context.Context, consistent bool) (int, error) {
	if q.MaxShards == 1 {
		return 1, nil
	}
	var item struct {
		N int `dynamo:"n"`
	}
	err := q.Table.Dated().Get(ctx, q.ShardsKey, consistent, &item)
	if errors.Is(err, plaza.ErrNotFound) {
		return 0, nil
	}
	if err == nil && (item.N < 1 || item.N > q.MaxShards) {
		err = q.Table.Corrupt(q.ShardsKey, fmt.Sprintf("n is %d", item.N))
	}
	if q.Table.Skips(err) {
		return q.MaxShards, nil
	}
	return item.N, err
}

// StoreShards raises the stored number of shards to this process's. Call it
// before a job is stored; it writes once a process.
func (q *Queue[W]) StoreShards(ctx context.Context) error {
	if q.MaxShards == 1 || q.shardsStored.Load() {
		return nil
	}
	_, err := q.holds(ctx, q.Table.Update(q.ShardsKey).Set("n", q.Shards).If("attribute_not_exists(n) OR n < ?", q.Shards))
	if err == nil {
		q.shardsStored.Store(true)
	}
	return err
}

// holds runs a write and reports whether its condition held.
func (q *Queue[W]) holds(ctx context.Context, w store.Write) (bool, error) {
	err := q.Table.Run(ctx, w)
	if _, refused := store.AsRefused(err); refused {
		return false, nil
	}
	return err == nil, err
}
