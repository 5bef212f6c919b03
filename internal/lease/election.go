package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ErrLost is returned when another process has taken a leader's lease.
var ErrLost = errors.New("lease: another process leads now")

// StaleError is what Lead returns if it found work of a higher gen.
type StaleError struct{ Gen uint64 }

func (e *StaleError) Error() string { return fmt.Sprintf("lease: gen %d has led since", e.Gen) }

// Election lets one of any number of processes lead, by the item at Key {owner, gen,
// beat}.
type Election struct {
	Table *store.Table
	Key   store.Key
	Owner string // NewOwner's

	// Lease is how long a leader may go without a beat before another process leads.
	// A leader beats every third of it, and stops after two thirds without a beat, so
	// that Lead has time to end.
	Lease time.Duration

	// Lead leads until ctx ends. No two calls have the same gen, in any process, and
	// later ones have higher ones.
	Lead func(ctx context.Context, gen uint64) error

	// OnError is called with each failure that Run survives.
	OnError func(error)
}

// errEnded is reported if Lead returned nil while it still had the lease.
var errEnded = errors.New("lease: the leader ended by itself")

// stopWait is how long a leader that stops may take to give its lease back.
const stopWait = 5 * time.Second

// Run leads whenever nobody else does, until ctx ends, and returns the context's
// error. plaza.ErrTable ends it too. Then it gives its lease back. With a wrong clock it
// does not lead.
func (e *Election) Run(ctx context.Context) error {
	c := candidate{Election: e}
	for {
		pause, err := c.stand(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, plaza.ErrTable):
			return err
		case err != nil:
			e.OnError(err)
		}
		if err := parallel.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

func (e *Election) tick() time.Duration { return e.Lease / 3 }

// candidate is one Run of an Election.
type candidate struct {
	*Election
	watch Watch
	used  int64 // gens up to it have led
}

// leaderItem is the item of an election. Its beat rises with every beat and every
// leader.
type leaderItem struct {
	Lease
	Beat int64 `dynamo:"beat"`

	damaged error
}

// UnmarshalDynamoItem keeps the gen of a damaged item, since the next leader's must
// be higher.
func (i *leaderItem) UnmarshalDynamoItem(item dynamo.Item) error {
	err := store.UnmarshalItem(item, i)
	if err == nil && (i.Gen < 1 || i.Beat < 1) {
		err = errors.New("gen or beat is none")
	}
	if err != nil {
		*i = leaderItem{damaged: err}
		if store.SetInt(item["gen"], &i.Gen) != nil || i.Gen < 0 {
			i.Gen = 0
		}
	}
	return nil
}

// stand leads if nobody else does, and returns when to look again.
func (c *candidate) stand(ctx context.Context) (pause time.Duration, err error) {
	within, cancel := context.WithTimeout(ctx, c.Lease)
	defer cancel()
	asked := time.Now()
	var seen leaderItem
	if err := c.Table.Dated().Get(within, c.Key, true, &seen); err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return c.tick(), fmt.Errorf("lease: read: %w", err)
	}
	if err := c.Table.CheckClock(within); err != nil {
		return max(c.tick(), time.Second), fmt.Errorf("lease: %w", err)
	}
	if seen.damaged != nil {
		c.OnError(c.Table.Corrupt(c.Key, seen.damaged.Error()))
	}
	// A lease of its own comes from a take whose answer was lost, or from before it
	// lapsed.
	if mine := seen.Owner == c.Owner; !mine && (seen.Owner != "" || seen.damaged != nil) {
		if left := c.watch.Left(seen.Beat, asked, c.Lease); left > 0 {
			return min(left, c.tick()), nil
		}
	}
	sent := time.Now()
	held, err := c.take(within, seen)
	if err != nil || held.Owner != c.Owner {
		return c.tick(), err
	}
	return c.tick(), c.reign(ctx, held, sent)
}

// take takes the lease if it has not changed since it was read, and returns the one that is
// stored then.
func (c *candidate) take(ctx context.Context, seen leaderItem) (leaderItem, error) {
	mine := leaderItem{Lease: Lease{Owner: c.Owner, Gen: max(seen.Gen, c.used) + 1}, Beat: seen.Beat + 1}
	update := Take(c.Table, c.Key, seen.Lease, mine.Lease).Set("beat", mine.Beat)
	found, err := Refused[leaderItem](ctx, c.Table, update)
	switch {
	case err != nil:
		return leaderItem{}, fmt.Errorf("lease: take: %w", err)
	case found != nil:
		return *found, nil // the SDK repeats a request whose answer was lost, so it may be this one's
	}
	return mine, nil
}

// reign leads until ctx ends, Lead fails or the lease is lost.
func (c *candidate) reign(ctx context.Context, held leaderItem, sent time.Time) error {
	group, leading := parallel.WithContext(ctx)
	group.Go(func() error {
		err := c.Lead(leading, uint64(held.Gen))
		if err == nil && leading.Err() == nil {
			err = errEnded
		}
		return err
	})
	group.Go(func() error { return c.beat(leading, held, sent) })
	err := group.Wait()

	c.used = max(c.used, held.Gen)
	if stale := (*StaleError)(nil); errors.As(err, &stale) {
		c.used = max(c.used, int64(stale.Gen))
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	if _, err := Refused[leaderItem](within, c.Table, Release(c.Table, c.Key, held.Lease)); err != nil {
		c.OnError(fmt.Errorf("lease: release: %w", err))
	}
	return err
}

// beat beats until ctx ends, or until the lease is lost. Alive is when the last beat
// that arrived was sent.
func (c *candidate) beat(ctx context.Context, held leaderItem, alive time.Time) error {
	pause := c.tick()
	for {
		if err := parallel.Sleep(ctx, pause); err != nil {
			return err
		}
		sent := time.Now()
		held.Beat++
		within, cancel := context.WithDeadline(ctx, alive.Add(2*c.tick()))
		found, err := Refused[leaderItem](within, c.Table.Dated(), Owned(c.Table, c.Key, held.Lease).Set("beat", held.Beat))
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case found != nil && found.damaged != nil:
			return fmt.Errorf("%w: %w", ErrLost, c.Table.Corrupt(c.Key, found.damaged.Error()))
		case found != nil:
			return ErrLost
		case err == nil:
			if err := c.Table.CheckClock(ctx); errors.As(err, new(*plaza.ClockError)) {
				return fmt.Errorf("lease: beat: %w", err)
			}
			alive, pause = sent, c.tick()
			continue
		}
		err = fmt.Errorf("lease: beat: %w", err)
		if errors.Is(err, plaza.ErrTable) || time.Since(alive) >= 2*c.tick() {
			return err
		}
		c.OnError(err)
		pause = c.tick() / 10
	}
}
