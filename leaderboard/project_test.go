package leaderboard_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

// project is an item of a table that boards follow.
type project struct {
	ID        string `dynamo:"pk"`
	SK        string `dynamo:"sk"`
	Hackathon string `dynamo:"hackathon"`
	Score     int64  `dynamo:"projectScore"`
	User      string `dynamo:"userName"`
	Version   uint64 `dynamo:"version"`
}

func newProject(id int, hackathon string, score int64, user string, version uint64) project {
	return project{fmt.Sprint(id), "project", hackathon, score, user, version}
}

// projection is what a board shows of a project.
func projection(_ context.Context, item map[string]types.AttributeValue) (leaderboard.Projection, error) {
	var p project
	if err := dynamo.UnmarshalItem(item, &p); err != nil {
		return leaderboard.Projection{}, fmt.Errorf("%w: project: %w", plaza.ErrInvalid, err)
	}
	return leaderboard.Projection{
		Board: p.Hackathon, Player: p.ID, Name: p.User,
		Score: leaderboard.Int(p.Score), Version: p.Version, Gone: p.Score < 0,
	}, nil
}

// source is a table of projects, with its stream.
type source struct {
	dynamo.Table
	tail *streamtest.Tail
}

func newSource(t *testing.T) source {
	t.Helper()
	db, name := dynamotest.DB(t), dynamotest.Table(t, streamtest.Streamed(leaderboard.Table))
	tail, err := streamtest.New(t.Context(), db, name)
	require.NoError(t, err)
	return source{db.Table(name), tail}
}

func (s source) put(t *testing.T, projects ...project) {
	t.Helper()
	for _, p := range projects {
		require.NoError(t, s.Put(p).Run(t.Context()))
	}
}

func (s source) remove(t *testing.T, id int) {
	t.Helper()
	require.NoError(t, s.Delete("pk", fmt.Sprint(id)).Range("sk", "project").Run(t.Context()))
}

// records are those since the last call, as of the boards' clock.
func (s source) records(t *testing.T) []stream.Record {
	t.Helper()
	records, err := s.tail.Records(t.Context())
	require.NoError(t, err)
	for i := range records {
		records[i].At = noon
	}
	return records
}

// requireFollowed fails unless the boards are what the table is.
func (w world) requireFollowed(t *testing.T, s source, names ...string) {
	t.Helper()
	var projects []project
	require.NoError(t, s.Scan().Filter("sk = ?", "project").Consistent(true).All(t.Context(), &projects))
	slices.SortFunc(projects, func(a, b project) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	for _, name := range names {
		var want, got []string
		for _, p := range projects {
			if p.Hackathon == name && p.Score >= 0 {
				want = append(want, fmt.Sprint(p.ID, " ", p.Score, " ", p.User))
			}
		}
		for _, row := range all(t, 100, w.top(in(name))) {
			got = append(got, fmt.Sprint(row.Player, " ", row.Score, " ", row.Name))
		}
		require.Equal(t, want, got, name)
		w.isWhole(t, in(name))
	}
}

// TestABoardFollowsInAnyOrderUnderFaults delivers the records of a random table to
// two processes, each twice and in any order, and then all of them once more.
func TestABoardFollowsInAnyOrderUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1))
			in := faults.New(t, seed, faultMixes[seed%3])
			w, s := newWorld(t, nil, in.Wrap), newSource(t)
			names := []string{"a", "b", "c"}
			for _, name := range names {
				faults.Acknowledged(t, func() error {
					return errorOf(w.Define(t.Context(), leaderboard.Board{Name: name, Operator: leaderboard.Set}))
				})
			}
			processes := []stream.Handler{
				leaderboard.Project(w.Repository, projection),
				leaderboard.Project(w.process(t, nil, in.Wrap).Repository, projection),
			}
			stands := map[int]bool{}
			for version := range uint64(faults.Size(60, 10)) {
				id := random.IntN(10)
				if stands[id] && random.IntN(3) == 0 {
					s.remove(t, id)
					stands[id] = false
					continue
				}
				s.put(t, newProject(id, names[random.IntN(3)], int64(random.IntN(50)-5), []string{"", "Ann", "Bob"}[version%3], version+1))
				stands[id] = true
			}
			records := s.records(t)
			records = append(records, records...)
			random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
			work := make(chan stream.Record)
			var group sync.WaitGroup
			for i := range 8 {
				group.Go(func() {
					for r := range work {
						faults.Acknowledged(t, func() error { return processes[i%2](t.Context(), r) })
					}
				})
			}
			for _, r := range records {
				work <- r
			}
			close(work)
			group.Wait()
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice))
			in.Off()
			w.requireFollowed(t, s, names...)
			stood := w.rawItems(t)
			for range 2 {
				for _, r := range records {
					require.NoError(t, processes[0](t.Context(), r))
				}
			}
			require.Equal(t, stood, w.rawItems(t), "to the byte")
		})
	}
}

