package feed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// groupLister is a list of groups.
type groupLister func(context.Context, cursor.PageRequest) (cursor.Page[feed.Group], error)

// ungrouped is the list of the activities in groups, in the order of the home.
func ungrouped(t testing.TB, list groupLister) lister {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
		groups, err := list(ctx, req)
		page := cursor.Page[feed.Activity]{Items: []feed.Activity{}, Next: groups.Next, Prev: groups.Prev}
		if err != nil {
			return page, err
		}
		requireGroups(t, groups)
		for _, g := range groups.Items {
			page.Items = append(page.Items, g.Activities...)
		}
		slices.SortFunc(page.Items, newer)
		return page, nil
	}
}

// requireGroups checks what holds for the groups of every page.
func requireGroups(t testing.TB, page cursor.Page[feed.Group]) {
	t.Helper()
	require.NotNil(t, page.Items)
	var before ids.ID
	named := map[string]bool{}
	for _, g := range page.Items {
		require.NotEmpty(t, g.Activities)
		require.False(t, named[g.Key], "a group that is there twice")
		named[g.Key] = true
		newest := g.Activities[0].ID
		require.True(t, before == 0 || newest <= before, "groups are in the order of their newest activities")
		before = newest
		require.True(t, slices.IsSortedFunc(g.Activities, func(a, b feed.Activity) int { return int(int64(b.ID - a.ID)) }))
		var actors []feed.Ref
		for _, a := range g.Activities {
			if !slices.Contains(actors, a.Actor) {
				actors = append(actors, a.Actor)
			}
		}
		require.Equal(t, actors, g.Actors)
		if g.More {
			require.NotEmpty(t, page.Next)
		}
	}
}

// byDay is the default key.
func byDay(a feed.Activity) string {
	object := a.Target
	if object.IsZero() {
		object = a.Object
	}
	return keys.Join(a.Verb, object.String(), a.ID.Time().Format(time.DateOnly))
}

// at is an activity of chris whose id is n milliseconds after a time.
func at(when time.Time, n int, actor, verb string, object feed.Ref) feed.Activity {
	return feed.Activity{
		ID: ids.At(when.Add(time.Duration(n) * time.Millisecond)), Actor: feed.Ref{ID: actor}, Verb: verb, Object: object,
	}
}

// yesterday is the start of the last whole UTC day.
func yesterday() time.Time { return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1) }

func groups(t testing.TB, list groupLister, limit int) []feed.Group {
	t.Helper()
	page := pageOf(t, list, cursor.PageRequest{Limit: limit})
	requireGroups(t, page)
	return page.Items
}

func shown(g feed.Group) string {
	return fmt.Sprintf("%s: %d by %v, more %v", g.Key, len(g.Activities), g.Actors, g.More)
}

func shownAll(gs []feed.Group) (lines []string) {
	for _, g := range gs {
		lines = append(lines, shown(g))
	}
	return lines
}

// Case 28.
func TestTheActivitiesOfADayWithOneVerbAndObjectAreAGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	noon, photo := yesterday().Add(12*time.Hour), feed.Ref{Kind: "photo", ID: "1"}
	day, before := noon.Format(time.DateOnly), noon.AddDate(0, 0, -1).Format(time.DateOnly)
	var as []feed.Activity
	for n := range 15 {
		verb := "love"
		if n%3 == 1 {
			verb = "comment"
		}
		as = append(as, at(noon, n, fmt.Sprint("fan", n%4), verb, photo))
	}
	w.layHome(t, "chris", as)
	require.Equal(t, []string{
		"love#photo:1#" + day + ": 10 by [fan2 fan0 fan3 fan1], more false",
		"comment#photo:1#" + day + ": 5 by [fan1 fan2 fan3 fan0], more false",
	}, shownAll(groups(t, w.Home("jack").Grouped, 50)))

	for _, a := range as {
		w.remove(t, "chris", a.ID)
	}
	page, err := w.Home("jack").Grouped(t.Context(), cursor.PageRequest{})
	require.NoError(t, err)
	text, err := json.Marshal(page)
	require.NoError(t, err)
	require.JSONEq(t, `{"items":[]}`, string(text))

	album := at(noon.AddDate(0, 0, -1), 1, "ann", "add", feed.Ref{Kind: "photo", ID: "#7"})
	album.Target = feed.Ref{Kind: "album", ID: "#1"}
	other := at(noon.AddDate(0, 0, -1), 2, "ben", "add", feed.Ref{Kind: "photo", ID: "8"})
	other.Target = album.Target
	bare := at(noon.AddDate(0, 0, -1), 3, "ann", "sleep", feed.Ref{})
	w.layHome(t, "chris", []feed.Activity{at(noon.AddDate(0, 0, -1), 0, "ann", "love", photo), album, other, bare, at(noon, 100, "ann", "love", photo)})
	require.Equal(t, []string{
		"love#photo:1#" + day + ": 1 by [ann], more false",
		"sleep##" + before + ": 1 by [ann], more false",
		`add#album:\#1#` + before + ": 2 by [ben ann], more false",
		"love#photo:1#" + before + ": 1 by [ann], more false",
	}, shownAll(groups(t, w.Home("jack").Grouped, 50)))
}

