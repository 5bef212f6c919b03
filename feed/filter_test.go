package feed_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/faults"
)

func TestAPageReadsPastFilteredActivities(t *testing.T) {
	t.Parallel()
	asked := 0
	w := newWorld(t, &feed.Options{Consistent: true, Filter: hideVerb("like", &asked)})
	as := activities("chris", 40)
	for n := range as {
		if n%4 != 0 {
			as[n].Verb = "like"
		}
	}
	as = w.layHome(t, "chris", as)
	var shown []feed.Activity
	for n := 0; n < len(as); n += 4 {
		shown = append(shown, as[n])
	}
	asked = 0
	page := pageOf(t, w.Home("jack").List, cursor.PageRequest{Limit: 10})
	require.Equal(t, newestFirst(shown), newestFirst(reverse(page.Items)))
	require.LessOrEqual(t, asked, 3, "11, 22 and the rest: once a read, not once an activity")
	for limit := faults.Size(1, 3); limit < 12; limit += faults.Size(1, 5) {
		require.Equal(t, newestFirst(shown), all(t, w.Home("jack").List, limit), "by %d", limit)
	}
}

// hideVerb hides activities with the verb and counts in asked how often it was
// called.
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
