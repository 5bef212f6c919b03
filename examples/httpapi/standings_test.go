package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// scores submits a score to the board of all time.
func (w world) scores(t *testing.T, player, body string) submitted {
	t.Helper()
	return done[submitted](t, w.send(t, "PUT", "/leaderboard/all-time/scores/"+player, body))
}

// places returns the players in an answer, with their ranks.
func (w world) places(t *testing.T, path string) map[string]int64 {
	t.Helper()
	places := map[string]int64{}
	for _, s := range done[cursor.Page[leaderboard.Standing]](t, w.send(t, "GET", path, "")).Items {
		places[s.Player] = s.Rank
	}
	return places
}

func TestScoresAreRankedForAllAroundOneAndAmongFriends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const top = "/leaderboard/all-time"
	require.JSONEq(t, `{"items":[]}`, w.send(t, "GET", top, "").text)
	first := w.scores(t, "ann", `{"score":90,"sub":3,"name":"Ann","meta":{"replay":7}}`)
	require.True(t, first.Improved)
	require.False(t, first.Existed)
	for player, body := range map[string]string{"bob": `{"score":70}`, "cleo": `{"score":"70"}`, "dan": `{"score":5}`} {
		w.scores(t, player, body)
	}
	worse := w.scores(t, "ann", `{"score":0}`)
	require.Equal(t, submitted{Created: true, Result: leaderboard.Result{
		Op: worse.Op, Period: first.Period, Existed: true, Old: leaderboard.Int(90), New: leaderboard.Int(90),
	}}, worse)

	all := map[string]int64{"ann": 1, "bob": 2, "cleo": 2, "dan": 4}
	require.Equal(t, all, w.places(t, top))
	require.Equal(t, all, w.places(t, top+"?period="+first.Period))
	best := done[cursor.Page[leaderboard.Standing]](t, w.send(t, "GET", top+"?limit=1", ""))
	require.Equal(t, []leaderboard.Standing{{
		Position: best.Items[0].Position, Player: "ann", Name: "Ann", Score: leaderboard.Int(90), Sub: 3, At: best.Items[0].At, Meta: []byte(`{"replay":7}`),
	}}, best.Items)
	require.Equal(t, map[string]int64{"bob": 2, "cleo": 2, "dan": 4}, w.places(t, top+"?cursor="+string(best.Next)))

	require.Equal(t, all, w.places(t, top+"?around=dan&n=7"))
	require.Equal(t, map[string]int64{"dan": 4}, w.places(t, top+"?around=dan&n=1&period="+first.Period))
	for player, rank := range all {
		got := done[leaderboard.Standing](t, w.send(t, "GET", top+"/players/"+player, ""))
		require.Equal(t, rank, got.Rank)
		require.Equal(t, player, got.Player)
		again := done[leaderboard.Standing](t, w.send(t, "GET", top+"/players/"+player+"?period="+first.Period, ""))
		again.AsOf = got.AsOf
		require.Equal(t, got, again)
	}
	ann := done[leaderboard.Standing](t, w.send(t, "GET", top+"/players/ann", ""))
	ann.AsOf = best.Items[0].AsOf
	require.Equal(t, best.Items[0], ann)
	done[followed](t, w.send(t, "PUT", "/users/dan/following/cleo", ""))
	done[followed](t, w.send(t, "PUT", "/users/dan/following/elsa", ""))
	require.Equal(t, map[string]int64{"cleo": 1, "dan": 2}, w.places(t, top+"?friends=dan"))
	require.Equal(t, map[string]int64{"cleo": 1, "dan": 2}, w.places(t, top+"?friends=dan&period="+first.Period))

	w.once(t, "DELETE", top+"/scores/ann?period="+first.Period, "")
	require.Equal(t, map[string]int64{"bob": 1, "cleo": 1, "dan": 3}, w.places(t, top))

	const unknown = "period=20200101T000000Z"
	for _, path := range []string{"/leaderboard/daily", top + "/players/ann", top + "/players/nobody", "/leaderboard/daily/players/dan", top + "/players/dan?" + unknown, top + "?around=ann", top + "?" + unknown, top + "?around=dan&" + unknown, top + "?friends=dan&" + unknown} {
		refused(t, w.send(t, "GET", path, ""), http.StatusNotFound)
	}
	refused(t, w.send(t, "DELETE", top+"/scores/dan?"+unknown, ""), http.StatusNotFound)
	require.Empty(t, w.places(t, "/leaderboard/weekly"))
	refused(t, w.send(t, "PUT", "/leaderboard/daily/scores/ann", `{"score":1}`), http.StatusNotFound)
}

func TestAnEmptyOpIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none := w.scores(t, "ann", `{"score":90}`)
	empty := w.scores(t, "bob", `{"score":90,"op":""}`)
	require.Greater(t, empty.Op, none.Op)
	again := w.scores(t, "bob", `{"score":90,"op":"`+empty.Op.String()+`"}`)
	require.False(t, again.Created)
}

func TestALostScoreReturnsTheOpForARepeat(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 0, faults.Rates{})
	w := newWorld(t, in.Wrap)
	in.Script(loses("UpdateItem"))
	op := refused(t, w.send(t, "PUT", "/leaderboard/all-time/scores/ann", `{"score":90}`), http.StatusServiceUnavailable).ID
	require.NotZero(t, op)
	in.Script(nil)

	again := w.scores(t, "ann", `{"score":90,"op":"`+op.String()+`"}`)
	require.Equal(t, submitted{Result: leaderboard.Result{Op: op, Period: again.Period, New: leaderboard.Int(90), Improved: true}}, again)
	other := w.send(t, "PUT", "/leaderboard/all-time/scores/ann", `{"score":91,"op":"`+op.String()+`"}`)
	require.Equal(t, op, refused(t, other, http.StatusConflict).ID)
}