// TestProjectedDeletesAreFinal shuffles the inserts, updates and deletes of
// items that are all gone at the end.
func TestProjectedDeletesAreFinal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	follow := leaderboard.Project(w.Repository, projection)
	image := func(p project) map[string]types.AttributeValue {
		item, err := dynamo.MarshalItem(p)
		require.NoError(t, err)
		return item
	}
	var records []stream.Record
	many := faults.Size(100, 12)
	for id := range many {
		first, second := image(newProject(id, "b", 1, "", 1)), image(newProject(id, "b", 2, "", 2))
		records = append(records,
			stream.Record{Kind: stream.Insert, New: first},
			stream.Record{Kind: stream.Modify, Old: first, New: second},
			stream.Record{Kind: stream.Remove, Old: second, ByTTL: id%2 == 0})
	}
	random := rand.New(rand.NewPCG(1, 1))
	random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	for _, r := range records {
		require.NoError(t, follow(t.Context(), r))
	}
	require.Empty(t, w.standings(t, "b", forever, 1))
	marks := 0
	for _, item := range w.rawItems(t) {
		if item["removed"] != nil {
			marks++
			require.Equal(t, numberOf(fmt.Sprint(noon.Add(30*24*time.Hour+70*time.Second).Unix())), item["ttl"])
			require.Len(t, item, 6)
		}
	}
	require.Equal(t, many, marks)
	w.isWhole(t, in("b"))

	w.set(noon.Add(30 * 24 * time.Hour)) // the marks are about to expire
	late := records[0]
	late.At = noon
	require.ErrorIs(t, follow(t.Context(), late), leaderboard.ErrOpTooOld)
	late.At = noon.Add(time.Second)
	require.NoError(t, follow(t.Context(), late))
	require.Empty(t, w.standings(t, "b", forever, 1))
}

// TestModerationOutlastsRepeatedRecords hides, removes and erases projected
// players.
func TestModerationOutlastsRepeatedRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	p := leaderboard.Projection{Board: "b", Player: "ann", Name: "Ann", Score: leaderboard.Int(5), Version: 7}
	applies := func(version uint64, want bool) {
		t.Helper()
		p.Version = version
		changed, err := w.Apply(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, want, changed)
	}
	applies(7, true)
	changes(t, w.Hide, "ann", true)
	applies(7, false)
	applies(8, true)
	require.Empty(t, w.standings(t, "b", forever, 1), "hidden")
	changes(t, w.Unhide, "ann", true)
	changes(t, w.Remove, "ann", true)
	applies(8, false)
	require.Empty(t, w.standings(t, "b", forever, 1))
	applies(9, true)
	require.Equal(t, []string{"ann 5"}, w.standings(t, "b", forever, 1))
	require.NoError(t, w.Erase(t.Context(), "ann"))
	applies(9, false)
	require.Equal(t, 1, w.leftovers(t))
	applies(10, true)
	require.Equal(t, []string{"ann 5"}, w.standings(t, "b", forever, 1))
	require.Zero(t, w.entry(t, "ann", "b", forever).TTL)

	p.Gone = true
	applies(10, true)
	applies(10, false)
	p.Gone = false
	applies(10, false)
	_, _, err := w.Submit(t.Context(), with(score("b", "ann", 1, 0), leaderboard.Set))
	require.NoError(t, err, "a later Op")
}

