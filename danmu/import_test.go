package danmu_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// sequence yields comments without an error.
func sequence(comments ...danmu.Comment) iter.Seq2[danmu.Comment, error] {
	return func(yield func(danmu.Comment, error) bool) {
		for _, c := range comments {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func (w world) imports(t testing.TB, object string, comments ...danmu.Comment) danmu.ImportResult {
	t.Helper()
	result, err := w.Import(t.Context(), object, sequence(comments...), nil)
	require.NoError(t, err)
	return result
}

// file returns n comments as a file has them: over a quarter of an hour, not in playing
// order.
func file(n int) []danmu.Comment {
	comments := make([]danmu.Comment, n)
	for i := range comments {
		comments[i] = danmu.Comment{
			Key: fmt.Sprint("id ", i), Text: fmt.Sprint("text ", i), Weight: i % 11,
			Progress: time.Duration(i*7919%900_000) * time.Millisecond,
			Sent:     time.Date(2013, 10, 10, 12, 0, i, 0, time.UTC),
		}
	}
	return comments
}

func TestImportKeepsAllFields(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	old, recent := time.Date(2012, 3, 23, 17, 29, 16, 0, time.UTC), time.Date(2026, 2, 3, 4, 5, 6, 7_000_000, time.UTC)
	full := danmu.Comment{
		Key: "78285639", User: "62f29d0c", Sent: old, Progress: 80 * time.Second,
		Text: `["6","3","1-1"," <script> ■ "]`, Mode: danmu.Positioned, Color: danmu.RGB(0), Size: 58, Pool: 1, Weight: 9,
		Likes: 3, Reports: 1, Protected: true, Extra: json.RawMessage(`{"new":[1.50,{"b":null}]}`),
	}
	comments := []danmu.Comment{
		full,
		{Text: "plain"},
		{Text: "anonymous", Sent: recent, Progress: time.Second},
		{Text: "anonymous, old", Sent: old, Progress: 2 * time.Second},
		{Text: "of no time", User: "jack", Progress: 3 * time.Second},
		{Text: "recent", User: "jack", Sent: recent, Progress: 4 * time.Second},
		{Text: " ", Mode: 42, Progress: 5 * time.Second},
		{Text: strings.Repeat("長", 1300), Progress: danmu.MaxProgress},
		{Text: "finer", Progress: 6*time.Second + 7, Sent: recent.Add(3)},
	}
	require.Equal(t, danmu.ImportResult{Read: len(comments), Written: len(comments)}, s.imports(t, "film", comments...))

	want := slices.Clone(comments)
	slices.SortFunc(want, func(a, b danmu.Comment) int { return int((a.Progress - b.Progress) / time.Millisecond) })
	got := s.exported(t, "film")
	require.Len(t, got, len(want))
	for i := range want {
		require.NotZero(t, got[i].ID)
		want[i].Object, want[i].ID = "film", got[i].ID
		want[i].Progress, want[i].Sent = want[i].Progress.Truncate(time.Millisecond), want[i].Sent.Truncate(time.Millisecond)
	}
	require.Equal(t, want, got)
	require.Equal(t, []string{"recent", "of no time"}, texts(s.by(t, "jack")))
	for _, i := range s.items(t, "D#") {
		require.Equal(t, i.User == "", i.Sent == 0, "the index has those of a user alone")
	}

	// Import into another object, from Export.
	require.Equal(t, len(want), s.imports(t, "copy", got...).Written)
	again := s.exported(t, "copy")
	for i := range again {
		again[i].Object = "film"
	}
	require.Equal(t, want, again)
}

func TestImportTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	for _, shards := range faults.Some(1, 4, 1) {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.configure(t, "film", danmu.Settings{Shards: shards})
			n := faults.Size(1100, 120)
			comments := file(n)
			require.Equal(t, danmu.ImportResult{Read: n, Written: n}, s.imports(t, "film", comments...))
			got := s.exported(t, "film")
			require.Len(t, got, n)
			for i, call := range []func() (bool, error){
				func() (bool, error) { return s.Like(t.Context(), of(got[0], "anna")) },
				func() (bool, error) { return s.Remove(t.Context(), moderated(got[1])) },
				func() (bool, error) { return s.Report(t.Context(), of(got[n-1], "anna")) },
				func() (bool, error) { return s.Protect(t.Context(), moderated(got[n-2])) },
			} {
				does(t, true, i)(call())
			}
			want := s.exported(t, "film")
			require.Len(t, want, n-1)
			for range 2 {
				require.Equal(t, danmu.ImportResult{Read: n, Present: n}, s.imports(t, "film", comments...))
				require.Equal(t, want, s.exported(t, "film"))
				s.configure(t, "film", danmu.Settings{Shards: faults.Size(32, 8)})
				s.pass(time.Hour)
			}
			later := danmu.Comment{Key: "later", Text: "later", Progress: time.Minute}
			require.Equal(t, danmu.ImportResult{Read: n + 1, Written: 1, Present: n}, s.imports(t, "film", append(comments, later)...))
			require.Len(t, s.exported(t, "film"), n)
		})
	}
}

