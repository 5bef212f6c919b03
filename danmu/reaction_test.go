package danmu_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// Ops order the likes of a user. A repeat of the last gets the same answer.
func TestAnOpNamesALikeAndItsUnlike(t *testing.T) {
	t.Parallel()
	const like, unlike = true, false
	type step struct {
		like, changed bool
		op            int // 0: minted
		err           error
		likes         int64
	}
	for name, steps := range map[string][]step{
		"none has an Op": {
			{unlike, false, 0, nil, 0}, {like, true, 0, nil, 1}, {like, false, 0, nil, 1},
			{unlike, true, 0, nil, 0}, {unlike, false, 0, nil, 0}, {like, true, 0, nil, 1},
		},
		"an Unlike overtakes its Like": {
			{unlike, false, 2, nil, 0}, {unlike, false, 2, nil, 0}, {like, false, 1, plaza.ErrRemoved, 0}, {like, false, 2, plaza.ErrRemoved, 0},
			{like, true, 3, nil, 1}, {like, true, 3, nil, 1}, {like, false, 0, nil, 1}, // which is another one
			{unlike, false, 1, nil, 1}, {unlike, false, 2, nil, 1}, {unlike, true, 4, nil, 0}, {unlike, false, 4, nil, 0}, {like, false, 4, plaza.ErrRemoved, 0},
		},
		"the first clock is ahead": {
			{like, true, 5, nil, 1}, {unlike, true, 0, nil, 0}, {like, true, 0, nil, 1}, {unlike, true, 0, nil, 0}, {like, false, 5, plaza.ErrRemoved, 0},
		},
		"an Op is older than an Unlike of another": {{like, true, 1, nil, 1}, {unlike, true, 0, nil, 0}, {like, true, 2, nil, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := newComment(t)
			ops := []ids.ID{0, s.next(t), s.next(t), s.next(t), s.next(t), ids.At(s.Now().Add(9*time.Second)) + 5}
			for i, step := range steps {
				a, call := of(c, "anna"), s.Unlike
				a.Op = ops[step.op]
				if step.like {
					call = s.Like
				}
				changed, err := call(t.Context(), a)
				require.ErrorIs(t, err, step.err, i)
				require.Equal(t, step.changed, changed, i)
				require.Equal(t, [2]int64{step.likes, 0}, s.counts(t, c), i)
			}
		})
	}
}

func TestReportsHideOnceThereAreEnough(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.say(t, "jack", "bad")
	report := func(user string, want bool) {
		t.Helper()
		does(t, want)(s.Report(t.Context(), of(c, user)))
	}
	for i := range hideAt - 1 {
		report(fmt.Sprint("user ", i), true)
		report(fmt.Sprint("user ", i), false)
	}
	s.shows(t, "film", []danmu.Comment{c}, "jack")
	report("the last", true)
	s.shows(t, "film", nil, "jack")
	_, err := s.Get(t.Context(), "film", c.ID)
	require.ErrorIs(t, err, plaza.ErrNotFound)
	found, ok := s.get(t, c)
	require.True(t, ok, "WithHidden shows it")
	require.EqualValues(t, hideAt, found.Reports)
	require.Equal(t, []string{"bad"}, texts(s.exported(t, "film")), "an export has it, with its reports")

	for _, want := range []bool{true, false} {
		does(t, want)(s.Protect(t.Context(), moderated(c)))
		s.shows(t, "film", []danmu.Comment{c}, "jack")
	}
	report("another", true)
	s.shows(t, "film", []danmu.Comment{c}, "jack")
	for _, want := range []bool{true, false} {
		does(t, want)(s.Unprotect(t.Context(), moderated(c)))
		s.shows(t, "film", nil, "jack")
	}
}

func TestARemovedCommentTakesNoReactions(t *testing.T) {
	t.Parallel()
	s, c := newComment(t)
	does(t, true)(s.Like(t.Context(), of(c, "anna")))
	does(t, true)(s.Recall(t.Context(), of(c, "jack")))
	for name, call := range s.actions() {
		changed, err := call(t.Context(), of(c, "zoe"))
		require.False(t, changed, name)
		switch name {
		case "Recall", "Remove", "Unlike":
			require.NoError(t, err, name)
		default:
			require.ErrorIs(t, err, plaza.ErrRemoved, name)
		}
	}
	does(t, false, "it stands still")(s.Like(t.Context(), of(c, "anna")))
	does(t, true)(s.Unlike(t.Context(), of(c, "anna")))
	require.Empty(t, s.reactions(t, "anna"))
}

func TestReactionsOfARange(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	odd := faults.Some(3, "film", "film#0", `film\`, "fil", "film0")
	want := map[string]map[danmu.ID]danmu.Reaction{}
	for _, object := range odd {
		want[object] = map[danmu.ID]danmu.Reaction{}
		for i, progress := range []time.Duration{0, 5 * time.Second, 9999 * time.Millisecond, 10 * time.Second, danmu.MaxProgress} {
			c := s.send(t, danmu.Comment{Object: object, User: "jack", Text: "haha", Progress: progress})
			like, report := i != 2, i != 1
			if like {
				does(t, true)(s.Like(t.Context(), of(c, "anna")))
			}
			if report {
				does(t, true)(s.Report(t.Context(), of(c, "anna")))
			}
			want[object][c.ID] = danmu.Reaction{Liked: like, Reported: report}
		}
	}
	for _, object := range odd {
		for _, r := range [][2]time.Duration{
			{0, 0},
			{0, time.Millisecond},
			{time.Millisecond, 10 * time.Second},
			{5 * time.Second, 10*time.Second + time.Millisecond},
			{5*time.Second + 1, danmu.MaxProgress},
			{0, danmu.MaxProgress + time.Hour},
			{danmu.MaxProgress + time.Second, danmu.MaxProgress + time.Hour},
		} {
			in := map[danmu.ID]danmu.Reaction{}
			for id, reaction := range want[object] {
				if id.Progress() >= r[0] && id.Progress() < r[1] {
					in[id] = reaction
				}
			}
			got, err := s.Reactions(t.Context(), "anna", object, r[0], r[1])
			require.NoError(t, err)
			require.Equal(t, in, got, "%q in %v", object, r)
		}
		none, err := s.Reactions(t.Context(), "jack", object, 0, danmu.MaxProgress)
		require.NoError(t, err)
		require.Empty(t, none)
	}
}

func TestReactionsAreConsistentIfAsked(t *testing.T) {
	t.Parallel()
	lagging := faults.New(t, 1, faults.Rates{Stale: 1})
	s, c := newComment(t)
	does(t, true)(s.Like(t.Context(), of(c, "anna")))
	got, err := s.process(t, lagging.Wrap).Reactions(t.Context(), "anna", "film", 0, time.Minute)
	require.NoError(t, err)
	require.Equal(t, map[danmu.ID]danmu.Reaction{c.ID: {Liked: true}}, got)
}

func TestLikesOfACrowdAreCounted(t *testing.T) {
	t.Parallel()
	s, c := newComment(t)
	var group errgroup.Group
	group.SetLimit(8)
	users := faults.Size(20, 10)
	for i := range 3 * users {
		group.Go(func() error {
			_, err := s.Like(t.Context(), of(c, fmt.Sprint("user ", i%users)))
			return err
		})
	}
	require.NoError(t, group.Wait())
	found, ok := s.get(t, c)
	require.True(t, ok)
	require.EqualValues(t, users, found.Likes)
}
