package leaderboard_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestDefinitionsRoundTrip(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &leaderboard.Options{Consistent: true})
	full := leaderboard.Board{
		Name: "full", Kind: leaderboard.KindFloat, Order: leaderboard.Ascending, SubOrder: leaderboard.Ascending,
		Ties: leaderboard.LaterFirst, Operator: leaderboard.Increment, Allow: []leaderboard.Operator{leaderboard.Best, leaderboard.Set},
		Min: ptr(leaderboard.Float(-1.5)), Max: ptr(leaderboard.Float(1e126)), Floor: ptr(leaderboard.Float(0)), Above: ptr(leaderboard.Float(0.5)),
		Cron: "0 4 * * 1", Zone: "Asia/Shanghai", Grace: time.Hour, Keep: 90 * 24 * time.Hour, Shards: 4,
	}
	w.define(t, full)
	w.define(t, leaderboard.Board{Name: "plain"})
	require.Equal(t, []leaderboard.Board{full, {Name: "plain", Operator: leaderboard.Best, Shards: 1}}, all(t, 0, w.Definitions))
}

// The answer to a Define is lost. Another call defines the board before the SDK repeats
// the request.
func TestARepeatedDefineDoesNotUndoALaterOne(t *testing.T) {
	t.Parallel()
	for name, defined := range map[string]bool{"new": false, "defined before": true} {
		w := newWorld(t, &leaderboard.Options{Consistent: true})
		graced := func(grace time.Duration) leaderboard.Board {
			return leaderboard.Board{Name: "b", Cron: "0 4 * * 1", Zone: "UTC", Grace: grace, Operator: leaderboard.Best, Shards: 1}
		}
		if defined {
			w.define(t, graced(time.Minute))
		}
		lost, writes := faults.New(t, 1, faults.Rates{}), 0
		lost.Script(func(op string, _ []byte, _ int) faults.Fault {
			if op != "TransactWriteItems" && op != "PutItem" {
				return faults.Fault{}
			}
			if writes++; writes == 1 {
				return faults.Fault{Kind: faults.LostAfter}
			}
			w.define(t, graced(2*time.Hour))
			return faults.Fault{}
		})
		changed, err := w.process(t, nil, lost.Wrap).Define(t.Context(), graced(time.Hour))
		require.NoError(t, err, name)
		require.True(t, changed, name)
		require.Equal(t, 2, writes, name)
		require.Equal(t, []leaderboard.Board{graced(2 * time.Hour)}, all(t, 0, w.Definitions), name)
	}
}

func TestPermanentFieldsCannotChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &leaderboard.Options{Consistent: true})
	for name, c := range map[string]struct {
		from, to leaderboard.Board
		refused  bool
	}{
		"kind":                    {leaderboard.Board{}, leaderboard.Board{Kind: leaderboard.KindFloat}, true},
		"order":                   {leaderboard.Board{}, leaderboard.Board{Order: leaderboard.Ascending}, true},
		"sub order":               {leaderboard.Board{SubOrder: leaderboard.Ascending}, leaderboard.Board{}, true},
		"ties":                    {leaderboard.Board{}, leaderboard.Board{Ties: leaderboard.LaterFirst}, true},
		"more than the best":      {leaderboard.Board{}, leaderboard.Board{Allow: []leaderboard.Operator{leaderboard.Set}}, true},
		"other than the best":     {leaderboard.Board{}, leaderboard.Board{Operator: leaderboard.Set}, true},
		"a reset after all":       {leaderboard.Board{}, leaderboard.Board{Cron: "@daily"}, true},
		"the best alone":          {every(""), leaderboard.Board{}, true},
		"another among others":    {every(""), leaderboard.Board{Operator: leaderboard.Increment}, false},
		"no reset any more":       {leaderboard.Board{Cron: "@daily"}, leaderboard.Board{}, false},
		"another schedule":        {leaderboard.Board{Cron: "@daily"}, leaderboard.Board{Cron: "@weekly", Zone: "Asia/Shanghai"}, false},
		"a floor under the best":  {leaderboard.Board{}, leaderboard.Board{Floor: ptr(leaderboard.Int(2))}, true},
		"no floor under the best": {leaderboard.Board{Floor: ptr(leaderboard.Int(2))}, leaderboard.Board{}, true},
		"bounds": {every(""), func() leaderboard.Board {
			b := every("")
			b.Min, b.Floor = ptr(leaderboard.Int(1)), ptr(leaderboard.Int(2))
			return b
		}(), false},
		"bounds of the best":        {leaderboard.Board{Min: ptr(leaderboard.Int(1))}, leaderboard.Board{Max: ptr(leaderboard.Int(9))}, false},
		"grace, expiry and shards":  {leaderboard.Board{}, leaderboard.Board{Grace: time.Hour, Keep: time.Hour, Shards: 3}, false},
		"the operator, said or not": {leaderboard.Board{}, leaderboard.Board{Operator: leaderboard.Best, Allow: []leaderboard.Operator{leaderboard.Best}}, false},
	} {
		c.from.Name, c.to.Name = name, name
		w.define(t, c.from)
		before := all(t, 0, w.Definitions)
		_, err := w.Define(t.Context(), c.to)
		if c.refused {
			require.ErrorIs(t, err, plaza.ErrConflict, name)
			require.Equal(t, before, all(t, 0, w.Definitions), name)
		} else {
			require.NoError(t, err, name)
		}
	}
}