func TestImportAndExportReadConsistently(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.imports(t, "film", file(30)...)
	does(t, true)(s.Like(t.Context(), of(s.exported(t, "film")[0], "anna")))
	want := s.exported(t, "film")
	lagging := faults.New(t, 1, faults.Rates{Stale: 1})
	late := s.process(t, lagging.Wrap)
	require.Equal(t, danmu.ImportResult{Read: 30, Present: 30}, late.imports(t, "film", file(30)...))
	require.Equal(t, want, late.exported(t, "film"))
}

func TestImportRecognizesStoredComments(t *testing.T) {
	t.Parallel()
	second := time.Second
	for name, c := range map[string]struct {
		comments []danmu.Comment
		written  int
	}{
		"its key":         {[]danmu.Comment{{Key: "7", Text: "a"}, {Key: "7", Text: "b"}, {Key: "8", Text: "a"}}, 2},
		"not its sender":  {[]danmu.Comment{{Key: "7", Text: "a", User: "jack"}, {Key: "7", Text: "a"}}, 1},
		"equals":          {[]danmu.Comment{{Text: "a"}, {Text: "a"}, {Text: "b"}, {Text: "a"}}, 4},
		"its moment":      {[]danmu.Comment{{Text: "a"}, {Text: "a", Progress: second}}, 2},
		"its look":        {[]danmu.Comment{{Text: "a"}, {Text: "a", Mode: danmu.Top}, {Text: "a", Color: danmu.RGB(0)}, {Text: "a", Size: 9}, {Text: "a", Pool: 1}}, 5},
		"when it is sent": {[]danmu.Comment{{Text: "a"}, {Text: "a", Sent: time.Unix(1, 0)}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			n := len(c.comments)
			require.Equal(t, danmu.ImportResult{Read: n, Written: c.written, Present: n - c.written}, s.imports(t, "film", c.comments...))
			require.Equal(t, danmu.ImportResult{Read: n, Present: n}, s.imports(t, "film", c.comments...))
			require.Len(t, s.exported(t, "film"), c.written)
			// Comments without a key are recognized by their number among equals.
			half := s.imports(t, "film", c.comments[:1]...)
			require.Equal(t, danmu.ImportResult{Read: 1, Present: 1}, half)
			slices.Reverse(c.comments)
			require.Zero(t, s.imports(t, "film", c.comments...).Written)
		})
	}
}

