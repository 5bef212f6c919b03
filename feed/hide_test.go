package feed_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// hideVerb hides activities with a verb, and counts how often it was asked.
func hideVerb(verb string, asked *int) feed.Filter {
	return func(_ context.Context, _ string, as []feed.Activity) ([]bool, error) {
		*asked++
		hide := make([]bool, len(as))
		for i, a := range as {
			hide[i] = a.Verb == verb
		}
		return hide, nil
	}
}

func TestAFilterHidesAndThePageReadsOn(t *testing.T) {
	t.Parallel()
	asked := 0
	w := newWorld(t, &feed.Options{Consistent: true, Filter: hideVerb("like", &asked)})
	w.subscribe(t, "jack", "chris")
	var shown []feed.Activity
	for n := range 40 {
		a := activity("chris", n)
		if n%4 != 0 {
			a.Verb = "like"
		}
		a, err := w.Outbox("chris").Publish(t.Context(), a)
		require.NoError(t, err)
		if n%4 == 0 {
			shown = append(shown, a)
		}
	}
	asked = 0
	page, err := w.Home("jack").List(t.Context(), cursor.PageRequest{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, newestFirst(shown), newestFirst(reverse(page.Items)))
	require.LessOrEqual(t, asked, 3, "11, 22 and the rest: once a read, not once an activity")
	for limit := 1; limit < 12; limit++ {
		require.Equal(t, newestFirst(shown), all(t, w.Home("jack").List, limit), "by %d", limit)
	}
}

func reverse(as []feed.Activity) []feed.Activity {
	var turned []feed.Activity
	for _, a := range as {
		turned = append([]feed.Activity{a}, turned...)
	}
	return turned
}

func TestAFilterThatFailsFailsThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	w.publish(t, "chris", 2)
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		filter feed.Filter
		want   error
	}{
		"by an error":         {func(context.Context, string, []feed.Activity) ([]bool, error) { return nil, broken }, broken},
		"by too few answers":  {func(context.Context, string, []feed.Activity) ([]bool, error) { return []bool{true}, nil }, plaza.ErrInvalid},
		"by too many answers": {func(context.Context, string, []feed.Activity) ([]bool, error) { return make([]bool, 9), nil }, plaza.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			filtered := w.process(t, &feed.Options{Consistent: true, Filter: tc.filter})
			_, err := filtered.Home("jack").List(t.Context(), cursor.PageRequest{})
			require.ErrorIs(t, err, tc.want)
		})
	}
}

func TestTrimTakesWhatIsOlderForGood(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "jack", "chris")
	done := w.publish(t, "chris", 200)
	home := w.Home("jack")
	for _, step := range []struct {
		keep    int
		trimmed bool
	}{{50, true}, {50, false}, {60, false}, {10, true}} {
		trimmed, err := home.Trim(t.Context(), done[len(done)-step.keep].ID)
		require.NoError(t, err)
		require.Equal(t, step.trimmed, trimmed)
	}
	for _, limit := range []int{1, 3, 10, 11, 100} {
		require.Equal(t, newestFirst(done[190:]), all(t, home.List, limit), "by %d", limit)
	}
	page, err := home.List(t.Context(), cursor.PageRequest{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, page.Next, "what is below the floor is not paged through")
	meter := dynamotest.NewMeter()
	metered := w.process(t, nil, meter.Wrap).Home("jack")
	meter.AtMost(t, "a page down to the floor", dynamotest.Cost{Requests: 3, Read: 40}, func() {
		_, err := metered.List(t.Context(), cursor.PageRequest{Limit: 10})
		require.NoError(t, err)
	})

	_, err = home.Trim(t.Context(), 0)
	require.ErrorIs(t, err, plaza.ErrInvalid)
}

func TestAHomeEndsAtItsCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, HomeCap: 30})
	w.subscribe(t, "jack", "chris")
	want := newestFirst(w.publish(t, "chris", 50))[:30]
	home := w.Home("jack")
	for _, limit := range []int{1, 7, 10, 30, 31, 100} {
		require.Equal(t, want, all(t, home.List, limit), "by %d", limit)
	}

	// Up and down again counts from where it was, whatever arrived above.
	page, err := home.List(t.Context(), cursor.PageRequest{Limit: 10})
	require.NoError(t, err)
	w.publish(t, "chris", 5)
	above, err := home.List(t.Context(), cursor.PageRequest{Limit: 10, Cursor: page.Prev})
	require.NoError(t, err)
	require.Len(t, above.Items, 5)
	var got []ids.ID
	for next := above.Next; next != ""; {
		page, err := home.List(t.Context(), cursor.PageRequest{Limit: 7, Cursor: next})
		require.NoError(t, err)
		for _, a := range page.Items {
			got = append(got, a.ID)
		}
		next = page.Next
	}
	require.Equal(t, want, got)
}

