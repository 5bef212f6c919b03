// Command leaderboard plays a season on a DynamoDB that it starts on this machine:
// thousands of players compete day by day and week by week, a cheater is hidden, the best
// get prizes, and each step is printed with its cost. Copy tour.go: it has each call of a
// board once.
//
//	go run ./examples/leaderboard
//	go run ./examples/leaderboard -players 1000
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/plaza-sdk/plaza/examples/internal/command"
)

const minPlayers, maxPlayers = 100, 1_000_000 // enough for a game on each last day

func main() { command.Main("leaderboard", os.Stdout, run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("leaderboard", flag.ContinueOnError)
	players := flags.Int("players", 10_000, fmt.Sprintf("how `many` play, %d to %d", minPlayers, maxPlayers))
	done, err := command.Parse(flags, args, out)
	switch {
	case done || err != nil:
		return err
	case *players < minPlayers || *players > maxPlayers:
		return fmt.Errorf("-players is %d, %d to %d are allowed", *players, minPlayers, maxPlayers)
	}
	return tour(ctx, out, *players)
}
