// Command quickstart shows Plaza at work. It starts a DynamoDB on this machine,
// lets people follow, publish and read, and prints each step with its cost.
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart -graph wiki-vote.txt.gz
//	go run ./examples/quickstart -graph wiki-vote.txt.gz -pull-above 200
//
// With -graph it imports a follow graph and checks the result. The file has one
// edge a line, "follower followee", and may be gzipped: for example SNAP's
// wiki-Vote graph of 7,115 people and 103,689 edges.
//
// With -pull-above N it compares delivering to every home with pulling from people
// with more than N followers: requests, units and seconds. The homes must be equal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error, once
	file := flags.String("graph", "", "import the follow graph in `FILE`: follower and followee a line, plain or gzipped")
	above := flags.Int("pull-above", 0, "pull from people with more than `N` followers, and compare; 0 is off")
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
	case *above < 0:
		return errors.New("-pull-above is negative")
	case *above > 0 && *file == "":
		return errors.New("-pull-above needs -graph")
	case *file != "":
		return importGraph(ctx, out, *file, *above)
	}
	return tour(ctx, out)
}
