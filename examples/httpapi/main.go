// Command httpapi is a JSON service of follows, feeds, comments, reactions and boards, on a
// DynamoDB that it starts on this machine. Copy routes.go and its handlers, request.go (pages and
// times in a query), service.go (the repositories), and package web beside it (errors as answers, a
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
	"io"
	"log/slog"
	"net"
	"os"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/internal/command"
	"github.com/plaza-sdk/plaza/examples/web"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() { command.Main("httpapi", os.Stderr, run) }

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("httpapi", flag.ContinueOnError)
	addr := flags.String("addr", "localhost:8080", "listen on `HOST:PORT`")
	names := flags.String("host", "", "answer to these `NAMES` too, separated by commas")
	if done, err := command.Parse(flags, args, out); done || err != nil {
		return err
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
	server := web.NewServer(newAPI(s, log, guard.Names(*addr, *names)...), log)
	return web.Serve(ctx, listener, server, s.feeds.Run)
}

// ownTables are the tables of the features that the service has.
func ownTables() tables.Names {
	names := tables.NamesOf("httpapi-")
	names.Danmu, names.Notify, names.Message, names.Pollers, names.Letters = "", "", "", "", ""
	return names
}
