package leaderboard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

// spoil replaces the stream's answers until it says that it is done.
type spoil func(*http.Response, wire.Request) (res *http.Response, done bool)

func (s *spoil) wrap(next aws.HTTPClient) aws.HTTPClient {
	return doer(func(r *http.Request) (*http.Response, error) {
		req, err := wire.Read(r)
		if err != nil {
			return nil, err
		}
		res, err := next.Do(req.Again())
		if err != nil || *s == nil {
			return res, err
		}
		res, done := (*s)(res, req)
		if done {
			*s = nil
		}
		return res, nil
	})
}

// failures collects the errors of a folder's attempts.
func failures(errs *[]error) leaderboard.FolderOptions {
	return leaderboard.FolderOptions{OnAttempt: func(a leaderboard.FolderAttempt) {
		if a.Err != nil {
			*errs = append(*errs, a.Err)
		}
	}}
}

// What a record says that cannot be read, and what was never read, is found in the index.
func TestRecordsThatTheStreamLostAreReadFromTheIndex(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil spoil
		err   error
	}{
		"a record that cannot be read": {func(res *http.Response, _ wire.Request) (*http.Response, bool) {
			body, _ := wire.Body(res)
			odd := bytes.ReplaceAll(body, []byte(`"INSERT"`), []byte(`"ODD"`))
			wire.SetBody(res, odd)
			return res, !bytes.Equal(odd, body)
		}, stream.ErrRecord},
		"a gap": {func(res *http.Response, req wire.Request) (*http.Response, bool) {
			if req.Op != "GetRecords" {
				return res, bytes.Contains(req.Body, []byte(`"LATEST"`))
			}
			return req.Answer(http.StatusBadRequest, []byte(`{"__type":"com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException","message":"trimmed"}`)), false
		}, stream.ErrGap},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newFolded(t, nil)
			w.define(t, foldedBoards[0])
			w.submit(t, score("a", "ann", 1, 1))
			var failed []error
			var answers spoil
			f := w.folder(t, failures(&failed), answers.wrap)
			catchUp(t, f)
			w.submit(t, score("a", "ann", 2, 2))
			catchUp(t, f)
			require.Empty(t, failed)

			answers = c.spoil
			w.submit(t, score("a", "bob", 2, 2))
			w.submit(t, score("a", "ann", 3, 3))
			catchUp(t, f)
			require.Len(t, failed, 1)
			require.ErrorIs(t, failed[0], c.err)
			w.agrees(t, "a", forever, 1)
			w.holds(t, f, "a", forever)
		})
	}
}

func TestABoardIsFoldedSinceItsDefinitionSaysSo(t *testing.T) {
	t.Parallel()
	w := newOwn(t, leaderboard.Table)
	b := leaderboard.Board{Name: "a", Operator: leaderboard.Set}
	w.define(t, b)
	w.submit(t, score("a", "ann", 1, 1))
	w.fill(t, "a", 0, 520, "")
	w.stream(t)
	f := w.folder(t, leaderboard.FolderOptions{}, nil)
	catchUp(t, f)
	require.Zero(t, f.Status().Following)
	require.Zero(t, w.count(t, "R#a#"+forever))

	var before int64
	for i := range faults.Size(3, 1) {
		b.Ranking = leaderboard.RankByFold
		w.define(t, b)
		w.submit(t, score("a", "bob", int64(i), i))
		catchUp(t, f)
		got := w.agrees(t, "a", forever, 1)
		require.Greater(t, got.Fold, before)
		before = got.Fold
		require.NotEmpty(t, got.Blocks())

		b.Ranking = leaderboard.RankByCount
		w.define(t, b)
		catchUp(t, f)
		require.Zero(t, w.count(t, "R#a#"+forever), "blocks too")
		require.Zero(t, f.Status().Entries)
		w.submit(t, score("a", "cid", int64(i), i))
	}
	for _, b.Ranking = range []leaderboard.Ranking{leaderboard.RankByFold, leaderboard.RankByCount, leaderboard.RankByFold} {
		w.define(t, b) // all at once
	}
	catchUp(t, f)
	before = w.agrees(t, "a", forever, 1).Fold
	for _, b.Ranking = range []leaderboard.Ranking{leaderboard.RankByCount, leaderboard.RankByFold} {
		w.define(t, b)
	}
	catchUp(t, f)
	require.Greater(t, w.agrees(t, "a", forever, 1).Fold, before)
	require.ErrorIs(t, errorOf(w.Undefine(t.Context(), "a")), plaza.ErrBusy) // which marks the definition first
	catchUp(t, f)
	require.Zero(t, f.Status().Following)
	require.Zero(t, w.count(t, "R#a#"+forever))
}