// TestRecordsThatCannotBeProjectedArePermanentErrors counts the attempts of a Processor.
func TestRecordsThatCannotBeProjectedArePermanentErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set, Max: ptr(leaderboard.Int(100))})
	w.define(t, leaderboard.Board{Name: "best"})
	w.define(t, leaderboard.Board{Name: "float", Operator: leaderboard.Set, Kind: leaderboard.KindFloat})
	w.define(t, leaderboard.Board{Name: "daily", Operator: leaderboard.Set, Cron: "@daily"})
	image := func(board string, score int64, version uint64) map[string]types.AttributeValue {
		item, err := dynamo.MarshalItem(newProject(1, board, score, "", version))
		require.NoError(t, err)
		return item
	}
	old := image("b", 5, 1)
	for name, c := range map[string]struct {
		record stream.Record
		want   error
		final  bool
	}{
		"truncated":                {stream.Record{New: image("b", 1, 1), Truncated: true}, stream.ErrTruncated, true},
		"unreadable":               {stream.Record{New: map[string]types.AttributeValue{"version": textOf("none")}}, plaza.ErrInvalid, true},
		"without version":          {stream.Record{New: image("b", 1, 0)}, plaza.ErrInvalid, true},
		"beyond Max":               {stream.Record{New: image("b", 101, 1)}, plaza.ErrInvalid, true},
		"Best alone":               {stream.Record{New: image("best", 1, 1)}, plaza.ErrInvalid, true},
		"of another kind":          {stream.Record{New: image("float", 1, 1)}, plaza.ErrInvalid, true},
		"without At":               {stream.Record{New: image("daily", 1, 1)}, plaza.ErrInvalid, true},
		"a month old":              {stream.Record{New: image("b", 1, 1), At: noon.Add(-30 * 24 * time.Hour)}, leaderboard.ErrOpTooOld, true},
		"no images":                {stream.Record{Kind: stream.Insert}, stream.ErrView, false},
		"no old image":             {stream.Record{Kind: stream.Modify, New: image("b", 1, 1)}, stream.ErrView, false},
		"no such board":            {stream.Record{New: image("none", 1, 1)}, plaza.ErrNotFound, false},
		"it was unreadable before": {stream.Record{Old: map[string]types.AttributeValue{"version": textOf("none")}, New: old}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			follow := leaderboard.Project(w.Repository, projection)
			dead := &letters{}
			processor, err := stream.NewProcessor(stream.Each(follow, 1), dead, &stream.ProcessorOptions{
				Policy: stream.Policy{Attempts: 2, Sleep: func(context.Context, time.Duration) error { return nil }},
			})
			require.NoError(t, err)
			c.record.ID, c.record.Seq = "1", "1"
			c.record.Keys = map[string]types.AttributeValue{"pk": textOf("1"), "sk": textOf("project")}
			require.ErrorIs(t, follow(t.Context(), c.record), c.want)
			done, err := processor.Process(t.Context(), []stream.Item{{Seq: "1", Record: c.record}})
			require.NoError(t, err)
			require.Equal(t, 1, done)
			if c.want == nil {
				require.Empty(t, dead.all)
				return
			}
			require.Len(t, dead.all, 1)
			require.Equal(t, map[bool]int{true: 1, false: 2}[c.final], dead.all[0].Attempts)
		})
	}
}

// letters keeps dead letters in memory.
type letters struct{ all []stream.Dead }

func (l *letters) Put(_ context.Context, d stream.Dead) error {
	l.all = append(l.all, d)
	return nil
}

// TestAProjectedItemMovesBetweenPeriods moves items between periods, and ends one.
func TestAProjectedItemMovesBetweenPeriods(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set, Cron: "@daily", Grace: 24 * time.Hour})
	type item struct {
		Day     int    `dynamo:"day"`
		Version uint64 `dynamo:"version"`
	}
	follow := leaderboard.Project(w.Repository, func(_ context.Context, image map[string]types.AttributeValue) (leaderboard.Projection, error) {
		var i item
		err := dynamo.UnmarshalItem(image, &i)
		return leaderboard.Projection{Board: "b", Player: "ann", Score: leaderboard.Int(1), At: march(i.Day, int(i.Version)), Version: i.Version}, err
	})
	write := func(from, to *item) error {
		var r stream.Record
		var err error
		if from != nil {
			r.Old, err = dynamo.MarshalItem(from)
			require.NoError(t, err)
		}
		if to != nil {
			r.New, err = dynamo.MarshalItem(to)
			require.NoError(t, err)
		}
		return follow(t.Context(), r)
	}
	day := func(d int) []string { return w.standings(t, "b", fmt.Sprintf("202603%02dT000000Z", d), 1) }
	first, second, third := &item{9, 1}, &item{9, 2}, &item{10, 3}
	require.NoError(t, write(nil, first))
	require.NoError(t, write(first, second))
	require.Equal(t, []string{"ann 1"}, day(9))
	require.NoError(t, write(second, third))
	require.Empty(t, day(9))
	require.Equal(t, []string{"ann 1"}, day(10))

	w.set(march(12, 0)) // the 10th is over
	require.ErrorIs(t, write(second, third), leaderboard.ErrClosed)
	require.NoError(t, write(third, nil), "what ended stands")
	require.NoError(t, write(third, &item{11, 4}))
	require.Equal(t, []string{"ann 1"}, day(10))
	require.Equal(t, []string{"ann 1"}, day(11))
}