func TestImportSkipsRefusedComments(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	other := s.send(t, danmu.Comment{Object: "other", User: "jack", Text: "a", Progress: time.Second})
	bad := []struct {
		field   string
		comment danmu.Comment
	}{
		{"Text", danmu.Comment{}},
		{"Text", danmu.Comment{Text: "\xff"}},
		{"Text", danmu.Comment{Text: strings.Repeat("x", 4097)}},
		{"Text", danmu.Comment{Text: "x", Extra: json.RawMessage(`{"x":"` + strings.Repeat("x", 4088) + `"}`)}},
		{"Extra", danmu.Comment{Text: "x", Extra: json.RawMessage(`[]`)}},
		{"Extra", danmu.Comment{Text: "x", Extra: json.RawMessage(`{`)}},
		{"Progress", danmu.Comment{Text: "x", Progress: -time.Millisecond}},
		{"Progress", danmu.Comment{Text: "x", Progress: danmu.MaxProgress + time.Millisecond}},
		{"User", danmu.Comment{Text: "x", User: strings.Repeat("x", 257)}},
		{"Key", danmu.Comment{Text: "x", Key: "\xff"}},
		{"Color", danmu.Comment{Text: "x", Color: 1}},
		{"Likes", danmu.Comment{Text: "x", Likes: -1}},
		{"Reports", danmu.Comment{Text: "x", Reports: -1}},
		{"Sent", danmu.Comment{Text: "x", Sent: time.Unix(math.MaxInt32*1000, 0)}},
		{"ID", danmu.Comment{Text: "x", ID: other.ID}},
	}
	var comments []danmu.Comment
	var fields []string
	for _, c := range bad {
		fields = append(fields, c.field)
		comments = append(comments, c.comment, danmu.Comment{Text: "good", Progress: 3 * time.Second})
	}
	comments = append(comments, danmu.Comment{Text: strings.Repeat("x", 4096)})
	var got []string
	var positions []int
	result, err := s.Import(t.Context(), "film", sequence(comments...), &danmu.ImportOptions{
		Refused: func(position int, err error) {
			var invalid *plaza.InvalidError
			require.ErrorAs(t, err, &invalid)
			got, positions = append(got, invalid.Field), append(positions, position)
		},
	})
	require.NoError(t, err)
	require.Equal(t, fields, got)
	for i, position := range positions {
		require.Equal(t, 2*i, position)
	}
	require.Equal(t, danmu.ImportResult{Read: 2*len(bad) + 1, Written: len(bad) + 1, Refused: len(bad)}, result)
	require.Len(t, s.exported(t, "film"), len(bad)+1)
}

func TestImportEndsWhenTheSequenceFails(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	torn := errors.New("torn")
	broken := func(yield func(danmu.Comment, error) bool) {
		for i, c := range file(1500) {
			var err error
			switch i {
			case 10:
				err = fmt.Errorf("a bad record: %w", plaza.ErrInvalid)
			case 1400:
				err = torn
			}
			if !yield(c, err) {
				return
			}
		}
	}
	var told []danmu.ImportResult
	result, err := s.Import(t.Context(), "film", broken, &danmu.ImportOptions{Parallel: 2, Progress: func(r danmu.ImportResult) { told = append(told, r) }})
	require.ErrorIs(t, err, torn)
	want := danmu.ImportResult{Read: 1001, Written: 1000, Refused: 1}
	require.Equal(t, want, result)
	require.Equal(t, []danmu.ImportResult{want}, told)
	require.Len(t, s.exported(t, "film"), 1000)
	require.Equal(t, danmu.ImportResult{Read: 1500, Written: 500, Present: 1000}, s.imports(t, "film", file(1500)...))
}

func TestImportKeepsSentComments(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.configure(t, "film", danmu.Settings{Owner: "anna", Duration: time.Minute, Segment: time.Minute, Shards: 2})
	c := s.say(t, "jack", "sent")
	require.Equal(t, 40, s.imports(t, "film", file(40)...).Written)
	got := s.exported(t, "film")
	require.Len(t, got, 41)
	require.Contains(t, texts(got), c.Text)
	require.True(t, slices.IsSortedFunc(got, func(a, b danmu.Comment) int { return a.ID.Compare(b.ID) }))
	settings, err := s.Settings(t.Context(), "film")
	require.NoError(t, err)
	require.Equal(t, danmu.Settings{Owner: "anna", Duration: time.Minute, Segment: time.Minute, Shards: 2}, settings)
}

func TestImportUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, importHarshness[seed%3])
			s := newStage(t, in.Wrap)
			comments := append(file(230), danmu.Comment{Text: "twice"}, danmu.Comment{Text: "twice"}, danmu.Comment{})
			faults.Acknowledged(t, func() error {
				_, err := s.Import(t.Context(), "film", sequence(comments...), nil)
				return err
			})
			in.Off()
			require.NotZero(t, in.Count(faults.LostAfter)+in.Count(faults.Twice)+in.Count(faults.Unprocessed))
			require.ElementsMatch(t, texts(comments[:232]), texts(s.exported(t, "film")))
			require.Equal(t, danmu.ImportResult{Read: 233, Present: 232, Refused: 1}, s.imports(t, "film", comments...))
		})
	}
}

var importHarshness = []faults.Rates{
	faults.Standard,
	{LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05, Unprocessed: 0.25, Stale: 0.30},
	{LostBefore: 0.10, LostAfter: 0.30, Throttled: 0.20, Twice: 0.10, Delayed: 0.05, Stale: 0.25},
}