func TestAClosedPeriodLeavesMemoryUntilItChanges(t *testing.T) {
	t.Parallel()
	w := newFolded(t, nil)
	b := leaderboard.Board{Name: "daily", Cron: "0 0 * * *", Keep: 48 * time.Hour, Ranking: leaderboard.RankByFold}
	w.define(t, b)
	for _, player := range []string{"ann", "bob", "cid"} {
		w.submit(t, leaderboard.Submission{Board: "daily", Player: player, Score: leaderboard.Int(1)})
	}
	const period = "20260310T000000Z"
	f := w.folder(t, leaderboard.FolderOptions{}, nil)
	catchUp(t, f)
	w.holds(t, f, "daily", period)

	w.set(noon.Add(24 * time.Hour))
	w.submit(t, leaderboard.Submission{Board: "daily", Player: "ann", Score: leaderboard.Int(1)})
	catchUp(t, f)
	require.Equal(t, -1, f.Above("daily", period, nil), "it is not in memory")
	require.Equal(t, 1, f.Status().Entries)
	require.Equal(t, 2, f.Status().Following)
	require.EqualValues(t, 3, w.agrees(t, "daily", period, 1).Len())

	changed, err := w.Hide(t.Context(), leaderboard.In{Board: "daily", Period: period}, "bob")
	require.NoError(t, err)
	require.True(t, changed)
	catchUp(t, f)
	require.EqualValues(t, 2, w.agrees(t, "daily", period, 1).Len())
	require.Equal(t, 1, f.Status().Entries)

	taken := w.folder(t, leaderboard.FolderOptions{}, nil)
	require.NoError(t, taken.CatchUpWith(t.Context(), 2))
	require.EqualValues(t, 2, w.published(t, "daily", period).Gen, "the next one publishes it too")
	require.EqualValues(t, 2, w.agrees(t, "daily", period, 1).Len())
	require.Equal(t, 1, taken.Status().Entries)

	w.set(noon.Add(74 * time.Hour))
	require.NoError(t, taken.CatchUpWith(t.Context(), 2))
	require.Equal(t, 1, taken.Status().Following, "the first has expired")
}

func TestTheLargestPeriodIsCountedBeyondMaxEntries(t *testing.T) {
	t.Parallel()
	w := newOwn(t, leaderboard.Table)
	for _, b := range foldedBoards[:2] {
		w.define(t, b)
		w.submit(t, score(b.Name, "ann", 1, 1))
	}
	small := foldedBoards[1].Name
	w.fill(t, "a", 0, 600, "")
	w.stream(t)
	f := w.folder(t, leaderboard.FolderOptions{MaxEntries: 650}, nil)
	catchUp(t, f)
	require.NotEmpty(t, w.agrees(t, "a", forever, 1).Blocks())
	w.fill(t, small, 0, 60, "")
	catchUp(t, f)
	large := w.published(t, "a", forever)
	require.True(t, large.Large)
	require.Empty(t, large.Data)
	w.agrees(t, small, forever, 1)
	require.Equal(t, 1, f.Status().TooLarge)
	require.Equal(t, 61, f.Status().Entries)
	w.submit(t, score("a", "bob", 1, 1))
	catchUp(t, f)
	require.Equal(t, large, w.published(t, "a", forever))

	fresh := w.folder(t, leaderboard.FolderOptions{MaxEntries: 650}, nil)
	require.NoError(t, fresh.CatchUpWith(t.Context(), 2))
	require.Equal(t, 1, fresh.Status().TooLarge, "it is so while it is loaded too")
	w.agrees(t, small, forever, 1)

	var surplus []dynamo.Keyed
	for i := range 100 {
		surplus = append(surplus, dynamo.Keys{fmt.Sprint("P#filled", i), "LB#a#" + forever})
	}
	_, err := w.raw(t).Batch("pk", "sk").Write().Delete(surplus...).Run(t.Context())
	require.NoError(t, err)
	w.orderRepair(t, "a", 1)
	require.NoError(t, fresh.CatchUpWith(t.Context(), 2))
	w.agrees(t, "a", forever, 1)
	w.holds(t, fresh, "a", forever)
	require.Zero(t, fresh.Status().TooLarge)
}