func TestAProjectionSentTwiceReportsAChange(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	for version := range uint64(4) {
		in.Script(func(op string, _ []byte, _ int) faults.Fault {
			if op == "UpdateItem" || op == "PutItem" {
				return faults.Fault{Kind: faults.Twice}
			}
			return faults.Fault{}
		})
		changed, err := w.Apply(t.Context(), leaderboard.Projection{Board: "b", Player: "ann", Version: version + 1, Gone: version%2 == 1})
		require.NoError(t, err)
		require.True(t, changed)
	}
}

// The costs that Apply states.
func TestProjectionsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	m := callstest.NewMetered(t, "..", "leaderboard")
	w := newWorld(t, nil, m.Wrap)
	w.define(t, leaderboard.Board{Name: "b", Operator: leaderboard.Set})
	p := leaderboard.Projection{Board: "b", Player: sixteen("other"), Name: "userA", Version: 1}
	require.NoError(t, errorOf(w.Apply(t.Context(), p))) // the board is known
	p.Player = sixteen("ann")
	applies := func(score int64, version uint64, gone bool) func(context.Context) error {
		p.Score, p.Version, p.Gone = leaderboard.Int(score), version, gone
		next := p
		return func(ctx context.Context) error { return errorOf(w.Apply(ctx, next)) }
	}
	m.Costs(applies(5, 10, false), "Repository.Apply", "the first score, or Gone")
	m.Costs(applies(6, 20, false), "Repository.Apply", "apply")
	m.Costs(applies(6, 30, false), "Repository.Apply", "apply")
	m.Costs(applies(6, 30, false), "Repository.Apply", "outdated")
	m.Costs(applies(1, 25, false), "Repository.Apply", "outdated")
	m.Costs(applies(6, 30, true), "Repository.Apply", "the first score, or Gone")
	m.Costs(applies(6, 30, true), "Repository.Apply", "outdated")
	m.Costs(applies(6, 40, false), "Repository.Apply", "the first score, or Gone")
}

// TestGuardedAndProjectedWritesReportTheirChanges repeats each of them.
func TestGuardedAndProjectedWritesReportTheirChanges(t *testing.T) {
	t.Parallel()
	w, changes := newStreamed(t)
	w.define(t, every("b"))
	s := w.like("song")
	p := leaderboard.Projection{Board: "b", Player: "ann", Score: leaderboard.Int(5), Sub: 7, Version: 1}
	gone := p
	gone.Gone = true
	changes.Next(t)
	for _, c := range []struct {
		call func() error
		want string
	}{
		{func() error { _, _, err := w.Submit(t.Context(), s); return err }, "song scored 1"},
		{func() error { return errorOf(w.Retract(t.Context(), s)) }, "song scored 0"},
		{func() error { return errorOf(w.Retract(t.Context(), w.like("song"))) }, ""},
		{func() error { return errorOf(w.Apply(t.Context(), p)) }, "ann scored 5"},
		{func() error { return errorOf(w.Apply(t.Context(), gone)) }, "ann removed 5"},
	} {
		var got string
		for range 2 {
			require.NoError(t, c.call())
			for _, change := range changes.Next(t) {
				got += fmt.Sprint(change.Player, " ", change.Kind, " ", change.Entry.Score)
			}
		}
		require.Equal(t, c.want, got)
	}
	w.isWhole(t, in("b"))
}
