// Command httpapi shows Plaza's features as a JSON service, on a DynamoDB that it starts on
// this machine. Copy routes.go and its handlers, errors.go (errors as statuses),
// request.go (pages and times in a query), service.go (the repositories) and server.go (a
// graceful stop).
//
//	go run ./examples/httpapi
//	go run ./examples/httpapi -addr localhost:9000
//
// It answers to localhost, to the address of -addr and to the names of -host.
// PLAZA_CURSOR_KEY, 64 hexadecimal digits, is the key that seals its cursors. An interrupt
// or SIGTERM stops it after the current requests.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the process
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "httpapi:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("httpapi", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error once
	addr := flags.String("addr", "localhost:8080", "listen on `HOST:PORT`")
	names := flags.String("host", "", "answer to these `NAMES` too, separated by commas")
	err = flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(out)
		flags.Usage()
		return nil
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	log := slog.New(slog.NewTextHandler(out, nil))
	codec, err := newCodec(os.Getenv, log)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	defer listener.Close()

	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: ownTables()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	s, err := newService(ctx, env.DB, env.Tables, codec, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	log.Info("listening", "url", "http://"+listener.Addr().String())
	return serve(ctx, listener, s, log, guard.Names(*addr, *names))
}

// ownTables are the tables of the features that the service has.
func ownTables() tables.Names {
	names := tables.NamesOf("httpapi-")
	names.Danmu, names.Pollers, names.Letters = "", "", ""
	return names
}
