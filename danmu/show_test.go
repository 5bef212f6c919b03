package danmu

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const testHideAt = 3

// crowdGen draws comments with few different texts, in playing order.
func crowdGen() *rapid.Generator[[]Comment] {
	one := rapid.Custom(func(t *rapid.T) Comment {
		id := ID{progress: rapid.Uint32Range(0, 4000).Draw(t, "progress"), rest: rapid.Uint64Range(1, maxUnique).Draw(t, "unique")}
		return Comment{
			ID: id, Progress: id.Progress(),
			User:      rapid.SampledFrom([]string{"", "anna", "jack", "owner"}).Draw(t, "user"),
			Text:      rapid.SampledFrom([]string{"哈哈哈", " 哈哈哈", "233", "first", "spoiler"}).Draw(t, "text"),
			Mode:      rapid.SampledFrom([]Mode{Scroll, Scroll, Top, Positioned, BAS}).Draw(t, "mode"),
			Weight:    rapid.IntRange(0, 2).Draw(t, "weight"),
			Likes:     rapid.Int64Range(0, 9).Draw(t, "likes"),
			Reports:   rapid.Int64Range(0, testHideAt+1).Draw(t, "reports"),
			Protected: rapid.IntRange(0, 9).Draw(t, "protected") == 0,
		}
	})
	return rapid.Custom(func(t *rapid.T) []Comment {
		crowd := rapid.SliceOfNDistinct(one, 0, 60, func(c Comment) ID { return c.ID }).Draw(t, "crowd")
		slices.SortFunc(crowd, func(a, b Comment) int { return a.ID.Compare(b.ID) })
		return crowd
	})
}

func optionsGen(t *rapid.T) WindowOptions {
	f, err := NewFilter(FilterRules{Words: []string{"spoiler"}, Users: []string{"anna"}})
	require.NoError(t, err)
	return WindowOptions{
		Filter:     rapid.SampledFrom([]*Filter{nil, f}).Draw(t, "filter"),
		Sample:     rapid.SampledFrom([]int{0, 0, 1, 2, maxSample}).Draw(t, "share"),
		Cap:        rapid.SampledFrom([]int{0, 1, 2, 5, 100}).Draw(t, "cap"),
		Merge:      rapid.SampledFrom([]time.Duration{0, 0, time.Second, 5 * time.Second}).Draw(t, "merge"),
		WithHidden: rapid.Bool().Draw(t, "with hidden"),
	}
}

func (c Comment) staysForTest() bool { return c.Protected || c.User == "owner" }

func idsOf(comments []Comment) []ID {
	all := make([]ID, len(comments))
	for i, c := range comments {
		all[i] = c.ID
	}
	return all
}

func TestShowKeepsItsPromises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		crowd, o := crowdGen().Draw(t, "crowd"), optionsGen(t)
		before := slices.Clone(crowd)
		shown, dropped := o.show(crowd, "owner", testHideAt)
		require.Equal(t, before, crowd, "what is read may be shared")
		again, _ := o.show(crowd, "owner", testHideAt)
		require.Equal(t, shown, again, "the same each time")
		require.True(t, slices.IsSortedFunc(shown, func(a, b Comment) int { return a.ID.Compare(b.ID) }))
		require.Subset(t, idsOf(crowd), idsOf(shown))

		allowed := func(c Comment) bool {
			return !o.Filter.Blocks(c) && (o.WithHidden || c.Reports < testHideAt || c.Protected) && c.ID.inSample(o.Sample)
		}
		total, stand := dropped, 0
		for _, c := range shown {
			require.True(t, allowed(c))
			total += 1 + c.Repeats
		}
		for _, c := range crowd {
			if allowed(c) {
				stand++
				if c.staysForTest() {
					require.Contains(t, idsOf(shown), c.ID, "it stays whatever the cap")
				}
			}
		}
		require.Equal(t, stand, total, "what is not shown is counted")
	})
}

