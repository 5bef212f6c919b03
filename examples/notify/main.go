// Command notify fills people's bells from streams, on a DynamoDB that it starts on
// this machine. A service follows, likes and comments with one write each; workers
// read the streams of these tables and notify people. At the end the streams are
// read again from the start, which changes nothing.
//
//	go run ./examples/notify
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "notify:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return tour(ctx, 2*time.Minute, out)
}
