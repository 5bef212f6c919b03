// Command digest sends people digests by mail and by webhook, on a
// DynamoDB that it starts on this machine. Days pass by a clock of its own. The mail
// server, the webhook's receiver and the link that unsubscribes are real ones on loopback.
// Copy the senders, in mail and webhook; site.go plans the digests, and outside.go
// handles the click that unsubscribes.
//
//	go run ./examples/digest
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"

	"github.com/plaza-sdk/plaza/examples/internal/command"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() { command.Main("digest", os.Stdout, run) }

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	if done, err := command.Parse(flag.NewFlagSet("digest", flag.ContinueOnError), args, out); done || err != nil {
		return err
	}
	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{Notify: "digest"}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	s, err := newStory(ctx, env, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.outside.Close()) }()
	return s.tell(ctx)
}