func TestImportResumesAfterAKill(t *testing.T) {
	t.Parallel()
	comments := file(60)
	for kill := 1; ; kill++ {
		in := faults.New(t, 1, faults.Rates{})
		s := newStage(t, in.Wrap)
		in.KillAt(kill)
		_, err := s.Import(t.Context(), "film", sequence(comments...), nil)
		in.Off()
		if err == nil {
			require.Greater(t, kill, 3)
			return
		}
		s = s.process(t)
		s.imports(t, "film", comments...)
		require.ElementsMatch(t, texts(comments), texts(s.exported(t, "film")), "killed at write %d", kill)
	}
}

// One user's comments were sent before the epoch of ids, at the same time, several times,
// and in the future.
func TestImportsAreListedInSendOrder(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var sent []danmu.Comment
	for i, at := range []time.Time{
		time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2009, 6, 26, 0, 0, 0, 0, time.UTC), time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2015, 1, 1, 0, 0, 0, 1e6, time.UTC), time.Date(2023, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(2024, 1, 1, 1, 0, 0, 0, time.UTC),
		time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), noon.Add(1000 * time.Hour),
	} {
		sent = append(sent, danmu.Comment{User: "ann", Text: fmt.Sprint(i), Sent: at})
	}
	s.imports(t, "film", sent...)
	for _, i := range s.items(t, "D#film") {
		c, err := s.Get(t.Context(), "film", idOf(t, i.SK))
		require.NoError(t, err)
		if c.Sent.Year() >= 2000 && c.Sent.Before(noon) {
			require.Equal(t, c.Sent, i.Sent.Time(), c.Text)
		}
	}
	require.Equal(t, []string{"8", "7", "6", "5", "4", "3", "2", "1", "0"}, texts(s.by(t, "ann")))
	s.pass(500 * time.Hour)
	for _, c := range s.exported(t, "film") {
		fails(t, danmu.ErrTooLate)(s.Recall(t.Context(), of(c, "ann")))
	}
	s.imports(t, "copy", s.exported(t, "film")...)
	mine := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
		return s.ByUser(ctx, "ann", req)
	}
	for _, limit := range []int{1, 3, 100} {
		require.Len(t, all(t, mine, limit), 18)
	}
}

// The cut makes the last record invalid.
func TestACutFileFailsTheImport(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	reader, err := format.NewReader(strings.NewReader(`[{"text":"a","time":1},{"text":"","time":2},{"text":"b","time":3`), format.ArtPlayer, nil)
	require.NoError(t, err)
	result, err := s.Import(t.Context(), "film", reader.All(), nil)
	require.ErrorIs(t, err, danmu.ErrBroken)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	require.Zero(t, result.Written)

	var refuse iter.Seq2[danmu.Comment, error] = func(yield func(danmu.Comment, error) bool) {
		_ = yield(danmu.Comment{}, fmt.Errorf("a line: %w", plaza.ErrInvalid)) && yield(danmu.Comment{Text: "b"}, nil)
	}
	result, err = s.Import(t.Context(), "film", refuse, nil)
	require.NoError(t, err)
	require.Equal(t, danmu.ImportResult{Read: 2, Written: 1, Refused: 1}, result)
}

// IDs by which a repeat is recognized are stored. Cases are only added.
func TestIDsOfRepeatsStayTheSame(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	sent := s.send(t, danmu.Comment{Object: "film", User: "jack", Key: "1", Text: "a", Progress: 20 * time.Second})
	require.Equal(t, "0004W818DWSCF9EJ7VPG", sent.ID.String())
	content := danmu.Comment{Text: "b", Progress: time.Second, Mode: danmu.Top, Color: danmu.RGB(0), Size: 9, Pool: 1, Sent: time.Unix(1_700_000_000, 0)}
	s.imports(t, "show", danmu.Comment{Key: "7", Text: "a"}, content, content)
	var got []string
	for _, c := range s.exported(t, "show") {
		got = append(got, c.ID.String())
	}
	require.ElementsMatch(t, []string{"00000038NZB08QTSEY3K", "00007T1DSGEX041ZPQAV", "00007T7GBK6RBKDHSRR2"}, got)
}

func idOf(t testing.TB, text string) danmu.ID {
	t.Helper()
	id, err := danmu.ParseID(text)
	require.NoError(t, err)
	return id
}
