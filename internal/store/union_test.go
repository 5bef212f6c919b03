package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// entry is a row of a source. A damaged one is read but not returned.
type entry struct {
	at      int
	sources string // the sources that have it
	damaged bool
}

func (e entry) place() string { return fmt.Sprintf("%03d", e.at) }

// unionOf reads sources of sorted entries, limit entries a request.
func unionOf(sources [][]entry, ascending bool, limit int, requests *atomic.Int64) store.Union[entry] {
	return store.Union[entry]{
		Sources:   len(sources),
		Ascending: ascending,
		Read: func(_ context.Context, source int, gap string) (rows []entry, rest string, err error) {
			requests.Add(1)
			left := slices.DeleteFunc(slices.Clone(sources[source]), func(e entry) bool {
				return gap != "" && (e.place() < gap) == ascending
			})
			if !ascending {
				slices.Reverse(left)
			}
			if len(left) >= limit {
				left = left[:limit]
				rest = left[limit-1].place()
				if ascending {
					rest += "\x00"
				}
			}
			return slices.DeleteFunc(left, func(e entry) bool { return e.damaged }), rest, nil
		},
		Place:   func(e *entry) string { return e.place() },
		Compare: func(a, b *entry) int { return cmp.Compare(a.at, b.at) },
		Join: func(a, b entry) entry {
			a.sources += b.sources
			return a
		},
	}
}

func anySources(t *rapid.T) [][]entry {
	sources := make([][]entry, rapid.IntRange(1, 5).Draw(t, "sources"))
	for i := range sources {
		for _, at := range rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 0, 20, rapid.ID).Draw(t, "places") {
			sources[i] = append(sources[i], entry{at: at, sources: fmt.Sprint(i), damaged: rapid.IntRange(0, 4).Draw(t, "damaged") == 0})
		}
		slices.SortFunc(sources[i], func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	}
	return sources
}

func TestAUnionIsTheSortedWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sources, whole := anySources(t), map[int]entry{}
		for _, source := range sources {
			for _, e := range source {
				if !e.damaged {
					whole[e.at] = entry{at: e.at, sources: whole[e.at].sources + e.sources}
				}
			}
		}
		ascending := rapid.Bool().Draw(t, "ascending")
		var want []entry
		for _, e := range whole {
			want = append(want, e)
		}
		slices.SortFunc(want, func(a, b entry) int {
			if !ascending {
				a, b = b, a
			}
			return cmp.Compare(a.at, b.at)
		})

		var requests atomic.Int64
		u := unionOf(sources, ascending, rapid.IntRange(1, 6).Draw(t, "limit"), &requests)
		ready := rapid.IntRange(0, 5).Draw(t, "ready")
		u.Ready = func(source int, _ string) bool { return source < ready }
		n := rapid.IntRange(1, 40).Draw(t, "want")
		rows, rest, err := u.Rows(context.Background(), n, math.MaxInt)
		require.NoError(t, err)
		require.Equal(t, all(want[:min(n, len(want))]), all(rows))
		if rest == "" {
			require.Len(t, rows, len(want), "there are no more rows")
		}

		rounds := rapid.IntRange(1, 3).Draw(t, "rounds")
		requests.Store(0)
		rows, rest, err = u.Rows(context.Background(), n, rounds)
		require.NoError(t, err)
		require.LessOrEqual(t, requests.Load(), int64(rounds*len(sources)))
		require.Equal(t, all(want[:len(rows)]), all(rows), "a shorter answer has no gap")
		for _, e := range want[len(rows):] {
			require.NotEmpty(t, rest)
			require.NotEqual(t, ascending, e.place() < rest, "what was not given lies beyond the rest")
		}
		for _, e := range rows {
			require.True(t, rest == "" || (e.place() < rest) == ascending, "what was given does not")
		}
	})
}

