package group

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// memory is a group as the package comment describes it, kept as a list of all that
// happened.
type memory struct {
	events []*event // in the order of their writes
	shelf  Shelf
	woken  event // the write that put it back into the list
}

type event struct {
	Event
	write ids.ID
	off   bool
	shown bool
}

func (m *memory) find(e Event) *event {
	for _, known := range m.events {
		if known.attribute() == e.attribute() {
			return known
		}
	}
	return nil
}

// live are the events that count, newest first.
func (m *memory) live() []*event {
	live := slices.DeleteFunc(slices.Clone(m.events), func(e *event) bool { return e.off })
	slices.SortFunc(live, func(a, b *event) int { return cmp.Compare(b.ID, a.ID) })
	return live
}

func (m *memory) store(e Event, write ids.ID) {
	m.events = slices.DeleteFunc(m.events, func(known *event) bool { return known.attribute() == e.attribute() })
	m.events = append(m.events, &event{Event: e, write: write})
	m.shelf = Listed
}

func (m *memory) retract(e Event) {
	known := m.find(e)
	if known == nil {
		known = &event{}
		m.events = append([]*event{known}, m.events...)
	}
	known.Event, known.off = e, true
}

func (m *memory) actors() []string {
	all := []string{}
	for _, e := range m.live() {
		if len(all) < 5 && !slices.Contains(all, e.Actor) {
			all = append(all, e.Actor)
		}
	}
	return all
}

func rebuilt(_ string, e Entry, data string) (string, error) {
	if data == dataOf(e.ID) {
		return data, nil
	}
	return fmt.Sprintf(`{"rebuilt":%q}`, e.ID), nil
}

func dataOf(id ids.ID) string { return fmt.Sprintf(`{"id":%q}`, id) }

// offline is a table that is never asked.
func offline(t testing.TB) *store.Table {
	t.Helper()
	table, err := store.Open(dynamo.NewFromIface(dynamodb.New(dynamodb.Options{})), "none", nil, true)
	require.NoError(t, err)
	return table
}

// TestAGroupIsWhatIsLeftOfItsEvents shuffles events with retractions, repeats, marks
// and shelves. It compares the group after each step, as it is written and read, with
// a list of all that happened, and what the marks say with what was shown.
func TestAGroupIsWhatIsLeftOfItsEvents(t *testing.T) {
	t.Parallel()
	table, key := offline(t), store.Key{PK: "N#bob", SK: "G#photo"}
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		var item dynamo.Item
		var m memory
		clock := ids.At(now)
		next := func() ids.ID { clock++; return clock }
		var known []Event
		var watermark ids.ID
		var shown []ids.ID // the set of what was shown above the watermark
		unseen := func(g *stored) bool {
			return g.N > 0 && g.PlaceID() > watermark && !g.Shown(func(id ids.ID) bool { return slices.Contains(shown, id) })
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			g, err := parse(table, key, item, now)
			require.NoError(t, err)
			g.TTL = now.Add(time.Hour).Unix()
			wasUnseen, wasLast := unseen(g), g.Last
			e := Event{ID: next(), Actor: fmt.Sprint("actor", rapid.IntRange(0, 7).Draw(t, "actor")), ByActor: rapid.Bool().Draw(t, "by actor")}
			e.Data = dataOf(e.ID)
			known = append(known, e)
			if rapid.Bool().Draw(t, "old") {
				e = rapid.SampledFrom(known).Draw(t, "event")
			}
			before := m.find(e)
			switch op := rapid.IntRange(0, 8).Draw(t, "op"); op {
			case 0, 1, 2: // an event
				status, ok, err := g.known(e)
				require.NoError(t, err)
				switch {
				case before != nil && before.ID >= e.ID && before.off:
					require.Equal(t, Dropped, status)
				case before != nil && before.ID >= e.ID:
					require.Equal(t, Stored, status)
					if g.has(e) && m.shelf == Listed && len(g.entries[e.attribute()].writes()) <= maxMoves {
						before.write = next() // a repeat that moves the group
						require.Equal(t, g.entries[e.attribute()].first(), g.move(e, before.write))
						before.shown = false
					}
				default:
					require.False(t, ok)
					write := next()
					require.Equal(t, Stored, g.add(e, write))
					m.store(e, write)
				}
			case 3, 4: // a retraction
				want := before == nil || before.ID < e.ID || before.ID == e.ID && !before.off
				require.Equal(t, want, g.retract(e, next()))
				if want {
					m.retract(e)
					if live := g.live(); len(live) > 0 {
						g.Data, err = rebuilt(g.SK, live[0], g.Data)
						require.NoError(t, err)
					}
				}
				require.False(t, unseen(g) && !wasUnseen, "a retraction makes nothing unseen")
			case 5: // the user marks what a list shows
				if g.N > 0 {
					shown = append(shown, g.PlaceID())
					m.woken.shown = true
					for _, e := range m.events {
						e.shown = true
					}
				}
			case 6: // some time later all that was shown is below the watermark
				if wasUnseen {
					continue
				}
				watermark = max(watermark, g.PlaceID())
				shown = slices.DeleteFunc(shown, func(id ids.ID) bool { return id <= watermark })
			case 7: // the user moves the group
				if g.N > 0 {
					id := g.PlaceID()
					g.Was = ""
					m.shelf = rapid.SampledFrom([]Shelf{Listed, Archived, Snoozed}).Draw(t, "shelf")
					if m.shelf == Snoozed {
						g.Was = Place(Listed, id, g.SK)
						g.Place = Place(Snoozed, clock+1000, g.SK)
					} else {
						g.Place = Place(m.shelf, id, g.SK)
					}
				}
			case 8: // a snoozed group is due
				if m.shelf == Snoozed && g.N > 0 {
					id := next()
					g.Last, g.Floor, g.Place, g.Was = id, id, Place(Listed, id, g.SK), ""
					m.shelf, m.woken = Listed, event{write: id}
				}
			}
			if g.Last == 0 {
				continue // nothing happened
			}
			item = g.next()
			got, err := parse(table, key, item, now)
			require.NoError(t, err)

			live := m.live()
			require.EqualValues(t, len(live), got.N)
			require.GreaterOrEqual(t, got.Last, wasLast)
			require.Equal(t, g.Rev+1, got.Rev)
			require.Equal(t, m.actors(), got.Actors())
			if len(live) == 0 {
				require.Empty(t, got.Place)
				require.Empty(t, got.Data)
				m.woken = event{}
				continue
			}
			place := m.woken.write
			for _, e := range live {
				place = max(place, e.write)
			}
			require.Equal(t, place, got.PlaceID())
			require.Contains(t, []string{dataOf(live[0].ID), fmt.Sprintf(`{"rebuilt":%q}`, live[0].ID)}, got.Data)
			shelf, _, err := ParsePlace(got.Place)
			require.NoError(t, err)
			require.Equal(t, m.shelf, shelf)
			for _, e := range append(live, &m.woken) {
				require.True(t, unseen(got) || e.shown || e.write <= watermark, "an event that was not shown is unseen")
			}
		}
	})
}