func TestRepairMakesAFolderReadAPeriodAgain(t *testing.T) {
	t.Parallel()
	w := newFolded(t, nil)
	w.define(t, foldedBoards[0])
	w.submit(t, score("a", "ann", 1, 1))
	w.orderRepair(t, "a", 1) // while there is no folder
	var answers spoil
	f := w.folder(t, leaderboard.FolderOptions{}, answers.wrap)
	catchUp(t, f)
	require.Equal(t, 1, w.count(t, "R#a#"+forever), "the root alone")

	// A stream that forgets a record is what Repair is for.
	answers = func(res *http.Response, _ wire.Request) (*http.Response, bool) {
		var answer map[string]json.RawMessage
		body, _ := wire.Body(res)
		wire.SetBody(res, body)
		if !bytes.Contains(body, []byte("P#bob")) || json.Unmarshal(body, &answer) != nil {
			return res, false
		}
		answer["Records"] = json.RawMessage("[]")
		body, _ = json.Marshal(answer)
		wire.SetBody(res, body)
		return res, true
	}
	w.submit(t, score("a", "bob", 2, 2))
	catchUp(t, f)
	require.EqualValues(t, 1, w.published(t, "a", forever).Len(), "bob is missing")
	w.orderRepair(t, "a", 2)
	catchUp(t, f)
	w.agrees(t, "a", forever, 1)
	w.holds(t, f, "a", forever)
	require.Equal(t, 1, w.count(t, "R#a#"+forever))
}

// An order is fulfilled by a load that began before it: what it found is newer than what was wrong.
func TestRepairDuringALoadIsFulfilledByIt(t *testing.T) {
	t.Parallel()
	w := newFolded(t, nil)
	w.define(t, foldedBoards[0])
	w.submit(t, score("a", "ann", 1, 1))
	reads := 0
	f := w.folder(t, leaderboard.FolderOptions{}, nil, func(next aws.HTTPClient) aws.HTTPClient {
		return doer(func(r *http.Request) (*http.Response, error) {
			req, err := wire.Read(r)
			if err != nil {
				return nil, err
			}
			if bytes.Contains(req.Body, []byte("IndexName")) {
				reads++
				w.orderRepair(t, "a", 1)
			}
			return next.Do(req.Again())
		})
	})
	catchUp(t, f)
	catchUp(t, f)
	require.LessOrEqual(t, reads, 2, "the stream may be late")
	require.Equal(t, 1, w.count(t, "R#a#"+forever), "the root alone")
}

// orderRepair does what Repair does where a folder is wrong.
func (w world) orderRepair(t testing.TB, board string, id ids.ID) {
	t.Helper()
	require.NoError(t, w.raw(t).Put(map[string]any{"pk": keys.Join("R", board, forever), "sk": "REPAIR", "id": id}).Run(t.Context()))
}

func TestDamageIsSurvived(t *testing.T) {
	t.Parallel()
	w := newFolded(t, nil)
	for _, b := range foldedBoards[:2] {
		w.define(t, b)
		w.submit(t, score(b.Name, "ann", 1, 1))
		w.submit(t, score(b.Name, "bob", 2, 2))
	}
	other := foldedBoards[1].Name
	var failed []error
	f := w.folder(t, failures(&failed), nil)
	bothAgree := func() {
		t.Helper()
		catchUp(t, f)
		w.agrees(t, other, forever, 1)
	}
	bothAgree()
	set := func(pk, sk, name string, value any) {
		t.Helper()
		require.NoError(t, w.raw(t).Update("pk", pk).Range("sk", sk).Set("'"+name+"'", value).Run(t.Context()))
	}

	// An entry is judged as the index does.
	set("P#ann", "LB#a#"+forever, "key", []byte{1, 2, 3})
	set("P#bob", "LB#a#"+forever, "part", "a#"+forever+"#64")
	set("P#bob", "LB#a#"+forever, "ops", "none")
	bothAgree()
	require.EqualValues(t, 1, w.agrees(t, "a", forever, 1).Len())
	w.holds(t, f, "a", forever)
	_, err := w.Repair(t.Context(), leaderboard.In{Board: "a"})
	require.NoError(t, err)
	bothAgree()
	require.EqualValues(t, 2, w.agrees(t, "a", forever, 1).Len())
	w.holds(t, f, "a", forever)

	// A damaged definition counts as it was.
	set("B#", "a", "shards", "none")
	bothAgree()
	require.ErrorIs(t, failed[len(failed)-1], plaza.ErrCorrupt)
	w.submit(t, score("a", "cid", 3, 3))
	bothAgree()
	require.EqualValues(t, 3, w.agrees(t, "a", forever, 1).Len())
	w.define(t, foldedBoards[0])
	bothAgree()

	// A damaged root is replaced.
	set("R#a#"+forever, "ROOT", "gen", "none")
	w.submit(t, score("a", "dan", 4, 4))
	bothAgree()
	w.agrees(t, "a", forever, 1)

	// A damaged period is not followed until Repair.
	set("B#a", "T#"+forever, "shards", "none")
	bothAgree()
	require.Equal(t, 1, f.Status().Following)
	require.NoError(t, w.raw(t).Put(filled("a", 1, "")).Run(t.Context()))
	bothAgree()
	again := w.process(t, nil)
	_, err = again.Repair(t.Context(), leaderboard.In{Board: "a"})
	require.NoError(t, err)
	bothAgree()
	w.agrees(t, "a", forever, 1)
	w.holds(t, f, "a", forever)
}
