package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheSeasonEndsAsItWasPlayed(t *testing.T) {
	t.Parallel()
	const players = minPlayers
	season, err := newSeason(players)
	require.NoError(t, err)
	last := season[weeks-1].standings()
	scores := make([]int64, len(last))
	for i, g := range last {
		scores[i] = g.score
	}
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-players", fmt.Sprint(players)}, &out), out.String())
	text := out.String()

	caught := section(t, text, "the best 4", "the ranks close up")
	require.Equal(t, append([]int64{1990}, scores[:3]...), column(t, caught, row))
	require.Contains(t, caught, " 1  xX_aimbot_Xx")
	closed := section(t, text, "the ranks close up", "The last week")
	require.Equal(t, scores[:4], column(t, closed, row))
	require.Equal(t, scores[:10], column(t, section(t, text, "the best 10", "Zoë's rank"), row))
	place := slices.IndexFunc(last, func(g game) bool { return g.id == zoe.id })
	require.Contains(t, section(t, text, "Zoë's rank", "and her"), fmt.Sprintf("equal scores %d\n", place+1))
	around := section(t, text, "Zoë among", "how many have 600")
	require.Len(t, column(t, around, row), 7)
	require.Contains(t, around, "  Zoë  ")
	good := 0
	for _, score := range scores {
		if score >= 600 {
			good++
		}
	}
	require.Contains(t, section(t, text, "how many have 600", "Monday"), fmt.Sprintf(" %d players\n", good))

	ended := weeks
	for _, week := range season {
		for _, day := range week {
			ended += min(len(day.games), 1)
		}
	}
	require.Contains(t, text, fmt.Sprintf("%d periods, %d prizes", ended, ended))
	weeks := section(t, text, "all weeks", "All of it")
	require.Regexp(t, `Mon 16 Mar 02:30  168\.0 h .*\n.*Mon 23 Mar 02:30  167\.0 h .*\n.*Mon 30 Mar 02:30  168\.0 h`, weeks)
}

func TestStandingsAreOrderedByScoreAndTime(t *testing.T) {
	at := time.Unix(1, 0)
	of := func(id string, score int64, at time.Time) game { return game{player{id: id}, score, at} }
	w := week{
		{games: []game{of("ann", 10, at), of("bob", 20, at.Add(1)), of("cid", 20, at)}},
		{games: []game{of("ann", 20, at.Add(2)), of("dan", 20, at.Add(1)), of("bob", 20, at.Add(3)), of("cid", 5, at)}},
	}
	require.Equal(t, []game{
		of("cid", 20, at), of("bob", 20, at.Add(1)), of("dan", 20, at.Add(1)), of("ann", 20, at.Add(2)),
	}, w.standings())
}

// row matches a line with a score.
const row = `[\d,]+  \S.{17} +([\d,]+)  \w{3} \d\d:\d\d`

// section returns the text from one line to another.
func section(t *testing.T, text, from, to string) string {
	t.Helper()
	found := regexp.MustCompile(`(?ms)^ *` + from + `.*?^ *` + to).FindString(text)
	require.NotEmpty(t, found, "from %q to %q in\n%s", from, to, text)
	return found
}

// column returns the numbers that a pattern finds.
func column(t *testing.T, text, pattern string) (numbers []int64) {
	t.Helper()
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseInt(strings.ReplaceAll(found[1], ",", ""), 10, 64)
		require.NoError(t, err)
		numbers = append(numbers, n)
	}
	return numbers
}

// The engine would fail to start.
func TestWrongArgumentsAreRefusedBeforeAnythingStarts(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1")
	var out bytes.Buffer
	for _, args := range [][]string{{"x"}, {"-players", "99"}, {"-players", "1000001"}} {
		require.Error(t, run(t.Context(), args, &out), args)
		require.Empty(t, out.String())
	}
}
