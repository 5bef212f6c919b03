// Command pipeline shows a table's changes on their whole way, on a DynamoDB that it
// starts on this machine: from the table's stream over a bus to boards and an archive.
// A record that cannot be applied becomes a dead letter, and is driven again after a
// fix. At the end it checks that nothing was lost.
//
//	go run ./examples/pipeline
//	go run ./examples/pipeline -projects 1000 -archive changes.ndjson
//	go run ./examples/pipeline -endpoint http://localhost:5000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
)

const maxProjects = 10_000

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pipeline:", err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	projects int
	archive  string // "" is a file in a temporary folder
	endpoint string // "" is the local bus
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("pipeline", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error once
	flags.IntVar(&s.projects, "projects", 100, fmt.Sprintf("how `many` further projects there are, up to %d", maxProjects))
	flags.StringVar(&s.archive, "archive", "", "write the archive to this new `file`, and keep it")
	flags.StringVar(&s.endpoint, "endpoint", "", "use EventBridge, SQS, Firehose and S3 at this `URL`, of a moto server")
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
	case s.projects < 0 || s.projects > maxProjects:
		return fmt.Errorf("-projects is %d, 0 to %d are allowed", s.projects, maxProjects)
	case s.archive != "" && s.endpoint != "":
		return errors.New("-archive is a file, with -endpoint the archive is in S3")
	}
	if u, err := url.Parse(s.endpoint); s.endpoint != "" && (err != nil || u.Host == "") {
		return errors.New("-endpoint is no URL")
	}
	return tour(ctx, s, out)
}