func TestAHigherCapKeepsWhatALowerOneKeeps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		crowd, low := crowdGen().Draw(t, "crowd"), optionsGen(t)
		low.Cap = rapid.IntRange(1, 20).Draw(t, "low")
		high, all := low, low
		high.Cap += rapid.IntRange(0, 20).Draw(t, "more")
		all.Cap = 0
		few, _ := low.show(crowd, "owner", testHideAt)
		many, _ := high.show(crowd, "owner", testHideAt)
		every, _ := all.show(crowd, "owner", testHideAt)
		require.Subset(t, idsOf(many), idsOf(few))
		require.Subset(t, idsOf(every), idsOf(many))

		seconds := map[time.Duration][]Comment{}
		for _, c := range every {
			seconds[c.Progress/time.Second] = append(seconds[c.Progress/time.Second], c)
		}
		shown := map[time.Duration]int{}
		for _, c := range few {
			shown[c.Progress/time.Second]++
		}
		for second, all := range seconds {
			stay := 0
			for _, c := range all {
				if c.staysForTest() {
					stay++
				}
			}
			require.Equal(t, min(len(all), max(low.Cap, stay)), shown[second])
		}
		// No comment is dropped in favor of a lighter one.
		for _, c := range few {
			for _, other := range seconds[c.Progress/time.Second] {
				if !c.staysForTest() && other.Weight > c.Weight {
					require.Contains(t, idsOf(few), other.ID)
				}
			}
		}

		liked := slices.Clone(crowd)
		for i := range liked {
			liked[i].Likes = 1000 - liked[i].Likes
		}
		still, _ := low.show(liked, "owner", testHideAt)
		require.Equal(t, idsOf(few), idsOf(still), "likes don't rank")
	})
}

func TestASmallerSampleIsPartOfALarger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		crowd, o := crowdGen().Draw(t, "crowd"), WindowOptions{WithHidden: true}
		whole, _ := o.show(crowd, "", testHideAt)
		require.Equal(t, crowd, whole)
		for o.Sample = 1; o.Sample <= maxSample; o.Sample++ {
			part, dropped := o.show(crowd, "", testHideAt)
			require.Subset(t, idsOf(whole), idsOf(part))
			require.Zero(t, dropped, "they are not read at all")
			whole = part
		}
	})
}

// second returns n comments within one second, with ids as a generator makes them.
func second(n int) []Comment {
	crowd := make([]Comment, n)
	for i := range crowd {
		id := ID{progress: 20_000 + uint32(i)*999/uint32(n), rest: 1<<61 + uint64(i)<<14}
		crowd[i] = Comment{ID: id, Progress: id.Progress(), Text: fmt.Sprint("text ", i)}
	}
	return crowd
}

func TestACrowdedSecondIsCapped(t *testing.T) {
	t.Parallel()
	crowd := second(754)
	crowd[700].Protected = true
	crowd[3].User = "owner"
	crowd[500].Weight = 1
	fifty, dropped := (&WindowOptions{Cap: 50}).show(crowd, "owner", testHideAt)
	require.Len(t, fifty, 50)
	require.Equal(t, 704, dropped)
	one, _ := (&WindowOptions{Cap: 1}).show(crowd, "owner", testHideAt)
	require.Equal(t, idsOf([]Comment{crowd[3], crowd[700]}), idsOf(one))
	three, _ := (&WindowOptions{Cap: 3}).show(crowd, "owner", testHideAt)
	require.Equal(t, idsOf([]Comment{crowd[3], crowd[500], crowd[700]}), idsOf(three))
	for _, n := range []int{754, 1000} {
		all, dropped := (&WindowOptions{Cap: n}).show(crowd, "owner", testHideAt)
		require.Equal(t, crowd, all)
		require.Zero(t, dropped)
	}
	early := 0
	for _, c := range fifty {
		if c.ID.rest < crowd[377].ID.rest {
			early++
		}
	}
	require.InDelta(t, 25, early, 15, "the lot is not by age")
}