// An id of the last millisecond of a UTC day is not in the group of the next
// day, whatever the activities' Times say.
func TestTheDayOfAGroupIsThatOfTheIDsInUTC(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	midnight, photo := yesterday(), feed.Ref{ID: "photo"}
	last, first := at(midnight, -1, "ann", "love", photo), at(midnight, 0, "ben", "love", photo)
	noon := midnight.Add(12 * time.Hour)
	last.Time, first.Time = noon, noon.In(time.FixedZone("far", 14*3600))
	w.layHome(t, "chris", []feed.Activity{last, first})
	require.Equal(t, []string{
		"love#photo#" + midnight.Format(time.DateOnly) + ": 1 by [ben], more false",
		"love#photo#" + midnight.AddDate(0, 0, -1).Format(time.DateOnly) + ": 1 by [ann], more false",
	}, shownAll(groups(t, w.Home("jack").Grouped, 50)))
}

func TestMoreMarksTheGroupsOfAPagesLastDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	noon, photo := yesterday().Add(12*time.Hour), feed.Ref{ID: "photo"}
	old := noon.AddDate(0, 0, -1)
	w.layHome(t, "chris", []feed.Activity{ // oldest first
		at(old, 0, "a", "love", photo), at(old, 1, "b", "like", photo), at(old, 2, "c", "love", photo), at(old, 3, "d", "poke", photo),
		at(noon, 0, "e", "love", photo), at(noon, 1, "f", "love", photo),
	})
	custom := w.process(t, &feed.Options{Consistent: true, GroupBy: func(a feed.Activity) string {
		if a.Verb == "poke" {
			return ""
		}
		return a.Verb
	}})
	more := func(gs []feed.Group) (marked []bool) {
		for _, g := range gs {
			marked = append(marked, g.More)
		}
		return marked
	}
	list := w.Home("jack").Grouped
	require.Equal(t, []bool{true}, more(groups(t, list, 1)))
	require.Equal(t, []bool{true}, more(groups(t, list, 2)), "the next page may have more of the day")
	require.Equal(t, []bool{false, true}, more(groups(t, list, 3)))
	require.Equal(t, []bool{false, true, true}, more(groups(t, list, 4)))
	require.Equal(t, []bool{false, true, true, true}, more(groups(t, list, 5)))
	require.Equal(t, []bool{false, false, false, false}, more(groups(t, list, 6)))
	require.Equal(t, []bool{true, false}, more(groups(t, custom.Home("jack").Grouped, 4)), "an activity that stands alone has no more")
	require.Equal(t, []bool{false, false, false}, more(groups(t, custom.Home("jack").Grouped, 6)))

	// Upwards, it is about what lies below the page.
	page := pageOf(t, list, cursor.PageRequest{Limit: 4})
	page = pageOf(t, list, cursor.PageRequest{Limit: 3, Cursor: page.Next})
	page = pageOf(t, list, cursor.PageRequest{Limit: 3, Cursor: page.Prev})
	require.Equal(t, []bool{false, true, true}, more(page.Items))
}

func TestActorsAreDistinctByKindAndID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var as []feed.Activity
	for n, actor := range []feed.Ref{{ID: "1"}, {Kind: "bot", ID: "1"}, {ID: "1"}, {Kind: "user", ID: "1"}, {Kind: "bot", ID: "1"}} {
		a := at(yesterday(), n, "", "love", feed.Ref{ID: "photo"})
		a.Actor = actor
		as = append(as, a)
	}
	w.layHome(t, "chris", as)
	gs := groups(t, w.Home("jack").Grouped, 50)
	require.Len(t, gs, 1)
	require.Len(t, gs[0].Activities, 5)
	require.Equal(t, []feed.Ref{{Kind: "bot", ID: "1"}, {Kind: "user", ID: "1"}, {ID: "1"}}, gs[0].Actors)
	text, err := json.Marshal(gs[0])
	require.NoError(t, err)
	var wire struct {
		Key        string           `json:"key"`
		Activities []map[string]any `json:"activities"`
		Actors     []string         `json:"actors"`
		More       *bool            `json:"more"`
	}
	require.NoError(t, json.Unmarshal(text, &wire))
	require.Equal(t, []string{"bot:1", "user:1", "1"}, wire.Actors)
	require.Len(t, wire.Activities, 5)
	require.NotContains(t, wire.Activities[0], "owner")
	require.False(t, *wire.More)
}

