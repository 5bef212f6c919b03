package work_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

const lease = 30 * time.Second

// parcel is the work in these tests.
type parcel struct {
	To string `dynamo:"to"`
	At int    `dynamo:"at,omitempty"`
}

type job = work.Job[parcel]

// CheckItem refuses a parcel for nobody.
func (p *parcel) CheckItem() error {
	if p.To == "" {
		return fmt.Errorf("is for nobody")
	}
	return nil
}

// queue is the queue of one process.
type queue struct {
	*work.Queue[parcel]
	table   string
	now     time.Time
	damaged int
}

// newQueue returns a queue that has a job for each name.
func newQueue(t testing.TB, names ...string) *queue {
	t.Helper()
	q := processOn(t, dynamotest.Table(t, store.Schema), nil)
	if len(names) > 0 {
		q.store(t, names...)
	}
	return q
}

func (q *queue) process(t testing.TB, in *faults.Injector) *queue { return processOn(t, q.table, in) }

func processOn(t testing.TB, name string, in *faults.Injector) *queue {
	t.Helper()
	q := &queue{table: name, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	if in == nil {
		in = faults.New(t, 1, faults.Rates{})
	}
	table, err := store.Open(dynamotest.DB(t, in.Wrap), name, func(*plaza.CorruptError) { q.damaged++ }, true)
	require.NoError(t, err)
	q.Queue = newQueueOf(table, func() time.Time { return q.now })
	return q
}

func newQueueOf(table *store.Table, now func() time.Time) *work.Queue[parcel] {
	return &work.Queue[parcel]{
		Table: table, PK: func(shard int) string { return "J#" + strconv.Itoa(shard) }, Lease: lease, Now: now,
		ShardsKey: store.Key{PK: "J", SK: "shards"}, Shards: 4, MaxShards: 8,
	}
}

// store puts a job for each name into the queue.
func (q *queue) store(t testing.TB, names ...string) {
	t.Helper()
	require.NoError(t, q.StoreShards(t.Context()))
	jobs := make([]dynamo.Item, len(names))
	for i, name := range names {
		var err error
		jobs[i], err = dynamo.MarshalItem(q.job(name))
		require.NoError(t, err)
	}
	require.NoError(t, q.Table.PutAll(t.Context(), jobs, 2))
}

func (q *queue) job(name string) job {
	return job{Key: store.Key{PK: q.Place(name), SK: name}, Work: parcel{To: name}}
}

// stored reads the job of name.
func (q *queue) stored(t testing.TB, name string) (j job) {
	t.Helper()
	require.NoError(t, q.Table.Get(t.Context(), q.job(name).Key, true, &j))
	return j
}

// claim claims a job that nobody else has.
func (q *queue) claim(t testing.TB, j *job) {
	t.Helper()
	claimed, err := q.Claim(t.Context(), j)
	require.NoError(t, err)
	require.True(t, claimed)
}

// claimed claims the job of name, and returns it.
func (q *queue) claimed(t testing.TB, name string) job {
	t.Helper()
	j := q.stored(t, name)
	q.claim(t, &j)
	return j
}

// checkpoint stores how far the work is, and reports whether the job was still held.
func (q *queue) checkpoint(t testing.TB, j *job, at int, leave bool) bool {
	t.Helper()
	held, err := q.Checkpoint(t.Context(), j, map[string]any{"at": at}, leave)
	require.NoError(t, err)
	return held
}

func TestAJobIsOneItem(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	require.Equal(t, q.job("ann"), q.stored(t, "ann"))
	var item dynamo.Item
	require.NoError(t, q.Table.Get(t.Context(), q.job("ann").Key, true, &item))
	require.Equal(t, dynamo.Item{"pk": text(q.Place("ann")), "sk": text("ann"), "to": text("ann")}, item, "nobody has it: it has no lease")

	j := q.stored(t, "ann")
	require.NoError(t, q.End(t.Context(), j))
	require.ErrorIs(t, q.Table.Get(t.Context(), j.Key, true, &j), plaza.ErrNotFound)
	require.NoError(t, q.End(t.Context(), j), "it is harmless to end it again")
}

func TestOneOfManyClaimsSucceeds(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	seen := q.stored(t, "ann")
	for _, when := range []string{"free", "left by a dead worker"} {
		var claims errgroup.Group
		won := make(chan job, 16)
		for n := range 16 {
			other := q.process(t, nil)
			other.now = q.now.Add(time.Duration(n%2) * time.Millisecond) // most leases are equal
			claims.Go(func() error {
				mine := seen
				claimed, err := other.Claim(t.Context(), &mine)
				if claimed {
					won <- mine
				}
				return err
			})
		}
		require.NoError(t, claims.Wait(), when)
		require.Len(t, won, 1, when)
		require.Equal(t, <-won, q.stored(t, "ann"), when)
		seen, q.now = q.stored(t, "ann"), q.now.Add(lease+time.Minute)
	}
}

func TestALeaseKeepsOthersAwayUntilItEnds(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	mine := q.claimed(t, "ann")
	require.Equal(t, q.now.Add(lease).UnixMilli(), mine.Lease)

	other := q.process(t, nil)
	for _, tc := range []struct {
		clock time.Duration // of the other process, relative to the holder's
		want  bool
	}{
		{0, false},
		{-keys.MaxAhead, false}, // the holder's clock is ahead by as much as clocks may be
		{lease - time.Millisecond, false},
		{-keys.MaxAhead - time.Millisecond, true}, // only a wrong clock can have taken such a lease
		{lease, true},
	} {
		theirs := mine
		other.now = q.now.Add(tc.clock)
		claimed, err := other.Claim(t.Context(), &theirs)
		require.NoError(t, err)
		require.Equal(t, tc.want, claimed, tc.clock)
		mine = q.stored(t, "ann")
		q.now = time.UnixMilli(mine.Lease).Add(-lease)
	}
}

func TestAClaimSentTwiceHolds(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(op string, _ []byte, n int) faults.Fault {
		if n == 1 {
			return faults.Fault{Kind: faults.LostAfter}
		}
		return faults.Fault{}
	})
	mine := q.stored(t, "ann")
	claimed, err := q.process(t, in).Claim(t.Context(), &mine)
	require.NoError(t, err)
	require.True(t, claimed)
	require.Equal(t, mine, q.stored(t, "ann"))
}

