// Command pipeline shows a table's changes on their whole way, on a DynamoDB that it starts on this
// machine: from the table's stream over a bus to boards and an archive. A record that cannot be
// applied becomes a dead letter, and is redriven after a fix. At the end it checks that nothing was
// lost. Copy hackathon (what is sent where), functions and template.yaml (the same on Lambda,
// EventBridge, SQS and Firehose).
//
//	go run ./examples/pipeline
//	go run ./examples/pipeline -projects 1000
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/plaza-sdk/plaza/examples/internal/command"
)

const maxProjects = 10_000

func main() { command.Main("pipeline", os.Stdout, run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("pipeline", flag.ContinueOnError)
	projects := flags.Int("projects", 100, fmt.Sprintf("how `many` further projects there are, up to %d", maxProjects))
	done, err := command.Parse(flags, args, out)
	switch {
	case done || err != nil:
		return err
	case *projects < 0 || *projects > maxProjects:
		return fmt.Errorf("-projects is %d, 0 to %d are allowed", *projects, maxProjects)
	}
	return play(ctx, newOutside(), *projects, 2*time.Minute, out)
}