// GroupBy may return the key of somebody else's own group, bytes that are no
// text, or nothing.
func TestNoTwoGroupsShareAKey(t *testing.T) {
	t.Parallel()
	plain := newWorld(t, nil)
	var as []feed.Activity
	for n := range 4 {
		as = append(as, at(yesterday(), n, "ann", fmt.Sprint("verb", n), feed.Ref{ID: "photo"}))
	}
	plain.layHome(t, "chris", as)
	plain.layHome(t, "cleo", slices.Clone(as[:1])) // the same id
	own := keys.Join(as[0].ID.String(), "chris")
	process := func(key ...string) []feed.Group {
		w := plain.process(t, &feed.Options{Consistent: true, GroupBy: func(a feed.Activity) string {
			return key[slices.IndexFunc(as, func(b feed.Activity) bool { return a.ID == b.ID })]
		}})
		return groups(t, w.Home("jack").Grouped, 50)
	}
	for name, tc := range map[string]struct {
		keys []string
		want int
	}{
		"alone":                  {[]string{"", "", "", ""}, 5},
		"like one alone":         {[]string{"", own, `\#`, `#`}, 5},
		"escaped":                {[]string{"#", `\#`, `\`, `\\`}, 4},
		"no text":                {[]string{"\xff", "\xfe", "\uFFFD", "#ff"}, 4},
		"equal":                  {[]string{"a", "a", "a", "a"}, 1},
		"large":                  {[]string{strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20) + "y", "x", "y"}, 4},
		"what no text stands as": {[]string{"\xff", "ff", "#ff", `\#ff`}, 4},
	} {
		gs := process(tc.keys...)
		named := map[string]bool{}
		for _, g := range gs {
			text, err := json.Marshal(g.Key)
			require.NoError(t, err)
			named[string(text)] = true
		}
		require.Len(t, gs, tc.want, name)
		require.Len(t, named, tc.want, name)
	}
	require.Equal(t, `what is it\#1`, process("", "what is it#1", "", "")[2].Key)

	w := plain.process(t, &feed.Options{GroupBy: func(feed.Activity) string { panic("broken") }})
	require.PanicsWithValue(t, "broken", func() { _, _ = w.Home("jack").Grouped(t.Context(), cursor.PageRequest{}) })
}

// The groups of a page have the activities of List's page, and its cursors. So those of all
// pages, joined by their keys, are those of the whole list, at every page size and both ways.
func TestAGroupedPageIsListsPageInGroups(t *testing.T) {
	t.Parallel()
	plain := newWorld(t, nil)
	owners := []string{"ann", "ben", "joe"}
	of := map[string][]feed.Activity{}
	start := yesterday().AddDate(0, 0, -3)
	for n := range faults.Size(90, 45) {
		a := at(start, n*45*60*1000, fmt.Sprint("fan", n%7), []string{"love", "comment"}[n*n%5%2], feed.Ref{ID: fmt.Sprint("photo", n%3)})
		if n%4 == 0 {
			a.Target = feed.Ref{Kind: "album", ID: "1"}
		}
		of[owners[n%3]] = append(of[owners[n%3]], a)
	}
	for owner, as := range of {
		plain.layHome(t, owner, as)
	}
	for name, tc := range faults.Sample(3, map[string]struct {
		opts feed.Options
		key  func(feed.Activity) string
	}{
		"by default": {feed.Options{}, byDay},
		"by verb":    {feed.Options{GroupBy: func(a feed.Activity) string { return a.Verb }}, func(a feed.Activity) string { return a.Verb }},
		"capped":     {feed.Options{HomeCap: 40}, byDay},
		"filtered":   {feed.Options{Filter: hideVerb("love", new(int))}, byDay},
		"each by itself": {feed.Options{GroupBy: func(feed.Activity) string { return "" }}, func(a feed.Activity) string {
			return keys.Join(a.ID.String(), a.Owner)
		}},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.opts.Consistent = true
			home := plain.process(t, &tc.opts).Home("jack")
			both := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[feed.Activity], error) {
				page, err := home.List(ctx, req)
				require.NoError(t, err)
				grouped, err := ungrouped(t, home.Grouped)(ctx, req)
				require.Equal(t, page, grouped)
				groups, _ := home.Grouped(ctx, req)
				for _, g := range groups.Items {
					for _, a := range g.Activities {
						require.Equal(t, tc.key(a), g.Key)
					}
				}
				return page, err
			}
			for _, limit := range faults.Some(1, 7, 1, 50) {
				_, end := walk(t, both, limit)
				readUpFrom(t, both, end, limit)
			}
		})
	}
}