// Unions that keep what they read give the same rows as new ones, from any gap
// and in both directions, and read no row twice while they go on.
func TestUnionsThatKeepWhatTheyReadAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sources := anySources(t)
		var requests, fresh atomic.Int64
		kept := &store.Kept[entry]{}
		limit := rapid.IntRange(1, 6).Draw(t, "limit")
		some := 1 // sources may come later
		for range rapid.IntRange(1, 6).Draw(t, "unions") {
			some = max(some, rapid.IntRange(1, len(sources)).Draw(t, "some"))
			ascending := rapid.Bool().Draw(t, "ascending")
			want, rounds := rapid.IntRange(1, 30).Draw(t, "want"), rapid.SampledFrom([]int{1, 2, math.MaxInt}).Draw(t, "rounds")
			gap := fmt.Sprintf("%03d", rapid.IntRange(0, 41).Draw(t, "gap"))
			if rapid.Bool().Draw(t, "beyond") {
				gap += "\x00"
			}
			again := unionOf(sources[:some], ascending, limit, &fresh)
			again.Gap = gap
			all, _, err := again.Rows(context.Background(), 1000, math.MaxInt)
			require.NoError(t, err)

			u := unionOf(sources[:some], ascending, limit, &requests)
			u.Gap, u.Kept = gap, kept
			rows, rest, err := u.Rows(context.Background(), want, rounds)
			require.NoError(t, err)
			require.Equal(t, append([]entry{}, all[:len(rows)]...), append([]entry{}, rows...))
			for _, e := range all[len(rows):] {
				require.NotEmpty(t, rest)
				require.NotEqual(t, ascending, e.place() < rest, "what was not given lies beyond the rest")
			}
			if rounds == math.MaxInt {
				require.Len(t, rows, min(want, len(all)))
			}
			if len(rows) > 0 {
				before := requests.Load()
				same, _, err := u.Rows(context.Background(), len(rows), math.MaxInt)
				require.NoError(t, err)
				require.Len(t, same, len(rows))
				require.Equal(t, before, requests.Load(), "what is kept is not read again")
			}
		}
	})
}

// A page upwards reads the window below each of its gaps.
func TestAUnionTakesWhatItReadInTheOtherDirection(t *testing.T) {
	var whole []entry
	for i := range 40 {
		whole = append(whole, entry{at: i})
	}
	var requests atomic.Int64
	kept := &store.Kept[entry]{}
	read := func(gap string, ascending bool, want int) []entry {
		u := unionOf([][]entry{whole}, ascending, 10, &requests)
		u.Gap, u.Kept = gap, kept
		rows, _, err := u.Rows(t.Context(), want, math.MaxInt)
		require.NoError(t, err)
		return rows
	}
	require.Equal(t, whole[20:30], read("020", true, 10))
	read("020", false, 10)
	require.EqualValues(t, 2, requests.Load())
	below := slices.Clone(whole[12:27])
	slices.Reverse(below)
	require.Equal(t, below, read("027", false, 15))
	require.EqualValues(t, 2, requests.Load())
}

// all makes none of a nil slice and of an empty one equal.
func all(rows []entry) []entry { return append([]entry{}, rows...) }

func TestAUnionReadsOnlyTheSourcesThatMayHaveTheNextRow(t *testing.T) {
	var low, high []entry
	for i := range 20 {
		low = append(low, entry{at: i})
		high = append(high, entry{at: 100 + i})
	}
	var requests atomic.Int64
	rows, _, err := unionOf([][]entry{low, high}, true, 5, &requests).Rows(t.Context(), 15, math.MaxInt)
	require.NoError(t, err)
	require.Len(t, rows, 15)
	require.EqualValues(t, 5, requests.Load(), "three of the low source, two of the high")
}

func TestAUnionOfNoSourcesIsEmpty(t *testing.T) {
	rows, rest, err := store.Union[entry]{}.Rows(t.Context(), 1, 1)
	require.NoError(t, err)
	require.Empty(t, rows)
	require.Empty(t, rest)
}

func TestAUnionKeepsEqualRowsWithoutJoin(t *testing.T) {
	var requests atomic.Int64
	u := unionOf([][]entry{{{at: 1, sources: "a"}}, {{at: 1, sources: "b"}}}, false, 5, &requests)
	u.Join = nil
	rows, rest, err := u.Rows(t.Context(), 5, 1)
	require.NoError(t, err)
	require.Empty(t, rest)
	var sources strings.Builder
	for _, e := range rows {
		sources.WriteString(e.sources)
	}
	require.Equal(t, "ab", sources.String())
}

func TestAUnionReadsReadySourcesFirst(t *testing.T) {
	var mu sync.Mutex
	var order []int
	broken := -1
	u := store.Union[entry]{
		Sources: 4,
		Ready:   func(source int, gap string) bool { return source%2 == 1 && gap == "" },
		Read: func(_ context.Context, source int, _ string) ([]entry, string, error) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, source)
			if source == broken {
				return nil, "", errBroken
			}
			return nil, "", nil
		},
	}
	_, _, err := u.Rows(t.Context(), 1, 1)
	require.NoError(t, err)
	require.Equal(t, []int{1, 3}, order[:2])
	require.ElementsMatch(t, []int{0, 2}, order[2:])

	order, broken = nil, 1
	_, _, err = u.Rows(t.Context(), 1, 1)
	require.ErrorIs(t, err, errBroken)
	require.Equal(t, []int{1}, order)
}

var errBroken = errors.New("broken")

func TestAUnionWhoseSourcePanicsFails(t *testing.T) {
	u := store.Union[entry]{Sources: 3, Read: func(context.Context, int, string) ([]entry, string, error) { panic("in a source") }}
	_, _, err := u.Rows(t.Context(), 1, 1)
	var panicked *parallel.PanicError
	require.ErrorAs(t, err, &panicked)
}
