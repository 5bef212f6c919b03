package leaderboard_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func TestADamagedPeriodIsReportedAndRepaired(t *testing.T) {
	t.Parallel()
	const today, players = "20260310T000000Z", 3
	for name, with := range faults.Sample(8, map[string]dynamo.Item{
		"no shards":              {"shards": nil},
		"too many shards":        {"shards": numberOf("1000000000")},
		"shards that are text":   {"shards": textOf("x")},
		"nowhere to write":       {"from": textOf("2100-01-01T00:00:00Z"), "before": numberOf("0")},
		"an end before":          {"end": textOf("2026-03-01T00:00:00Z")},
		"an end that is a list":  {"end": &types.AttributeValueMemberL{}},
		"a grace":                {"grace": numberOf("-1")},
		"an expiry that is text": {"expires": textOf("never")},
	}, "too many shards") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := new(reports)
			w := newWorld(t, &leaderboard.Options{OnCorrupt: told.hook})
			board := leaderboard.Board{Name: "b", Cron: "@daily", Shards: 3, Grace: 48 * time.Hour, Keep: time.Hour}
			w.define(t, board)
			for day := 9; day <= 10; day++ {
				for i := range players {
					s := score("b", fmt.Sprint("p", i), int64(9-i), 0)
					s.At = march(day, 12)
					w.submit(t, s)
				}
			}
			whole := w.rawItems(t)
			w.damage(t, "B#b", "T#"+today, with)
			told.take()
			other := w.process(t, &leaderboard.Options{OnCorrupt: told.hook})
			reads := other.reads(t, leaderboard.In{Board: "b"}, "p1")
			maps.Copy(reads, map[string]func() error{"named": func() error {
				_, err := other.Rank(t.Context(), leaderboard.In{Board: "b", Period: today}, "p1")
				return err
			}})
			delete(reads, "Repair")
			for name, read := range faults.Sample(3, reads, "named") {
				err := read()
				require.ErrorIs(t, err, plaza.ErrCorrupt, name)
				corrupt(t, err, "B#b")
			}
			_, _, err := other.Submit(t.Context(), leaderboard.Submission{Board: "b", Player: "p1", Score: leaderboard.Int(1)})
			corrupt(t, err, "B#b")
			require.NotZero(t, told.take()["B#b / T#"+today])
			require.Len(t, all(t, 0, other.periodsOf("b")), 1)
			yesterday := leaderboard.In{Board: "b", Period: "20260309T000000Z"}
			require.Len(t, all(t, 0, other.top(yesterday)), players, "others are served")
			_, err = other.Repair(t.Context(), yesterday)
			require.NoError(t, err)

			drift, err := other.Repair(t.Context(), in("b"))
			require.NoError(t, err)
			require.Equal(t, leaderboard.Drift{Broken: 1}, drift)
			require.Len(t, all(t, 0, other.top(in("b"))), players)
			for i, item := range w.rawItems(t) {
				for name, value := range whole[i] {
					if name != "shards" && name != "rev" {
						require.Equal(t, value, item[name], name)
					}
				}
			}
			drift, err = w.process(t, nil).Check(t.Context(), in("b"))
			require.NoError(t, err)
			require.Zero(t, drift)
		})
	}
}

func TestADamagedDefinitionIsReportedAndReplaced(t *testing.T) {
	t.Parallel()
	for name, with := range faults.Sample(6, map[string]dynamo.Item{
		"a kind":                           {"kind": textOf("complex")},
		"no version":                       {"ver": textOf("x")},
		"an unknown ties":                  {"ties": numberOf("7")},
		"no shards":                        {"shards": nil},
		"many shards":                      {"shards": numberOf("65")},
		"no operator":                      {"operator": nil},
		"a cron":                           {"cron": textOf("61 * * * *")},
		"allow that is one":                {"allow": textOf("best")},
		"a minimum":                        {"min": textOf("a little")},
		"a kind that is not its minimum's": {"kind": textOf("float")},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := new(reports)
			w := newWorld(t, nil)
			minimum := leaderboard.Int(-5)
			board := leaderboard.Board{Name: "b", Order: leaderboard.Ascending, Operator: leaderboard.Set, Shards: 4, Min: &minimum}
			w.define(t, board)
			w.define(t, leaderboard.Board{Name: "healthy"})
			w.play(t, "b", "ann 1", "bob 2")
			w.damage(t, "B#", "b", with)
			other := w.process(t, &leaderboard.Options{OnCorrupt: told.hook})
			for name, read := range faults.Sample(3, other.reads(t, in("b"), "ann")) {
				require.ErrorIs(t, read(), plaza.ErrCorrupt, name)
			}
			_, _, err := other.Submit(t.Context(), score("b", "ann", 1, 0))
			corrupt(t, err, "B#")
			require.Len(t, all(t, 0, other.Definitions), 1)
			require.NotZero(t, told.take()["B# / b"])

			wrong := board
			wrong.Order = leaderboard.Descending
			require.ErrorIs(t, errorOf(other.Define(t.Context(), wrong)), plaza.ErrConflict)
			fewer := board
			fewer.Shards = 1
			if with["shards"] == nil && name != "no shards" { // the number only grows
				other.define(t, fewer)
				require.Equal(t, 4, all(t, 0, other.Definitions)[0].Shards)
			}
			other.define(t, board)
			require.Equal(t, 4, all(t, 0, other.Definitions)[0].Shards)
			require.Equal(t, []string{"1/1 ann 1", "2/2 bob 2"}, texts(all(t, 0, other.top(in("b")))))
			require.Len(t, all(t, 0, other.Definitions), 2)
			w.set(w.Now().Add(24 * time.Hour))
			w.play(t, "b", "cat 3") // this process still knows the board
			other.isWhole(t, in("b"))
		})
	}
}

// The schedule has changed since.
func TestADamagedPeriodEndsWhereTheNextBegins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Cron: "@hourly"})
	for hour := 12; hour <= 13; hour++ {
		w.set(march(10, hour))
		_, err := w.in(t, "b", w.Now())
		require.NoError(t, err)
	}
	w.define(t, leaderboard.Board{Name: "b", Cron: "@weekly"})
	before := w.texts(t, "b")
	w.damage(t, "B#b", "T#20260310T120000Z", dynamo.Item{"end": numberOf("-1e30")})
	_, err := w.process(t, nil).Repair(t.Context(), leaderboard.In{Board: "b", Period: "20260310T120000Z"})
	require.NoError(t, err)
	require.Equal(t, before, w.texts(t, "b"))
}
