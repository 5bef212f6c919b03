package feed_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// sourceMode is the stored mode of a source.
type sourceMode struct {
	Mode feed.Mode `dynamo:"mode"`
	At   ids.ID    `dynamo:"at"`
}

// storedMode reads the mode of a source that was switched.
func (w world) storedMode(t testing.TB, source string) (m sourceMode) {
	t.Helper()
	require.NoError(t, dynamotest.DB(t).Table(w.feedTable).Get("pk", "O#"+source).Range("sk", dynamo.Equal, "~").Consistent(true).One(t.Context(), &m))
	return m
}

// setPulled begins a switch and returns its id.
func (w world) setPulled(t testing.TB, source string, pulled bool) (at ids.ID) {
	t.Helper()
	_, err := w.Outbox(source).SetPulled(t.Context(), pulled)
	require.NoError(t, err)
	return w.storedMode(t, source).At
}

// switched makes a whole switch and returns its id.
func (w world) switched(t testing.TB, source string, pulled bool) (at ids.ID) {
	t.Helper()
	w.switchTo(t, source, map[bool]feed.Mode{true: feed.Pulled, false: feed.Pushed}[pulled])
	return w.storedMode(t, source).At
}

// homePull is a stored pull of a home, by which it reads an outbox.
type homePull struct {
	Source string
	Edge   ids.ID
	pull
}

// pullsOf reads the pulls of a home, oldest edge first.
func (w world) pullsOf(t testing.TB, reader string) (found []homePull) {
	t.Helper()
	for name, value := range headerItem(t, w, reader) {
		parts := keys.Split(name)
		if len(parts) != 3 || parts[0] != "pull" {
			continue
		}
		edge, err := ids.Parse(parts[1])
		require.NoError(t, err)
		p := homePull{Source: parts[2], Edge: edge}
		require.NoError(t, dynamo.Unmarshal(value, &p.pull))
		found = append(found, p)
	}
	slices.SortFunc(found, func(a, b homePull) int { return cmp.Compare(a.Edge, b.Edge) })
	return found
}

// pullOf reads a home's only pull.
func (w world) pullOf(t testing.TB, reader string) homePull {
	t.Helper()
	pulls := w.pullsOf(t, reader)
	require.Len(t, pulls, 1, "home of %s", reader)
	return pulls[0]
}

// entriesOf are the activities that deliveries wrote into a home.
func (w world) entriesOf(t testing.TB, reader string) (found []ids.ID) {
	t.Helper()
	var rows []row
	err := dynamotest.DB(t).Table(w.feedTable).Get("pk", "H#"+reader).Range("sk", dynamo.Less, "~").Order(dynamo.Descending).Consistent(true).All(t.Context(), &rows)
	require.NoError(t, err)
	for _, row := range rows {
		text, _, _ := strings.Cut(row.SK, "#")
		id, err := ids.Parse(text)
		require.NoError(t, err)
		if !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found
}

func TestSetPulledLeadsFromModeToMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	chris := w.Outbox("chris")
	w.subscribe(t, "jack", "chris")
	require.Equal(t, feed.Pushed, w.mode(t, "chris"))
	var last ids.ID
	jobs := 0
	for i, step := range []struct {
		pulled  bool
		changed bool
		want    feed.Mode
		begins  bool
		finish  feed.Mode // after Deliver, which is called if it is set
	}{
		{false, false, feed.Pushed, false, ""},
		{true, true, feed.Opening, true, ""},
		{true, false, feed.Opening, false, ""},
		{false, true, feed.Closing, true, ""},
		{false, false, feed.Closing, false, ""},
		{true, true, feed.Opening, true, feed.Pulled},
		{true, false, feed.Pulled, true, feed.Pulled}, // it walks again
		{true, false, feed.Pulled, true, ""},
		{false, true, feed.Closing, true, feed.Pushed},
		{false, false, feed.Pushed, false, feed.Pushed},
		{true, true, feed.Opening, true, feed.Pulled},
		{false, true, feed.Closing, true, feed.Pushed},
	} {
		changed, err := chris.SetPulled(t.Context(), step.pulled)
		require.NoError(t, err)
		require.Equal(t, step.changed, changed, "step %d", i)
		require.Equal(t, step.want, w.mode(t, "chris"), "step %d", i)
		if step.begins {
			jobs++
			at := w.storedMode(t, "chris").At
			require.Greater(t, at, last, "step %d", i)
			last = at
		}
		require.Len(t, w.jobs(t), jobs, "step %d", i)
		if step.finish != "" {
			deliverAll(t, w.later(t))
			require.Empty(t, w.jobs(t), "step %d", i)
			jobs = 0
			require.Equal(t, step.finish, w.mode(t, "chris"), "step %d", i)
			require.Equal(t, last, w.storedMode(t, "chris").At, "step %d", i)
		}
	}
}