func TestOnesOwnActivitiesCanBeInOnesHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, OwnHome: true})
	w.subscribe(t, "jack", "chris")
	a := w.publish(t, "chris", 1)
	b := w.publish(t, "jack", 1)
	require.Equal(t, newestFirst(append(a, b...)), all(t, w.Home("jack").List, 10))
	require.Equal(t, newestFirst(a), all(t, w.Home("chris").List, 10))
}

func aboutObject(a feed.Activity) feed.Ref { return a.Object }

func TestARepostNearItsOriginalDoesNotShow(t *testing.T) {
	t.Parallel()
	const window = 5
	opts := &feed.Options{Consistent: true, About: aboutObject, RepostWindow: window}
	for between := range window + 2 {
		t.Run(fmt.Sprint(between, " between"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			w.subscribe(t, "jack", "chris")
			w.subscribe(t, "jack", "ann")
			want := w.publish(t, "chris", 1)
			original := want[0]
			for n := range between {
				a, err := w.Outbox("chris").Publish(t.Context(), activity("chris", 100+n))
				require.NoError(t, err)
				want = append(want, a)
			}
			repost := activity("ann", 1)
			repost.Verb = "share"
			repost, err := w.Outbox("ann").Publish(t.Context(), repost)
			require.NoError(t, err)
			if between >= window {
				want = append(want, repost)
			}
			w.subscribe(t, "late", "chris")
			w.subscribe(t, "late", "ann")
			for limit := 1; limit <= len(want)+1; limit++ {
				require.Equal(t, newestFirst(want), all(t, w.Home("jack").List, limit), "by %d", limit)
			}
			require.Equal(t, newestFirst(want), all(t, w.Home("late").List, 3), "copied entries agree")
			require.Equal(t, newestFirst(want), climb(t, w.Home("jack").List, 2), "on the way up too")

			removed, err := w.Outbox("chris").Remove(t.Context(), original.ID)
			require.NoError(t, err)
			require.True(t, removed)
			require.Contains(t, all(t, w.Home("jack").List, 3), repost.ID, "nothing is left that it repeats")
		})
	}
}

// climb reads a list from its end back to its start, which is left out.
func climb(t testing.TB, list lister, limit int) []ids.ID {
	t.Helper()
	var req cursor.PageRequest
	var page cursor.Page[feed.Activity]
	for req.Limit = 100; ; req.Cursor = page.Next {
		var err error
		page, err = list(t.Context(), req)
		require.NoError(t, err)
		if page.Next == "" {
			break
		}
	}
	// Down to below the last item, then up.
	got := []ids.ID{}
	last := page.Items[len(page.Items)-1].ID
	page, err := list(t.Context(), cursor.PageRequest{Limit: 1})
	require.NoError(t, err)
	for page.Items[0].ID != last {
		page, err = list(t.Context(), cursor.PageRequest{Limit: 1, Cursor: page.Next})
		require.NoError(t, err)
	}
	got = append(got, last)
	for {
		page, err = list(t.Context(), cursor.PageRequest{Limit: limit, Cursor: page.Prev})
		require.NoError(t, err)
		if len(page.Items) == 0 {
			return got
		}
		var above []ids.ID
		for _, a := range page.Items {
			above = append(above, a.ID)
		}
		got = append(above, got...)
	}
}

func TestAnAboutThatIsNoRefIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &feed.Options{Consistent: true, About: func(feed.Activity) feed.Ref { return feed.Ref{Kind: "repost"} }})
	plain := w.process(t, nil)
	done := plain.publish(t, "chris", 1)
	_, err := w.Outbox("chris").Publish(t.Context(), activity("chris", 2))
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Options.About.ID", invalid.Field)
	w.subscribe(t, "jack", "chris")
	require.Equal(t, newestFirst(done), all(t, w.Home("jack").List, 10), "what is copied repeats nothing")
}
