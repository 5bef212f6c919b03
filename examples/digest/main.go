// Command digest sends people digests by mail, by webhook and by text message, on a
// DynamoDB that it starts on this machine. Days pass by a clock of its own. The mail
// server, the webhook's receiver and the link that unsubscribes are real ones on loopback.
//
//	go run ./examples/digest
package main

import (
	"context"
	"errors"
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
		fmt.Fprintln(os.Stderr, "digest:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return tour(ctx, out)
}