// stuck is an ids.Source whose clock does not move.
type stuck ids.ID

func (s stuck) Next(context.Context) (ids.ID, error) { return ids.ID(s), nil }

func TestSwitchesRiseThoughAClockIsBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	last := w.switched(t, "chris", true)
	behind, err := feed.New(w.db, w.feedTable, stuck(ids.At(time.Now().Add(-time.Hour))|7), w.follows, sharded(nil))
	require.NoError(t, err)
	old := w
	old.Repository = behind
	for _, pulled := range faults.Some(2, false, true, true, false) {
		at := old.switched(t, "chris", pulled)
		require.Greater(t, at, last)
		require.Equal(t, at, w.pullOf(t, "jack").At, "the home took it")
		require.Equal(t, pulled, w.pullOf(t, "jack").Until == 0)
		last = at
	}
}

func TestADamagedModeIsReportedAndPushed(t *testing.T) {
	t.Parallel()
	var corrupt reported
	var clock clock
	w := newWorld(t, &feed.Options{Consistent: true, InlineFollowers: -1, OnCorrupt: corrupt.add})
	w.subscribe(t, "jack", "chris")
	at := w.setPulled(t, "chris", true)
	for _, damaged := range faults.Some(3,
		dynamo.Item{"mode": text("folded")}, dynamo.Item{"mode": nil}, dynamo.Item{"at": text("0000000000000")},
		dynamo.Item{"mode": number("1")}, dynamo.Item{"mode": text("pulled"), "at": text("x")}, dynamo.Item{"at": nil},
	) {
		w.damage(t, "O#chris", "~", damaged)
		for _, pulled := range []bool{true, false} {
			changed, err := w.Outbox("chris").SetPulled(t.Context(), pulled)
			require.ErrorIs(t, err, plaza.ErrCorrupt)
			require.False(t, changed)
		}
		_, err := w.Outbox("chris").Mode(t.Context())
		require.ErrorIs(t, err, plaza.ErrCorrupt)

		w.send(t, "chris", activity("chris", 1))
		entries := len(w.entriesOf(t, "jack"))
		corrupt.take()
		clock.advance(time.Minute) // past the lease of the last attempt
		worker := w.process(t, &feed.Options{Now: clock.now, OnCorrupt: corrupt.add})
		delivered, err := worker.Deliver(t.Context())
		require.ErrorIs(t, err, plaza.ErrCorrupt, "of the switch, which stays")
		require.Equal(t, 1, delivered)
		require.Contains(t, corrupt.take(), "O#chris / ~")
		require.Len(t, w.entriesOf(t, "jack"), entries+1, "it is delivered")
		require.Len(t, w.jobs(t), 1)
		w.damage(t, "O#chris", "~", dynamo.Item{"mode": text("opening"), "at": text(at.String())})
	}
	deliverAll(t, w.later(t))
	require.Equal(t, sourceMode{feed.Pulled, at}, w.storedMode(t, "chris"))
}
