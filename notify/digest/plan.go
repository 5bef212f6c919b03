package digest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/share"
)

// Schedule plans a digest for the user on each channel, after the end of the slot that contains
// the id's time. It returns the end of the first of these slots: an event with a later id
// needs another call. A repeat changes nothing. A channel without a schedule is left out.
//
// Cost: 1 request, 1 WCU for each channel whose slot is new to the process; once a
// process 1 request, 1 WCU more; and Options.ScheduleOf.
//
//plaza:cost a slot that is new to the process: 1 request, 1 WCU
//plaza:cost a slot that it knows: none
//plaza:cost a process's first: 1 request, 1 WCU
func (r *Repository) Schedule(ctx context.Context, user string, channels []string, at ids.ID) (until ids.ID, err error) {
	ctx = plaza.WithOperation(ctx, "notify/digest.Repository.Schedule")
	if err := keys.CheckName("User", user); err != nil {
		return 0, err
	}
	if err := keys.CheckID("At", at); err != nil {
		return 0, err
	}
	for _, channel := range channels {
		if err := keys.CheckName("Channel", channel); err != nil {
			return 0, err
		}
	}
	ends := slices.Repeat([]ids.ID{always}, len(channels)+1)
	err = parallel.ForEach(ctx, len(channels), len(channels), func(ctx context.Context, i int) (err error) {
		ends[i], err = r.due(ctx, place{user, channels[i]}, at)
		return err
	})
	return slices.Min(ends), wrap("due for", user, err)
}

// place is a user's channel.
type place struct{ user, channel string }

// always is the end of a slot of a channel without a schedule.
const always = ids.ID(1<<63 - 1)

// due returns the end of the slot.
func (r *Repository) due(ctx context.Context, to place, at ids.ID) (until ids.ID, err error) {
	if until, ok := r.known.covers(to, at); ok {
		return until, nil
	}
	asked := r.opts.Now()
	p, on, err := r.plan(ctx, to)
	if err != nil {
		return 0, err
	}
	slot := known{to: always, asked: asked}
	if on {
		slot.from, slot.to = p.slotOf(at)
		if r.known.has(to, slot) {
			return slot.to, nil
		}
		if slot.none = !p.sends(slot.from); slot.none {
			r.known.add(to, slot)
			return slot.to, nil
		}
		if err := r.jobs.StoreShards(ctx); err != nil {
			return 0, err
		}
		if err := r.put(ctx, to, slot.from, slot.to); err != nil {
			return 0, err
		}
	}
	r.known.add(to, slot)
	return slot.to, nil
}

// put stores that a digest is due. If it is stored already, put may move its beginning to an
// earlier time.
func (r *Repository) put(ctx context.Context, to place, from, slot ids.ID) error {
	due := dueOf(slot)
	err := r.table.Run(ctx, r.table.Update(r.jobKey(to, due, slot)).
		Set("user", to.user).Set("channel", to.channel).Set("slot", slot).Set("begin", from).
		Set("ttl", due.Time().Add(jobLife).Unix()).
		If("attribute_not_exists('begin') OR 'begin' > ?", from))
	return ignoreRefused(err)
}

// plan asks Options.ScheduleOf. On is false if there are no digests.
func (r *Repository) plan(ctx context.Context, to place) (p *plan, on bool, err error) {
	s, err := r.opts.ScheduleOf(ctx, to.user, to.channel)
	if err == nil {
		p, err = r.plans.of(s)
	}
	return p, err == nil && !s.none(), err
}

// scheduleTTL is how long a process may use a schedule before it asks again.
const scheduleTTL = 30 * time.Second

// memory has the digests that this process knows to be stored.
type memory struct {
	now func() time.Time

	mu   sync.Mutex
	last *simplelru.LRU[place, known]
}

// known is a slot whose digest is stored or, without a schedule, all time.
type known struct {
	from, to ids.ID
	asked    time.Time
	none     bool // it has no digest
}

func newMemory(size int, now func() time.Time) (*memory, error) {
	last, err := simplelru.NewLRU[place, known](size, nil)
	return &memory{now: now, last: last}, err
}

// covers reports whether the digest for an id is known to be stored, or not needed, and
// until which id.
func (m *memory) covers(to place, id ids.ID) (until ids.ID, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.last.Get(to)
	return k.to, ok && share.Fresh(k.asked, m.now(), scheduleTTL) && k.from <= id && id < k.to
}

// has reports whether the digest of a slot is stored.
func (m *memory) has(to place, slot known) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.last.Get(to)
	if !ok || k.none || k.to != slot.to || k.from > slot.from {
		return false
	}
	slot.from = k.from
	m.last.Add(to, slot)
	return true
}

func (m *memory) add(to place, k known) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last.Add(to, k)
}

// forget removes a user who was erased.
func (m *memory) forget(user string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, to := range m.last.Keys() {
		if to.user == user {
			m.last.Remove(to)
		}
	}
}

// plans caches the plans of schedules, since zones are read from disk.
type plans struct {
	mu  sync.Mutex
	all *simplelru.LRU[Schedule, *plan]
}

const keptPlans = 1024

func newPlans() (*plans, error) {
	all, err := simplelru.NewLRU[Schedule, *plan](keptPlans, nil)
	return &plans{all: all}, err
}

func (c *plans) of(s Schedule) (*plan, error) {
	c.mu.Lock()
	p, ok := c.all.Get(s)
	c.mu.Unlock()
	if ok {
		return p, nil
	}
	made, err := newPlan(s)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Add(s, &made)
	return &made, nil
}