func TestAClaimReadsWhatOthersDid(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	seen := q.stored(t, "ann")
	theirs := seen
	q.claim(t, &theirs)
	require.True(t, q.checkpoint(t, &theirs, 7, true))

	mine := seen
	q.claim(t, &mine)
	require.Equal(t, 7, mine.Work.At)
	require.Equal(t, q.stored(t, "ann"), mine)
}

func TestAClaimOfAnEndedJobFails(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	for _, lease := range []int64{0, 1} {
		mine := q.job("ann")
		mine.Lease = lease
		require.NoError(t, q.End(t.Context(), mine))
		claimed, err := q.Claim(t.Context(), &mine)
		require.NoError(t, err)
		require.False(t, claimed)
		require.ErrorIs(t, q.Table.Get(t.Context(), mine.Key, true, new(job)), plaza.ErrNotFound, "it stays away")
	}
}

func TestACheckpointKeepsTheProgress(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	mine := q.claimed(t, "ann")

	q.now = q.now.Add(20 * time.Second)
	require.True(t, q.checkpoint(t, &mine, 1, false))
	mine.Work.At = 1
	require.Equal(t, q.now.Add(lease).UnixMilli(), mine.Lease, "it is renewed")
	require.Equal(t, mine, q.stored(t, "ann"))

	require.True(t, q.checkpoint(t, &mine, 2, true))
	left := q.job("ann")
	left.Work.At = 2
	require.Equal(t, left, q.stored(t, "ann"), "anybody may go on")

	require.NoError(t, q.End(t.Context(), mine))
	for _, leave := range []bool{false, true} {
		require.False(t, q.checkpoint(t, &mine, 3, leave), "another ended it")
	}
}

func TestAStoppedWorkerGivesBackOnlyItsOwnLease(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	mine := q.claimed(t, "ann")

	stopped, stop := context.WithCancel(t.Context())
	stop()
	q.now = q.now.Add(lease)
	theirs := mine
	q.claim(t, &theirs)
	q.GiveBack(stopped, mine)
	require.Equal(t, theirs, q.stored(t, "ann"), "another's lease ends later")
	q.GiveBack(stopped, theirs)
	require.Zero(t, q.stored(t, "ann").Lease)
}

func TestAStoppedClaimIsGivenBack(t *testing.T) {
	t.Parallel()
	q := newQueue(t, "ann")
	ctx, stop := context.WithCancel(t.Context())
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(_ string, _ []byte, n int) faults.Fault {
		if n == 1 {
			return faults.Fault{Kind: faults.Hung} // it is applied
		}
		return faults.Fault{}
	})
	mine, worker := q.stored(t, "ann"), q.process(t, in)
	failed := make(chan error, 1)
	go func() {
		claimed, err := worker.Claim(ctx, &mine)
		if claimed {
			err = nil
		}
		failed <- err
	}()
	for q.stored(t, "ann").Lease == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	require.Error(t, <-failed)
	require.Zero(t, q.stored(t, "ann").Lease)
}

func TestShardsOnlyGrow(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	n, err := q.StoredShards(t.Context(), true)
	require.NoError(t, err)
	require.Zero(t, n, "there was no job yet")
	for _, step := range []struct{ own, want int }{{4, 4}, {2, 4}, {6, 6}, {1, 6}} {
		process := q.process(t, nil)
		process.Shards = step.own
		require.NoError(t, process.StoreShards(t.Context()))
		n, err = q.StoredShards(t.Context(), true)
		require.NoError(t, err)
		require.Equal(t, step.want, n)
	}
	for _, damage := range []any{0, 9, "many"} {
		q.damaged = 0
		require.NoError(t, q.Table.Run(t.Context(), q.Table.Update(q.ShardsKey).Set("n", damage)))
		n, err = q.StoredShards(t.Context(), true)
		require.NoError(t, err)
		require.Equal(t, q.MaxShards, n, "jobs may lie in any")
		require.Equal(t, 1, q.damaged)
	}
}

func TestASingleShardIsNotStored(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	q.Shards, q.MaxShards = 1, 1
	require.NoError(t, q.StoreShards(t.Context()))
	require.ErrorIs(t, q.Table.Get(t.Context(), q.ShardsKey, true, new(dynamo.Item)), plaza.ErrNotFound)
	n, err := q.StoredShards(t.Context(), true)
	require.NoError(t, err)
	require.Equal(t, 1, n)
}
