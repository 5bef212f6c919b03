// Package command has what the commands of the examples share: how they start, read their
// flags and end.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Run is a command. It ends when ctx does.
type Run func(ctx context.Context, args []string, out io.Writer) error

// Main runs a command until it ends, an interrupt or SIGTERM. A second signal kills the
// process. What it reports goes to out; an error goes to standard error and ends the process.
func Main(name string, out io.Writer, run Run) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:], out)
	if err != nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Parse reads flags, and refuses any other argument. If args ask for help, it prints the
// help on out, and done is true.
func Parse(flags *flag.FlagSet, args []string, out io.Writer) (done bool, err error) {
	flags.SetOutput(io.Discard) // Main prints the error once
	err = flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(out)
		flags.Usage()
		return true, nil
	case err != nil:
		return false, err
	case flags.NArg() > 0:
		return false, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return false, nil
}