// The process that reads a board defines it between the two reads.
func TestAnOlderReadDoesNotReplaceANewDefinition(t *testing.T) {
	t.Parallel()
	other := newWorld(t, nil)
	other.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Increment})
	other.submit(t, score("b", "bob", 1, 0)) // opens the period
	var w world
	w = other.process(t, nil, before("Query", func() { w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set}) }))
	w.submit(t, score("b", "ann", 1, 0))
	require.Equal(t, leaderboard.Int(9), w.submit(t, score("b", "ann", 9, 0)).New)
}

func TestARedefinitionReachesOthersWithinRefresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other := w.process(t, &leaderboard.Options{Refresh: time.Minute})
	w.define(t, leaderboard.Board{Name: "b"})
	other.submit(t, score("b", "ann", 5, 0))
	w.define(t, leaderboard.Board{Name: "b", Max: ptr(leaderboard.Int(9))})

	w.refuses(t, score("b", "bob", 10, 0), plaza.ErrInvalid, "at once in the process that made it")
	w.set(noon.Add(time.Minute - 1))
	other.submit(t, score("b", "cat", 10, 0))
	w.set(noon.Add(time.Minute))
	other.refuses(t, score("b", "dan", 10, 0), plaza.ErrInvalid)

	w.define(t, leaderboard.Board{Name: "b", Max: ptr(leaderboard.Int(99))})
	w.set(noon) // the clock was turned back
	other.submit(t, score("b", "eve", 10, 0))
}

// A read began before the definition, and its answer comes later.
func TestNoReadJoinsOneOfAnOlderDefinition(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b"})
	answered, late := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	own := w.process(t, nil, func(next aws.HTTPClient) aws.HTTPClient {
		return doer(func(r *http.Request) (*http.Response, error) {
			res, err := next.Do(r)
			if first.CompareAndSwap(false, true) {
				close(answered)
				<-late
			}
			return res, err
		})
	})
	var reader sync.WaitGroup
	reader.Go(func() {
		_, err := own.Count(t.Context(), in("b"))
		assert.NoError(t, err)
	})
	<-answered
	own.define(t, leaderboard.Board{Name: "b", Max: ptr(leaderboard.Int(9))})
	own.refuses(t, score("b", "ann", 10, 0), plaza.ErrInvalid)
	close(late)
	reader.Wait()
}

func TestDefinitionsArePagedExactly(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	requests := 0
	pagetest.Run(t, func(t *testing.T) pagetest.List[leaderboard.Board] {
		w := newWorld(t, &leaderboard.Options{Consistent: true}, meter.Wrap)
		w.put(t, place{player: "ann"}.item("a", "0"), place{player: "ann"}.item("b", "0"))
		added := 1_000_000
		return pagetest.List[leaderboard.Board]{
			Page: w.Definitions,
			ID:   func(b leaderboard.Board) string { return b.Name },
			Add: func(ctx context.Context, n int) []string {
				names := make([]string, n)
				for i := range names {
					added-- // the first by name is the first listed
					names[i] = fmt.Sprint("board ", added)
					w.define(t, leaderboard.Board{Name: names[i]})
				}
				return names
			},
			Remove: func(ctx context.Context, name string) {
				require.NoError(t, w.raw(t).Delete("pk", "B#").Range("sk", name).Run(ctx))
			},
			Others: []pagetest.Other{pagetest.Foreign("a player's boards", w.boardsOf("ann"))},
			Requests: func() int {
				requests += meter.Take().Requests
				return requests
			},
			Brief: true,
		}
	})
}
