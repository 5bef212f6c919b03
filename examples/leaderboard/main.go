// Command leaderboard plays a season on a DynamoDB that it starts on this
// machine: thousands of players compete day by day and week by week, a cheater
// is hidden, and each step is printed with what it cost.
//
//	go run ./examples/leaderboard
//	go run ./examples/leaderboard -players 1000
//
// With -fold it compares folded ranks with counted ones instead, on a board where
// everybody's best score of the last week is:
//
//	go run ./examples/leaderboard -players 200000 -fold
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	_ "time/tzdata" // for machines without zone files
)

const minPlayers, maxPlayers = 100, 1_000_000 // enough for a game on each last day

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "leaderboard:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("leaderboard", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error once
	players := flags.Int("players", 10_000, fmt.Sprintf("how `many` play, %d to %d", minPlayers, maxPlayers))
	fold := flags.Bool("fold", false, "compare folded ranks with counted ones; 200,000 players take some eight minutes")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(out)
		flags.Usage()
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *players < minPlayers || *players > maxPlayers:
		return fmt.Errorf("-players is %d, %d to %d are allowed", *players, minPlayers, maxPlayers)
	}
	if *fold {
		return compare(ctx, out, *players)
	}
	return tour(ctx, out, *players)
}
