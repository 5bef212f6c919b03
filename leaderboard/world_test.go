package leaderboard_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// noon is the time at which every test begins.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// clock is a world's clock, and makes ids with its time.
type clock struct {
	mu  sync.Mutex
	now time.Time
	ids atomic.Uint64
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

func (c *clock) id() ids.ID { return ids.At(c.Now()) + ids.ID(c.ids.Add(1)) }

func (c *clock) Next(context.Context) (ids.ID, error) { return c.id(), nil }

// world is a repository over a fresh table.
type world struct {
	*leaderboard.Repository
	*clock
	table string
	send  wrapper // nil, or the wrap nearest to the engine

	folds *leaderboard.Folder // nil unless boards are folded
}

// db is a client of the engine.
func (w world) db(t testing.TB, wrap ...wrapper) *dynamo.DB {
	t.Helper()
	if w.send != nil {
		wrap = slices.Insert(wrap, 0, w.send)
	}
	return dynamotest.DB(t, wrap...)
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

func newWorld(t testing.TB, opts *leaderboard.Options, wrap ...wrapper) world {
	t.Helper()
	w := world{table: dynamotest.Table(t, leaderboard.Table), clock: &clock{now: noon}}
	return w.process(t, opts, wrap...)
}

// process returns a repository of another process on the same table.
func (w world) process(t testing.TB, opts *leaderboard.Options, wrap ...wrapper) world {
	t.Helper()
	var o leaderboard.Options
	if opts != nil {
		o = *opts
	}
	o.Now = w.Now
	var err error
	w.Repository, err = leaderboard.New(w.db(t, wrap...), w.table, w.clock, &o)
	require.NoError(t, err)
	return w
}

// ahead returns a process whose clock is 9 s ahead.
func (w world) ahead(t testing.TB) world {
	t.Helper()
	w.clock = &clock{now: noon.Add(9 * time.Second)}
	return w.process(t, nil)
}

// tester is a *testing.T or a *rapid.T.
type tester interface {
	require.TestingT
	Helper()
	Context() context.Context
}

// errorOf drops the result of a write.
func errorOf(_ bool, err error) error { return err }

func (w world) define(t tester, b leaderboard.Board) {
	t.Helper()
	if w.folds != nil {
		b.Ranking = leaderboard.RankByFold
	}
	require.NoError(t, errorOf(w.Define(t.Context(), b)))
}

func (w world) submit(t tester, s leaderboard.Submission) leaderboard.Result {
	t.Helper()
	got, _, err := w.Submit(t.Context(), s)
	require.NoError(t, err)
	return got
}

func (w world) submitMany(t tester, all []leaderboard.Submission) []plaza.Result[leaderboard.Result] {
	t.Helper()
	results, err := w.SubmitMany(t.Context(), all)
	require.NoError(t, err)
	return results
}

// refuses submits what is refused with an error.
func (w world) refuses(t tester, s leaderboard.Submission, want error, why ...any) {
	t.Helper()
	require.ErrorIs(t, w.refusal(t, s), want, why...)
}

// refusal submits what is refused and returns the error.
func (w world) refusal(t tester, s leaderboard.Submission) error {
	t.Helper()
	_, created, err := w.Submit(t.Context(), s)
	require.Error(t, err)
	require.False(t, created)
	return err
}

// isWhole requires that Check finds nothing wrong.
func (w world) isWhole(t tester, in leaderboard.In) {
	t.Helper()
	drift, err := w.Check(t.Context(), in)
	require.NoError(t, err)
	require.Zero(t, drift)
}

// repeat submits a submission that was applied before.
func (w world) repeat(t tester, s leaderboard.Submission) leaderboard.Result {
	t.Helper()
	got, created, err := w.Submit(t.Context(), s)
	require.NoError(t, err)
	require.False(t, created)
	return got
}

// score returns a submission i seconds after noon.
func score(board, player string, v int64, i int) leaderboard.Submission {
	return leaderboard.Submission{Board: board, Player: player, Score: leaderboard.Int(v), At: noon.Add(time.Duration(i-3600) * time.Second)}
}

// row is an item of the index.
type row struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	Part string `dynamo:"part"`
	Key  []byte `dynamo:"key"`
	Name string `dynamo:"name"`
}

// entry is an item of the table.
type entry struct {
	row
	Score   string `dynamo:"score"`
	Rev     int64  `dynamo:"rev"`
	Version uint64 `dynamo:"version"`
	Ops     []byte `dynamo:"ops"`
	Meta    string `dynamo:"meta"`
	TTL     int64  `dynamo:"ttl"`
}

func (w world) raw(t testing.TB) dynamo.Table { return w.db(t).Table(w.table) }

// rows returns one partition of the index, the best first.
func (w world) rows(t tester, table dynamo.Table, part string) []row {
	t.Helper()
	var rows []row
	require.NoError(t, table.Get("part", part).Index("ranking").Order(dynamo.Ascending).All(t.Context(), &rows))
	return rows
}

const forever = "19700101T000000Z" // the period of a board that never resets

// standings returns "player score" for each row of a period, the best first.
func (w world) standings(t testing.TB, board, period string, shards int) []string {
	t.Helper()
	rows := w.rowsOf(t, board, period, shards)
	entries := map[string]entry{}
	if len(rows) > 0 {
		var stored []entry
		all := make([]dynamo.Keyed, len(rows))
		for i, r := range rows {
			all[i] = dynamo.Keys{r.PK, keys.Join("LB", board, period)}
		}
		require.NoError(t, w.raw(t).Batch("pk", "sk").Get(all...).Consistent(true).All(t.Context(), &stored))
		for _, e := range stored {
			entries[e.PK] = e
		}
	}
	list := make([]string, len(rows))
	for i, r := range rows {
		e := entries[r.PK]
		require.Equal(t, r, e.row, "the index shows the entry")
		list[i] = fmt.Sprint(r.PK[len("P#"):], " ", e.Score)
	}
	return list
}

// rowsOf returns the rows of a period's shards, the best first.
func (w world) rowsOf(t testing.TB, board, period string, shards int) []row {
	t.Helper()
	if shards == 1 {
		return w.rows(t, w.raw(t), keys.Join(board, period, "0"))
	}
	var parts []any
	for shard := range shards {
		parts = append(parts, keys.Join(board, period, strconv.Itoa(shard)))
	}
	var rows []row
	in := "part IN (?" + strings.Repeat(", ?", shards-1) + ")"
	require.NoError(t, w.raw(t).Scan().Index("ranking").Filter(in, parts...).All(t.Context(), &rows))
	slices.SortFunc(rows, func(a, b row) int { return bytes.Compare(a.Key, b.Key) })
	return rows
}

func (w world) entry(t testing.TB, player, board, period string) entry {
	t.Helper()
	var e entry
	err := w.raw(t).Get("pk", "P#"+player).Range("sk", dynamo.Equal, "LB#"+board+"#"+period).Consistent(true).One(t.Context(), &e)
	require.NoError(t, err)
	return e
}

// items returns the number of items in the table.
func (w world) items(t testing.TB) int {
	t.Helper()
	n, err := w.raw(t).Scan().Consistent(true).Count(t.Context())
	require.NoError(t, err)
	return n
}
