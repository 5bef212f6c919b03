package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

const (
	weeks = 3
	zone  = "Europe/Berlin" // where the clocks go forward on 29 March
)

// player is a player. All letters of the name are one column wide.
type player struct {
	id, name string
	skill    float64 // the usual score
}

type game struct {
	player
	score int64
	at    time.Time
}

// day is a day and its games, the earliest first.
type day struct {
	date  time.Time // at midnight
	games []game
}

// evening returns a time when all games of the day are over.
func (d day) evening() time.Time { return d.hour(23) }

func (d day) hour(n int) time.Time {
	return time.Date(d.date.Year(), d.date.Month(), d.date.Day(), n, 0, 0, 0, d.date.Location())
}

type week []day

// zoe is the player whose results are shown.
var zoe = player{id: "zoe", name: "Zoë", skill: 640}

// newSeason makes up the games of n players, the same in every run. One in 16 players
// plays in the first week, one in 4 in the second, and all in the third.
func newSeason(n int) ([]week, error) {
	berlin, err := time.LoadLocation(zone)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(2026, 53))
	players := newPlayers(r, n)
	season := make([]week, weeks)
	for w := range season {
		season[w] = make(week, 7)
		for d := range season[w] {
			season[w][d].date = time.Date(2026, time.March, 16+7*w+d, 0, 0, 0, 0, berlin)
		}
		for _, p := range players[:(n<<(2*w)+15)/16] {
			for again := true; again; again = r.IntN(5) == 0 {
				d := &season[w][r.IntN(7)]
				d.games = append(d.games, p.play(r, d.hour(8)))
			}
		}
		for _, d := range season[w] {
			slices.SortFunc(d.games, func(a, b game) int { return a.at.Compare(b.at) })
		}
	}
	return season, nil
}

// newPlayers makes up Zoë and n-1 other players. One in four plays well.
func newPlayers(r *rand.Rand, n int) []player {
	moods := []string{"Brave", "Calm", "Clever", "Eager", "Gentle", "Happy", "Keen", "Lucky", "Merry", "Nimble", "Proud", "Quick", "Quiet", "Sly", "Swift", "Wild"}
	animals := []string{"Badger", "Crane", "Ferret", "Fox", "Gecko", "Heron", "Ibex", "Lynx", "Marten", "Moth", "Otter", "Owl", "Raven", "Stoat", "Toad", "Wolf"}
	players := []player{zoe}
	for i := 1; i < n; i++ {
		p := player{
			id:    fmt.Sprintf("p%05d", i),
			name:  fmt.Sprintf("%s %s %d", moods[i%16], animals[i/16%16], i/256+1),
			skill: 200 * math.Exp(0.4*r.NormFloat64()),
		}
		if r.IntN(4) == 0 {
			p.skill = 600 * math.Exp(0.2*r.NormFloat64())
		}
		players = append(players, p)
	}
	return players
}

// play makes up a game. Scores are multiples of five, so that many are equal.
func (p player) play(r *rand.Rand, from time.Time) game {
	return game{
		player: p,
		score:  5 * int64(p.skill*math.Exp(0.2*r.NormFloat64())/5),
		at:     from.Add(time.Duration(r.IntN(15*3600)) * time.Second),
	}
}

// standings returns each player's best game in the order of a board: of equal scores
// the earlier is above.
func (w week) standings() []game {
	best := map[string]game{}
	for _, d := range w {
		for _, g := range d.games {
			if b, played := best[g.id]; !played || g.score > b.score {
				best[g.id] = g
			}
		}
	}
	games := slices.Collect(maps.Values(best))
	slices.SortFunc(games, func(a, b game) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.at.Compare(b.at), strings.Compare(a.id, b.id))
	})
	return games
}

func (w week) count() (games int) {
	for _, d := range w {
		games += len(d.games)
	}
	return games
}
