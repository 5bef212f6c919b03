package feed_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// activities are n activities of actor, every third with a foreign id and every
// fourth addressed to birds.
func activities(actor string, n int) []feed.Activity {
	as := make([]feed.Activity, n)
	for i := range as {
		as[i] = activity(actor, i)
		if i%3 == 0 {
			as[i].ForeignID = as[i].Object.String()
		}
		if i%4 == 0 {
			as[i].To = []string{"birds"}
		}
	}
	return as
}

// resultsOf are results without errors.
func resultsOf[T any](values []T, changed bool) []plaza.Result[T] {
	results := make([]plaza.Result[T], len(values))
	for i, value := range values {
		results[i] = plaza.Result[T]{Value: value, Changed: changed}
	}
	return results
}

func TestPublishManyStoresWhatPublishWould(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.subscribe(t, "ann", "birds")
	n := faults.Size(40, 8)
	given := activities("chris", n)
	results, err := w.Outbox("chris").PublishMany(t.Context(), given)
	require.NoError(t, err)
	done := values(results)
	require.Equal(t, resultsOf(done, true), results)
	require.Zero(t, given[0].ID, "the caller's slice is left alone")
	require.True(t, slices.IsSortedFunc(done, func(a, b feed.Activity) int { return int(a.ID) - int(b.ID) }))
	for i, a := range done {
		require.Equal(t, given[i].Object, a.Object)
	}
	require.Equal(t, newestFirst(done), all(t, w.Outbox("chris").List, 7))
	require.Empty(t, all(t, w.Home("jack").List, 7), "nothing is delivered inline")

	deliverAll(t, w) // at once, since nobody has a lease
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 7))
	require.Len(t, all(t, w.Home("ann").List, 7), n/4)

	results, err = w.Outbox("chris").PublishMany(t.Context(), done)
	require.NoError(t, err)
	require.Equal(t, resultsOf(done, false), results)
	require.Equal(t, done[3], w.send(t, "chris", done[3]))
	require.Len(t, all(t, w.Outbox("chris").List, 7), n)
}

func TestPublishManyReportsEachThatFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	chris := w.Outbox("chris")
	before := w.publishMany(t, "chris", activities("chris", 3)...)
	_, err := chris.Remove(t.Context(), before[1].ID)
	require.NoError(t, err)

	other := before[2]
	other.Verb = "drop"
	known := activity("chris", 99)
	known.ForeignID = before[0].ForeignID
	given := []feed.Activity{activity("chris", 10), other, before[1], known, activity("chris", 11)}
	results, err := chris.PublishMany(t.Context(), given)
	var partial *plaza.PartialError
	require.ErrorAs(t, err, &partial)
	require.Equal(t, []error{results[1].Err, results[2].Err}, partial.Errs)
	require.ErrorIs(t, results[1].Err, plaza.ErrConflict)
	require.ErrorIs(t, results[2].Err, plaza.ErrRemoved)
	got := values(results)
	require.Equal(t, before[0], got[3], "the activity that has the foreign id")
	require.Equal(t, []ids.ID{got[4].ID, got[0].ID, before[2].ID, before[0].ID}, all(t, chris.List, 10))
}

