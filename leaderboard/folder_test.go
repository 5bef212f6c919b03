package leaderboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// foldedBoards have names that are near each other where they are joined.
var foldedBoards = []leaderboard.Board{
	{Name: "a", Ranking: leaderboard.RankByFold, Operator: leaderboard.Set},
	{Name: "a#19700101T000000Z", Ranking: leaderboard.RankByFold, Operator: leaderboard.Set, Order: leaderboard.Ascending},
	{Name: `a\`, Ranking: leaderboard.RankByFold, Operator: leaderboard.Set, Shards: 2},
	{Name: "daily", Ranking: leaderboard.RankByFold, Operator: leaderboard.Set, Cron: "0 0 * * *", Grace: time.Hour},
	{Name: "counted", Operator: leaderboard.Set},
}

func (w world) defineFolded(t testing.TB) {
	t.Helper()
	for _, b := range foldedBoards {
		w.define(t, b)
	}
}

// write makes a random write to a random one of the boards.
func (w world) write(ctx context.Context, random *rand.Rand) error {
	b := foldedBoards[random.IntN(len(foldedBoards))]
	in := leaderboard.In{Board: b.Name}
	player := fmt.Sprint("p", random.IntN(30))
	var err error
	switch random.IntN(16) {
	case 0, 1:
		err = errorOf(w.Hide(ctx, in, player))
	case 2:
		err = errorOf(w.Unhide(ctx, in, player))
	case 3:
		err = errorOf(w.Remove(ctx, in, player))
	case 4:
		err = w.Erase(ctx, player)
	case 5:
		b.Shards = 1 + random.IntN(maxTested)
		err = errorOf(w.Define(ctx, b))
	default:
		_, _, err = w.Submit(ctx, leaderboard.Submission{Board: b.Name, Player: player, Score: leaderboard.Int(int64(random.IntN(20))), Op: w.id()})
	}
	if errors.Is(err, plaza.ErrNotFound) || errors.Is(err, plaza.ErrRemoved) {
		return nil
	}
	return err
}

// foldedExactly compares all periods with what a folder has and published of them.
func (w world) foldedExactly(t testing.TB, f *leaderboard.Folder) {
	t.Helper()
	for _, b := range foldedBoards {
		if b.Ranking != leaderboard.RankByFold {
			continue
		}
		for p, err := range cursor.All(t.Context(), func(ctx context.Context, req cursor.PageRequest) (cursor.Page[leaderboard.Period], error) {
			return w.Periods(ctx, b.Name, req)
		}) {
			require.NoError(t, err)
			all := w.keys(t, b.Name, p.Name, maxTested)
			w.agreesWith(t, all, b.Name, p.Name)
			if f.Above(b.Name, p.Name, nil) >= 0 {
				holdsExactly(t, f, all, b.Name, p.Name)
			}
		}
	}
}

func TestUnderFaultsWhatIsPublishedIsTheIndex(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newFolded(t, nil)
			w.defineFolded(t)
			random := rand.New(rand.NewPCG(seed, 0))
			rates := faults.Standard
			rates.Unprocessed = 0.05
			drops := faults.Outages()["drops"]
			drops.Lose(0.1)
			f := w.folder(t, leaderboard.FolderOptions{}, drops.Wrap, faults.New(t, seed, rates).Wrap)
			for range faults.Size(6, 2) {
				for range faults.Size(30, 20) {
					require.NoError(t, w.write(t.Context(), random))
				}
				catchUp(t, f)
				w.foldedExactly(t, f)
				w.set(w.Now().Add(10 * time.Hour))
			}
			require.Zero(t, f.Status().Loading)
			require.Positive(t, f.Status().Entries)
		})
	}
}

// Writers and the folder are throttled, the index lags, and the stream delivers late and twice.
func TestAFoldOfHotBoardsWhoseStreamRepeats(t *testing.T) {
	t.Parallel()
	if !faults.Full() {
		t.Skip("it waits for seconds until the index has caught up")
	}
	const lags = 2 * time.Second // at most
	w := newFolded(t, nil)
	lag, hot, records := faults.NewLag(t, 1), &faults.Buckets{PerSecond: 300}, faults.NewRecords(4)
	writer := w.process(t, nil, lag.Wrap, hot.Wrap)
	writer.defineFolded(t)
	random := rand.New(rand.NewPCG(1, 0))
	for range 40 { // neither in the stream nor yet in the index
		hot.Ask(t, func() error { return writer.write(t.Context(), random) })
	}
	f := w.folder(t, leaderboard.FolderOptions{Settle: lags + time.Millisecond}, records.Wrap, lag.Wrap, hot.Wrap)
	writes := 40
	for ; hot.Throttled() < 50 || records.Twice() < 20; writes += 20 {
		require.Less(t, writes, 1000)
		for i := range 10 {
			hot.Ask(t, func() error { return writer.write(t.Context(), random) })
			s := score("a", fmt.Sprint("p", i), int64(writes+i), 0)
			s.Op, s.Meta = w.id(), json.RawMessage(fmt.Sprintf("%q", page[:1500]))
			hot.Ask(t, func() error {
				_, _, err := writer.Submit(t.Context(), s)
				return err
			})
		}
		catchUp(t, f)
	}
	for range 30 { // a page that comes late looks like the end
		require.NoError(t, f.Round(t.Context()))
	}
	w.foldedExactly(t, f)
	t.Logf("%d writes, %d requests throttled, %d records twice, %d pages late, %d reads of an index that lagged", writes, hot.Throttled(), records.Twice(), records.Late(), lag.Reads())
	require.Zero(t, f.Status().Loading)
	require.Positive(t, f.Status().Entries)
}

func TestInvalidConfigurationFailsInNewFolder(t *testing.T) {
	t.Parallel()
	w, other := newFolded(t, nil), newFolded(t, nil)
	reader := w.reader(t, nil, nil)
	for name, opts := range map[string]leaderboard.FolderOptions{
		"Every": {Every: -1}, "Settle": {Settle: -1}, "Lease": {Lease: time.Millisecond}, "MaxEntries": {MaxEntries: 100_000_001},
	} {
		_, err := leaderboard.NewFolder(w.Repository, reader, &opts)
		requireInvalid(t, "FolderOptions."+name, err)
	}
	_, err := leaderboard.NewFolder(nil, reader, nil)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	_, err = leaderboard.NewFolder(w.Repository, nil, nil)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	_, err = leaderboard.NewFolder(other.Repository, reader, nil)
	require.ErrorIs(t, err, plaza.ErrInvalid, "the stream is of another table")
	f, err := leaderboard.NewFolder(w.Repository, reader, nil)
	require.NoError(t, err)
	require.Zero(t, f.Status())
}

// Entries are written while the index is read, before and after each of its pages.
func TestWritesDuringALoadAreFolded(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newOwn(t, leaderboard.Table)
			w.defineFolded(t)
			random := rand.New(rand.NewPCG(seed, 0))
			for range 20 {
				require.NoError(t, w.write(t.Context(), random))
			}
			w.fill(t, "a", 0, 600, page)
			w.stream(t)
			var mu sync.Mutex
			pages, read := 0, map[string]time.Time{} // when the index was, by how parts begin
			between := func() {
				mu.Lock()
				defer mu.Unlock()
				if pages++; pages > 100 {
					return
				}
				for range faults.Size(10, 3) {
					assert.NoError(t, w.write(t.Context(), random))
				}
			}
			f := w.folder(t, leaderboard.FolderOptions{}, nil, func(next aws.HTTPClient) aws.HTTPClient {
				return doer(func(r *http.Request) (*http.Response, error) {
					req, err := wire.Read(r)
					if err != nil {
						return nil, err
					}
					var in struct {
						IndexName string
						Values    map[string]struct{ S string } `json:"ExpressionAttributeValues"`
						Item      struct {
							PK   struct{ S string }    `json:"pk"`
							AsOf struct{ S time.Time } `json:"asOf"`
						}
					}
					if err := json.Unmarshal(req.Body, &in); err != nil {
						return nil, err
					}
					switch {
					case req.Op == "PutItem":
						mu.Lock()
						defer mu.Unlock()
						assert.False(t, in.Item.AsOf.S.Before(read[strings.TrimPrefix(in.Item.PK.S, "R#")]), "all that the index had was in the stream")
					case in.IndexName != "":
						between()
						defer func() {
							between()
							mu.Lock()
							defer mu.Unlock()
							for _, part := range in.Values {
								read[part.S[:max(0, strings.LastIndex(part.S, "#"))]] = time.Now()
							}
						}()
					}
					return next.Do(req.Again())
				})
			})
			catchUp(t, f)
			require.Greater(t, pages, 6)
			require.Contains(t, read, "a#"+forever)
			w.foldedExactly(t, f)
		})
	}
}

// The index lags for less than Settle: what was written before the folder began is in
// neither its first answers nor the stream.
func TestALaggingIndexIsReadAfterItHasSettled(t *testing.T) {
	t.Parallel()
	for name, lag := range map[string]time.Duration{"in time": 200 * time.Millisecond, "too late": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFolded(t, nil)
			w.define(t, foldedBoards[0])
			w.submit(t, score("a", "ann", 1, 1))
			var fresh atomic.Int64
			in := faults.New(t, 1, faults.Rates{})
			in.Script(func(op string, body []byte, _ int) faults.Fault {
				if op == "Query" && bytes.Contains(body, []byte("IndexName")) && time.Now().UnixNano() < fresh.Load() {
					return faults.Fault{Kind: faults.Stale}
				}
				return faults.Fault{}
			})
			require.NoError(t, w.folder(t, leaderboard.FolderOptions{}, nil, in.Wrap).CatchUp(t.Context()))
			w.agrees(t, "a", forever, 1)

			w.submit(t, score("a", "bob", 2, 2))
			w.submit(t, score("a", "ann", 3, 3))
			fresh.Store(time.Now().Add(lag).UnixNano())
			f := w.folder(t, leaderboard.FolderOptions{Settle: 250 * time.Millisecond}, nil, in.Wrap)
			require.NoError(t, f.CatchUpWith(t.Context(), 2))
			if name == "too late" {
				require.EqualValues(t, 1, w.published(t, "a", forever).Len(), "this test can fail")
				return
			}
			w.agrees(t, "a", forever, 1)
			w.holds(t, f, "a", forever)
		})
	}
}
