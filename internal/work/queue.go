// Package work is a queue of jobs in a table. A job is an item that is deleted
// once its work is done.
//
// A worker takes a job's lease, and others leave the job alone until the lease
// ends. A worker that is stopped gives the job back; one that dies or fails
// leaves it to time. A lease is a hint and not a fence, so doing a job twice
// must be harmless.
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
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// stopWait is how long a stopped worker takes to give a job back.
const stopWait = time.Second

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

	claim uint32 // the last claim; two may take their leases in one millisecond
}

const (
	lease = "lease"
	claim = "claim"
)

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

// NewLease is a lease that begins now.
func (q *Queue[W]) NewLease() int64 { return q.Now().Add(q.Lease).UnixMilli() }

// Claim takes the lease of a job, unless another worker has taken it since the job was
// read. Then job is what is stored: another worker may have begun the work and left it
// since. A lease that ends later than any lease taken now comes from a clock that is far
// ahead, and is ignored.
func (q *Queue[W]) Claim(ctx context.Context, job *Job[W]) (claimed bool, err error) {
	seen, now := job.Lease, q.Now()
	if seen > now.UnixMilli() && seen <= now.Add(q.Lease+keys.MaxAhead).UnixMilli() {
		return false, nil
	}
	job.Lease, job.claim = q.NewLease(), rand.Uint32()
	update := q.Table.Update(job.Key).Set(lease, job.Lease).Set(claim, job.claim)
	if seen == 0 {
		update.If("attribute_exists(pk) AND attribute_not_exists(lease)")
	} else {
		update.If("lease = ?", seen)
	}
	var stands Job[W]
	err = q.Table.Run(ctx, store.Returning{Update: update, Out: &stands})
	if refused, ok := store.AsRefused(err); ok {
		err = nil
		if item, _ := refused.At(0); item != nil {
			err = q.Table.Decode(item, &stands)
		}
		claimed = err == nil && stands.Lease == job.Lease && stands.claim == job.claim // the SDK may have sent it twice
	} else {
		claimed = err == nil
	}
	if claimed {
		*job = stands
	}
	q.GiveBack(ctx, *job)
	return claimed && ctx.Err() == nil, err
}

// Checkpoint stores how far the work on a job came, and renews its lease or
// leaves the job to others. It reports false if the job was ended meanwhile.
func (q *Queue[W]) Checkpoint(ctx context.Context, job *Job[W], progress map[string]any, leave bool) (stands bool, err error) {
	update := q.Table.Update(job.Key).If("attribute_exists(pk)")
	for name, value := range progress {
		update.Set(name, value)
	}
	if leave {
		update.Remove(lease, claim)
	} else {
		job.Lease = q.NewLease()
		update.Set(lease, job.Lease)
	}
	return q.holds(ctx, update)
}

// GiveBack ends the lease of a job if ctx has ended, so that others need not wait. It
// ends any lease up to the job's, because it does not know which of the job's writes
// arrived. If it fails, the lease expires.
func (q *Queue[W]) GiveBack(ctx context.Context, job Job[W]) {
	if ctx.Err() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	_, _ = q.holds(ctx, q.Table.Update(job.Key).Remove(lease, claim).If("lease <= ?", job.Lease))
}

// End deletes a job whose work is done.
func (q *Queue[W]) End(ctx context.Context, job Job[W]) error {
	return q.Table.Run(ctx, q.Table.Delete(job.Key))
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
