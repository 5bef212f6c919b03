package danmu_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// gathering lets jack and others comment, like and report in two films with shards.
func gathering(t testing.TB, s stage) (jacks, others []danmu.Comment) {
	t.Helper()
	s.configure(t, "film", danmu.Settings{Shards: 4})
	for i := range 9 {
		c := danmu.Comment{Object: []string{"film", "other"}[i%2], User: []string{"jack", "anna", "zoe"}[i%3], Text: fmt.Sprint("text ", i), Progress: time.Duration(i) * time.Minute}
		if sent := s.send(t, c); c.User == "jack" {
			jacks = append(jacks, sent)
		} else {
			others = append(others, sent)
		}
	}
	for i, c := range others {
		for _, user := range []string{"jack", "anna"} {
			does(t, true)(s.Like(t.Context(), of(c, user)))
		}
		if i%2 == 0 {
			does(t, true)(s.Report(t.Context(), of(c, "jack")))
		}
	}
	does(t, true)(s.Like(t.Context(), of(jacks[0], "anna")))
	does(t, true)(s.Like(t.Context(), of(jacks[1], "jack")))
	does(t, true)(s.Recall(t.Context(), of(jacks[2], "jack")))
	return jacks, others
}

// withoutJack fails if anything of jack is left, or anything of others is missing.
func (s stage) withoutJack(t testing.TB, jacks, others []danmu.Comment) {
	t.Helper()
	require.Empty(t, s.by(t, "jack"))
	for _, c := range jacks {
		_, ok := s.get(t, c)
		require.False(t, ok)
	}
	for _, c := range others {
		found, ok := s.get(t, c)
		require.True(t, ok)
		require.EqualValues(t, 1, found.Likes, "anna's")
		require.Zero(t, found.Reports)
	}
	require.Empty(t, s.reactions(t, "jack"), "what was taken back is kept for 30 days")
	for _, i := range s.items(t, "") {
		if i.PK != "U#jack" {
			require.NotContains(t, i.PK, "jack")
		}
		require.NotEqual(t, "jack", i.User)
	}
}

func TestEraseLeavesNothingOfAUser(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	jacks, others := gathering(t, s)
	s.imports(t, "film", danmu.Comment{User: "jack", Text: "imported"})
	for range 2 {
		require.NoError(t, s.Erase(t.Context(), "jack"))
		s.withoutJack(t, jacks, others)
	}
	for _, object := range []string{"film", "other"} {
		for _, c := range s.exported(t, object) {
			require.NotEqual(t, "imported", c.Text)
		}
	}
	does(t, true)(s.Unlike(t.Context(), of(jacks[0], "anna")))
}

func TestEraseResumesAfterAKill(t *testing.T) {
	t.Parallel()
	for _, kill := range faults.Some(1, (*faults.Injector).KillAt, (*faults.Injector).KillBefore) {
		for at := faults.Size(1, 8); ; at += faults.Size(1, 12) {
			in := faults.New(t, 1, faults.Rates{})
			in.Off()
			s := newStage(t, in.Wrap)
			jacks, others := gathering(t, s)
			in.On()
			kill(in, at)
			err := s.Erase(t.Context(), "jack")
			in.Off()
			if err == nil {
				require.Greater(t, at, 10)
				break
			}
			s = s.process(t)
			require.NoError(t, s.Erase(t.Context(), "jack"))
			s.withoutJack(t, jacks, others)
		}
	}
}

func TestARepeatedEraseFindsWhatTheIndexLacked(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	jacks, others := gathering(t, s)
	lagging := faults.New(t, 1, faults.Rates{Stale: 1})
	require.NoError(t, s.process(t, lagging.Wrap).Erase(t.Context(), "jack"))
	require.Empty(t, s.reactions(t, "jack"), "likes and reports are found at once")
	require.NoError(t, s.process(t).Erase(t.Context(), "jack"))
	s.withoutJack(t, jacks, others)
}

func TestEraseUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, faultMixes[seed%3])
			in.Off()
			s := newStage(t, in.Wrap)
			jacks, others := gathering(t, s)
			in.On()
			faults.Acknowledged(t, func() error { return s.Erase(t.Context(), "jack") })
			faults.Acknowledged(t, func() error { return s.EraseObject(t.Context(), "other") })
			in.Off()
			require.NoError(t, s.Erase(t.Context(), "jack"), "the index may have been stale")
			var left []danmu.Comment
			for _, c := range others {
				if c.Object == "film" {
					left = append(left, c)
				}
			}
			s.withoutJack(t, jacks, left)
			require.Empty(t, s.exported(t, "other"))
			require.Empty(t, s.items(t, "D#other"))
		})
	}
}

// Other processes have read the object before.
func TestEraseObjectResumesAfterAKill(t *testing.T) {
	t.Parallel()
	for at := 1; ; at += faults.Size(1, 5) {
		in := faults.New(t, 1, faults.Rates{})
		in.Off()
		s := newStage(t, in.Wrap)
		_, others := gathering(t, s)
		in.On()
		in.KillAt(at)
		err := s.EraseObject(t.Context(), "film")
		in.Off()
		if err != nil {
			require.NoError(t, s.process(t).EraseObject(t.Context(), "film"))
		} else {
			require.Greater(t, at, 3)
			require.NoError(t, s.EraseObject(t.Context(), "film"))
		}
		require.Empty(t, s.items(t, "D#film#"))
		require.Empty(t, s.items(t, "M#film"))
		s.process(t).shows(t, "film", nil, "jack ")
		for _, c := range others {
			does(t, true, "also what counts nowhere")(s.Unlike(t.Context(), of(c, "anna")))
		}
		require.NoError(t, s.Erase(t.Context(), "jack"))
		require.Empty(t, s.reactions(t, "jack"))
		if err == nil {
			c := s.send(t, danmu.Comment{Object: "film", User: "jack", Text: "again"})
			s.process(t).shows(t, "film", []danmu.Comment{c})
			return
		}
	}
}

func TestEraseOfNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	require.NoError(t, s.Erase(t.Context(), "nobody"))
	require.NoError(t, s.EraseObject(t.Context(), "nothing"))
	require.Zero(t, s.imports(t, "film"))
	require.Empty(t, s.items(t, ""))
}

// Processes that have many shards cached send to the erased object again.
func TestAnErasedObjectStartsAgainInEveryProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	busy, idle := w.process(t, nil), w.process(t, nil)
	idle.at(t, 1)
	busy.at(t, 1)
	w.configure(t, "v", danmu.Settings{Shards: faults.Size(32, 8)})
	w.pass(time.Hour)
	for _, p := range []world{busy, idle} {
		p.at(t, 1)
	}
	require.NoError(t, w.EraseObject(t.Context(), "v"))
	for range 10 {
		w.pass(20 * time.Second)
		require.Empty(t, busy.window(t, 0, 20, consistent))
	}
	for i := range 10 {
		for _, p := range []world{busy, idle, w} {
			p.at(t, float64(i))
		}
		w.pass(time.Minute)
	}
	for _, p := range []world{busy, idle, w, w.process(t, nil)} {
		require.Len(t, p.window(t, 0, 20, consistent), 30)
		settings, err := p.Settings(t.Context(), "v")
		require.NoError(t, err)
		require.Equal(t, 1, settings.Shards)
	}
}

// The object is imported again, without the like.
func TestALikeOfAnErasedCommentIsTakenBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.imports(t, "film", file(3)...)
	c := s.exported(t, "film")[0]
	does(t, true)(s.Like(t.Context(), of(c, "zoe")))
	require.NoError(t, s.EraseObject(t.Context(), "film"))
	s.imports(t, "film", file(3)...)
	for _, want := range []bool{true, false} {
		does(t, want)(s.Unlike(t.Context(), of(c, "zoe")))
	}
	require.Zero(t, s.exported(t, "film")[0].Likes)
}
