package feed_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// harsh is faults.Standard with other failures that may pass.
var harsh = faults.Rates{
	LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05,
	Conflict: 0.05, Unprocessed: 0.10, Stale: 0.20,
}

// retried repeats a call until it succeeds.
func retried[T any](t testing.TB, call func() (T, error)) (got T) {
	t.Helper()
	for range 100 {
		var err error
		if got, err = call(); err == nil {
			return got
		}
		for _, final := range []error{plaza.ErrInvalid, plaza.ErrNotFound, plaza.ErrConflict, plaza.ErrRemoved, plaza.ErrTable} {
			if errors.Is(err, final) {
				t.Errorf("not a passing error: %v", err)
				return got
			}
		}
	}
	t.Errorf("no answer in 100 calls")
	return got
}

func TestNothingIsLostOrDoubledUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			injector := faults.New(t, seed, harsh)
			w := newWorld(t, &feed.Options{InlineFollowers: 2}, injector.Wrap)
			m := model{w: w, random: rand.New(rand.NewPCG(seed, 1)), floors: map[string]ids.ID{}}
			for range faults.Size(70, 28) {
				m.step(t)
			}
			injector.Off()
			deliverAll(t, w.later(t))
			for _, reader := range people {
				require.Equal(t, m.home(reader), all(t, w.Home(reader).List, 7), "home of %s", reader)
				require.Equal(t, m.outbox(reader), all(t, w.Outbox(reader).List, 7), "outbox of %s", reader)
			}
		})
	}
}

// deliverAll finishes all deliveries. The clock of later must be past every
// lease.
func deliverAll(t testing.TB, later world) {
	t.Helper()
	for {
		delivered, err := later.Deliver(t.Context())
		require.NoError(t, err)
		if delivered == 0 {
			return
		}
	}
}

var people = []string{"ann", "bob", "chris", "dora", "eve"}

// model is the expected content of the feeds after random calls.
type model struct {
	w        world
	random   *rand.Rand
	follows  [][2]string
	standing []published
	removed  []published
	floors   map[string]ids.ID
}

type published struct {
	owner string
	feed.Activity
}

// isIn reports whether the activity is in the outbox of source.
func (p published) isIn(source string) bool {
	return p.owner == source || slices.Contains(p.To, source)
}

func (m *model) step(t *testing.T) {
	ctx := t.Context()
	who, other := people[m.random.IntN(len(people))], people[m.random.IntN(len(people))]
	edge := [2]string{who, other}
	switch m.random.IntN(9) {
	case 0, 1:
		if who == other {
			return
		}
		id := retried(t, func() (ids.ID, error) { return m.w.gen.Next(ctx) })
		created := retried(t, func() (bool, error) { return m.w.Home(who).Follow(ctx, other, &feed.FollowOptions{ID: id}) })
		require.Equal(t, !slices.Contains(m.follows, edge), created)
		if created {
			m.follows = append(m.follows, edge)
		}
	case 2:
		if who == other {
			return
		}
		retried(t, func() (bool, error) { return m.w.Home(who).Unfollow(ctx, other, nil) })
		m.follows = slices.DeleteFunc(m.follows, func(e [2]string) bool { return e == edge })
	case 3: // a late repeat of a removed activity
		if len(m.removed) == 0 {
			return
		}
		late := m.removed[m.random.IntN(len(m.removed))]
		retried(t, func() (bool, error) {
			_, _, err := m.w.Outbox(late.owner).Publish(ctx, late.Activity)
			if errors.Is(err, plaza.ErrRemoved) {
				return true, nil
			}
			require.Error(t, err)
			return false, err
		})
	case 4:
		if len(m.standing) == 0 {
			return
		}
		i := m.random.IntN(len(m.standing))
		gone := m.standing[i]
		retried(t, func() (bool, error) { return m.w.Outbox(gone.owner).Remove(ctx, gone.ID) })
		m.standing = slices.Delete(m.standing, i, i+1)
		m.removed = append(m.removed, gone)
	case 5:
		if len(m.standing) == 0 || m.random.IntN(3) > 0 {
			return
		}
		floor := m.standing[m.random.IntN(len(m.standing))].ID
		retried(t, func() (bool, error) { return m.w.Home(who).Trim(ctx, floor) })
		m.floors[who] = max(m.floors[who], floor)
	default:
		a := activity(who, m.random.IntN(1000))
		a.ID = retried(t, func() (ids.ID, error) { return m.w.gen.Next(ctx) })
		a.ForeignID = a.Object.String()
		if who != other && m.random.IntN(2) == 0 {
			a.To = []string{other}
		}
		if slices.ContainsFunc(m.standing, func(p published) bool { return p.owner == who && p.ForeignID == a.ForeignID }) {
			return
		}
		a = retried(t, func() (feed.Activity, error) { return stored(m.w.Outbox(who).Publish(ctx, a)) })
		m.standing = append(m.standing, published{who, a})
	}
}

func (m *model) home(reader string) []ids.ID {
	return m.ids(func(p published) bool {
		return p.ID >= m.floors[reader] && slices.ContainsFunc(m.follows, func(e [2]string) bool {
			return e[0] == reader && p.isIn(e[1])
		})
	})
}

func (m *model) outbox(owner string) []ids.ID {
	return m.ids(func(p published) bool { return p.isIn(owner) })
}

func (m *model) ids(wanted func(published) bool) []ids.ID {
	var got []ids.ID
	for _, p := range slices.Backward(m.standing) {
		if wanted(p) {
			got = append(got, p.ID)
		}
	}
	return got
}
