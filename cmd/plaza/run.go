package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza"
)

// The exit codes.
const (
	exitFine    = 0
	exitFailure = 1 // or findings
	exitUsage   = 2
)

// commands are all commands. Each has a file of its own.
type commands struct {
	Tables tablesCommand `cmd:"" help:"Print what creates the tables."`

	Estimate estimateCommand `cmd:"" help:"Estimate what a service costs, and its hottest keys."`

	Verify verifyCommand `cmd:"" help:"Compare the tables with what the features need."`
	Check  checkCommand  `cmd:"" help:"Look for damaged items and wrong counts."`
	Repair repairCommand `cmd:"" help:"Fix what check finds."`
	Erase  eraseCommand  `cmd:"" help:"Erase a user from all features."`
	Export exportCommand `cmd:"" help:"Write all that is stored of a user, one JSON object a line."`
	ID     idCommand     `cmd:"" name:"id" help:"Explain ids."`
}

const description = `Creates, checks and operates Plaza's tables.

Region and credentials are those of the AWS SDK: AWS_REGION, AWS_PROFILE and so on.
It exits with 0 where all is well, with 1 where something failed or was found, and with 2 where it was called wrongly.`

// program is what a run reads, writes and connects to.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool // stderr is one
	config         func(context.Context) (aws.Config, error)

	// For tests:
	wrap func(aws.HTTPClient) aws.HTTPClient // nil for none
	page int                                 // how many items are read at once, 0 for the default
}

// errFound ends a run that printed what it found.
var errFound = errors.New("something was found")

// usageError is a call that makes no sense.
type usageError struct{ reason string }

func (e usageError) Error() string { return e.reason }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// run returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	p.stderr = &shared{out: p.stderr} // for progress beside damaged items
	helped := false
	parser, err := kong.New(&commands{},
		kong.Name("plaza"), kong.Description(description),
		kong.Writers(p.stdout, p.stderr), kong.Exit(func(int) { helped = true }),
		kong.Bind(p), kong.BindTo(ctx, (*context.Context)(nil)), kong.BindTo(p.stdout, (*io.Writer)(nil)),
	)
	if err != nil { // a command is declared wrongly
		return p.fail(err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	call, err := parser.Parse(args)
	switch {
	case helped:
		return exitFine
	case err != nil:
		return p.fail(usageError{err.Error()})
	}
	return p.fail(call.Run())
}

// stopped is the error of long work, and says how to go on.
type stopped struct {
	err  error
	hint string
}

func (e stopped) Error() string { return e.err.Error() + "\n" + e.hint }

func (e stopped) Unwrap() error { return e.err }

const continues = "Give the same command again to continue."

// stop adds the hint to an error, and says what Ctrl-C did.
func stop(ctx context.Context, err error, hint string) error {
	switch {
	case err == nil || errors.Is(err, errFound):
		return err
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	}
	return stopped{err, hint}
}

// fail prints an error and returns its exit code.
func (p *program) fail(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errFound):
		return exitFailure
	case errors.As(err, &usage):
		fmt.Fprintf(p.stderr, "plaza: %v\nSee plaza --help.\n", err)
		return exitUsage
	}
	fmt.Fprintln(p.stderr, "plaza:", err)
	if errors.Is(err, plaza.ErrTable) {
		fmt.Fprintln(p.stderr, "If you use other names, or not all features, see --prefix, --table and --only.")
	}
	return exitFailure
}

// print prints a line: JSON or the text of String.
func (p *program) print(v fmt.Stringer, asJSON bool) {
	if !asJSON {
		fmt.Fprintln(p.stdout, v)
		return
	}
	line, err := json.Marshal(v)
	if err != nil { // texts and numbers always marshal
		panic(err)
	}
	fmt.Fprintf(p.stdout, "%s\n", line)
}