// All requests fail once a part of the import is stored.
func TestARepeatCompletesAnInterruptedPublishMany(t *testing.T) {
	t.Parallel()
	n, stored := faults.Size(100, 12), faults.Size(20, 4)
	for name, tc := range faults.Sample(4, map[string]struct {
		kind     faults.Kind
		want     error
		requests int // of one publish, where its error ends them all
	}{
		"throttled until the end":    {faults.Throttled, plaza.ErrBusy, 10 * 3},
		"refused until the end":      {faults.Refused, plaza.ErrUnavailable, 3},
		"the context ends":           {faults.None, context.Canceled, 0},
		"the process dies":           {faults.KilledAfter, faults.ErrKilled, 0},
		"no answer, again and again": {faults.LostAfter, plaza.ErrUnknownOutcome, 0},
	}, "refused until the end") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			injector := faults.New(t, 1, faults.Rates{})
			w := newWorld(t, &feed.Options{Consistent: true, Parallel: 4}, injector.Wrap)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			transactions := 0
			injector.Script(func(op string, _ []byte, _ int) faults.Fault {
				if op != "TransactWriteItems" {
					return faults.Fault{}
				}
				if transactions++; transactions <= stored {
					return faults.Fault{}
				}
				if tc.kind == faults.None {
					stop()
				}
				return faults.Fault{Kind: tc.kind}
			})
			results, err := w.Outbox("chris").PublishMany(ctx, activities("chris", n))
			var partial *plaza.PartialError
			require.ErrorAs(t, err, &partial)
			require.ErrorIs(t, err, tc.want)
			require.GreaterOrEqual(t, len(partial.Errs), n-stored-4)
			require.LessOrEqual(t, len(partial.Errs), n-stored+4, "and those in progress when the context ended")
			if tc.requests > 0 {
				require.LessOrEqual(t, transactions, stored+4*tc.requests, "those in progress continue, no further one begins")
			}

			injector.Off()
			there := all(t, w.Outbox("chris").List, 100)
			for _, result := range results {
				require.NotZero(t, result.Value.ID, "also of one that failed")
				if result.Err == nil {
					require.Contains(t, there, result.Value.ID)
				}
			}
			got := values(results)
			done := w.publishMany(t, "chris", got...)
			require.Equal(t, newestFirst(done), newestFirst(got))
			require.Equal(t, newestFirst(done), all(t, w.Outbox("chris").List, 100))
		})
	}
}

func TestPublishManyCostsNoMoreThanPublishes(t *testing.T) {
	t.Parallel()
	n := faults.Size(60, 12)
	jobs, foreign, addressed := float64(n), float64(n/3), float64(n/4)
	stated := costs(t)
	publishes := stated.Of("Outbox.PublishMany", "a process's first").Plus(stated.Times(jobs, "Outbox.PublishMany", "each activity")).
		Plus(stated.Times(foreign, "Outbox.PublishMany", "each ForeignID")).
		Plus(stated.Times(addressed, "Outbox.PublishMany", "each To"))
	delivers := stated.Of("Repository.Deliver", "nothing to do").
		Plus(stated.Times(2, "Repository.Deliver", "the modes of its sources")). // those of a job without and of one with a To
		Plus(stated.Times(2, "Repository.Deliver", "each source not found Pushed within 30 s")).
		Plus(stated.Times(jobs, "Repository.Deliver", "the claim and the end of a job")).
		Plus(stated.Times(jobs, "Repository.Deliver", "each follower")).
		Plus(stated.Times(jobs, "Repository.Deliver", "each 25 followers")).
		Plus(stated.Times(jobs, "Repository.Deliver", "each 1,000 followers of a shard")).
		Plus(stated.Times(jobs+addressed, "Repository.Deliver", "each source of an activity"))
	meter := dynamotest.NewMeter()
	w := newWorld(t, &feed.Options{}, meter.Wrap)
	w.subscribe(t, "jack", "chris")
	as := activities("chris", n)
	meter.AtMost(t, "publish, a third with a foreign id, a quarter addressed", publishes, func() {
		w.publishMany(t, "chris", as...)
	})
	meter.AtMost(t, "deliver them", delivers, func() { // birds has no followers
		require.Equal(t, n, w.deliver(t))
	})
	meter.AtMost(t, "none", dynamotest.Cost{}, func() {
		none := w.publishMany(t, "chris")
		require.Empty(t, none)
	})
}

func TestPublishManyIntoAWrongTableStoresNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	feeds, err := feed.New(w.db, "no-such-table", w.gen, w.follows, nil)
	require.NoError(t, err)
	results, err := feeds.Outbox("chris").PublishMany(t.Context(), activities("chris", 10))
	require.ErrorIs(t, err, plaza.ErrTable)
	require.Empty(t, results)
}
