package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

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
	Tables tablesCommand `cmd:"" help:"Create the tables, or print templates, a policy or requests that do."`

	Estimate estimateCommand `cmd:"" help:"Estimate what a service costs, and its hottest keys."`

	Verify verifyCommand `cmd:"" help:"Compare the tables with what the features need."`
	Check  checkCommand  `cmd:"" help:"Look for damaged items and wrong counts."`
	Repair repairCommand `cmd:"" help:"Fix what check finds."`
	Erase  eraseCommand  `cmd:"" help:"Erase a user from all features."`
	Export exportCommand `cmd:"" help:"Write everything that is stored about a user, one JSON object a line."`
	ID     idCommand     `cmd:"" name:"id" help:"Explain ids."`
}

const description = `Creates, checks and operates Plaza's tables.

Region and credentials are those of the AWS SDK: AWS_REGION, AWS_PROFILE and so on.
It exits with 0 if all is well, with 1 if something failed or was found, and with 2 if its arguments are wrong.`

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

// usageError reports wrong arguments.
type usageError struct{ reason string }

func (e usageError) Error() string { return e.reason }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// run returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	own := *p
	p = &own
	p.stdin = interruptible(ctx, p.stdin)
	p.stdout = visible{p.stdout}
	p.stderr = &shared{out: visible{p.stderr}} // for progress beside damaged items
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
	for _, arg := range args { // the parser replaces such bytes
		if !utf8.ValidString(arg) {
			return p.fail(usagef("%q is not UTF-8", arg))
		}
	}
	call, err := parser.Parse(twoDashes(args))
	switch {
	case helped:
		return exitFine
	case err != nil:
		return p.fail(usageError{err.Error()})
	}
	err = call.Run()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = errInterrupted
	}
	return p.fail(err)
}

var errInterrupted = errors.New("interrupted")

var oneDash = regexp.MustCompile(`^-[a-z][a-z-]+(=|$)`)

// twoDashes lets flags begin with one dash too, as in Go's own tools.
func twoDashes(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if arg == "--" {
			break
		}
		if oneDash.MatchString(arg) {
			out[i] = "-" + arg
		}
	}
	return out
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// interruptible is a reader that ends with ctx. A read that blocks, of a terminal for
// example, goes on in a goroutine until the process ends.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	type answer struct {
		read []byte
		err  error
	}
	return readerFunc(func(b []byte) (int, error) {
		answers := make(chan answer, 1)
		go func() {
			own := make([]byte, len(b))
			n, err := r.Read(own)
			answers <- answer{own[:n], err}
		}()
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case a := <-answers:
			return copy(b, a.read), a.err
		}
	})
}

// stopped is the error of long work. Its hint says how to continue.
type stopped struct {
	err  error
	hint string
}

func (e stopped) Error() string { return e.err.Error() + "\n" + e.hint }

func (e stopped) Unwrap() error { return e.err }

const continues = "Run the same command again to continue."

// stop adds the hint to an error, and replaces the error of Ctrl-C.
func stop(ctx context.Context, err error, hint string) error {
	switch {
	case err == nil || errors.Is(err, errFound):
		return err
	case ctx.Err() != nil:
		err = errInterrupted
	}
	return stopped{err, hint}
}

// fail prints an error and returns its exit code.
func (p *program) fail(err error) int {
	var usage usageError
	var invalid *plaza.InvalidError // all arguments are from the command line
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errFound):
		return exitFailure
	}
	fmt.Fprintln(p.stderr, "plaza:", strings.TrimPrefix(err.Error(), "plaza: "))
	if errors.As(err, &usage) || errors.As(err, &invalid) {
		fmt.Fprintln(p.stderr, "See plaza --help.")
		return exitUsage
	}
	if errors.Is(err, plaza.ErrTable) {
		fmt.Fprintln(p.stderr, "If your tables have other names, or you do not use all features, see --prefix, --table and --only.")
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
