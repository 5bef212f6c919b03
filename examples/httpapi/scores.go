package main

import (
	"encoding/json"
	"net/http"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// newScore is a score to submit. With an op, an id from POST /ids, a repeat counts once,
// in the period of that id. An empty op means none.
type newScore struct {
	Score json.RawMessage `json:"score"` // a text or a number
	Sub   int64           `json:"sub"`
	Op    string          `json:"op"`
	Name  string          `json:"name"`

	Meta json.RawMessage `json:"meta"` // shown beside the score
}

func (n newScore) submission(board, player string) (leaderboard.Submission, error) {
	s := leaderboard.Submission{Board: board, Player: player, Sub: n.Sub, Name: n.Name, Meta: n.Meta}
	if len(n.Score) == 0 {
		return s, &plaza.InvalidError{Field: "score", Reason: "is missing"}
	}
	err := json.Unmarshal(n.Score, &s.Score)
	if err == nil {
		s.Op, err = newID("op", n.Op)
	}
	return s, err
}

// submitted is what a submission did. created is false for a repeat.
type submitted struct {
	leaderboard.Result
	Created bool `json:"created"`
}

func (a *api) submitScore(r *http.Request) (any, error) {
	var n newScore
	if err := guard.ReadJSON(r, &n); err != nil {
		return nil, err
	}
	s, err := n.submission(r.PathValue("board"), r.PathValue("player"))
	if err == nil && s.Op == 0 { // set here, so that a repeat has the same time
		s.Op, err = a.ids.Next(r.Context())
	}
	if err != nil {
		return nil, err
	}
	result, created, err := a.boards.Submit(r.Context(), s)
	if err != nil {
		return nil, &addError{id: s.Op, err: err}
	}
	return submitted{result, created}, nil
}

func (a *api) removeScore(r *http.Request) (any, error) {
	removed, err := a.boards.Remove(r.Context(), standingsIn(r), r.PathValue("player"))
	return removal{removed}, err
}