func TestRepeatsAreMergedIntoTheFirst(t *testing.T) {
	t.Parallel()
	type repeats = map[uint32]int // keys are ms
	at := func(ms uint32, text string, change ...func(*Comment)) Comment {
		c := Comment{ID: ID{ms, uint64(ms) + 1}, Progress: time.Duration(ms) * time.Millisecond, Text: text}
		for _, f := range change {
			f(&c)
		}
		return c
	}
	mode := func(m Mode) func(*Comment) { return func(c *Comment) { c.Mode = m } }
	protected := func(c *Comment) { c.Protected = true }
	coloured := func(c *Comment) { c.Color, c.Size = RGB(7), 40 }
	crowd := make([]Comment, 37)
	for i := range crowd {
		crowd[i] = at(uint32(100*i), strings.Repeat("哈", 3))
	}
	for name, c := range map[string]struct {
		within   time.Duration
		comments []Comment
		want     repeats
	}{
		"off":               {0, []Comment{at(1, "a"), at(2, "a")}, repeats{1: 0, 2: 0}},
		"a crowd":           {5 * time.Second, crowd, repeats{0: 36}},
		"another text":      {time.Second, []Comment{at(1, "a"), at(2, "b"), at(3, "a")}, repeats{1: 1, 2: 0}},
		"case is kept":      {time.Second, []Comment{at(1, "a"), at(2, "A")}, repeats{1: 0, 2: 0}},
		"white space":       {time.Second, []Comment{at(1, "a"), at(2, "　a ")}, repeats{1: 1}},
		"colour and size":   {time.Second, []Comment{at(1, "a"), at(2, "a", coloured)}, repeats{1: 1}},
		"the last moment":   {time.Second, []Comment{at(1, "a"), at(1001, "a")}, repeats{1: 1}},
		"too late":          {time.Second, []Comment{at(1, "a"), at(1002, "a")}, repeats{1: 0, 1002: 0}},
		"from the first":    {time.Second, []Comment{at(1, "a"), at(900, "a"), at(1800, "a"), at(2000, "a")}, repeats{1: 1, 1800: 1}},
		"another mode":      {time.Second, []Comment{at(1, "a"), at(2, "a", mode(Top)), at(3, "a", mode(Top))}, repeats{1: 0, 2: 1}},
		"programmes":        {time.Second, []Comment{at(1, "[]", mode(Positioned)), at(2, "[]", mode(Positioned))}, repeats{1: 0, 2: 0}},
		"a protected one":   {time.Second, []Comment{at(1, "a"), at(2, "a", protected), at(3, "a")}, repeats{1: 0, 2: 1}},
		"a protected first": {time.Second, []Comment{at(1, "a", protected), at(2, "a")}, repeats{1: 1}},
	} {
		shown, dropped := (&WindowOptions{Merge: c.within}).show(c.comments, "", testHideAt)
		got := repeats{}
		for _, s := range shown {
			got[s.ID.progress] = s.Repeats
		}
		require.Equal(t, c.want, got, name)
		require.Zero(t, dropped, name)
	}
}

func TestRepeatsTakeOnePlaceUnderTheCap(t *testing.T) {
	t.Parallel()
	crowd := second(10)
	for i := range 8 {
		crowd[i].Text = "哈哈哈"
	}
	shown, dropped := (&WindowOptions{Cap: 3, Merge: time.Second}).show(crowd, "", testHideAt)
	require.Len(t, shown, 3)
	require.Equal(t, 7, shown[0].Repeats)
	require.Zero(t, dropped)
	few, dropped := (&WindowOptions{Cap: 1, Merge: time.Second}).show(crowd, "", testHideAt)
	require.Len(t, few, 1)
	require.Equal(t, 10, 1+few[0].Repeats+dropped)
}
