// Command quickstart shows follows and feeds at work. It starts a DynamoDB on this machine,
// lets people follow, publish and read, and prints each step with its cost. Copy service.go
// (how a service opens Plaza) and tour.go (each call once).
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
	"io"
	"os"

	"github.com/plaza-sdk/plaza/examples/internal/command"
)

func main() { command.Main("quickstart", os.Stdout, run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	file := flags.String("graph", "", "import the follow graph in `FILE`: follower and followee a line, plain or gzipped")
	above := flags.Int("pull-above", 0, "pull from people with more than `N` followers, and compare; 0 is off")
	done, err := command.Parse(flags, args, out)
	switch {
	case done || err != nil:
		return err
	case *above < 0:
		return errors.New("-pull-above is negative")
	case *above > 0 && *file == "":
		return errors.New("-pull-above needs -graph")
	case *file != "":
		return importGraph(ctx, out, *file, *above)
	}
	return tour(ctx, out)
}
