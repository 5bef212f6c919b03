// Command pinboard is a photo community over every feature of Plaza, in one process, on a
// DynamoDB that it starts on this machine. Copy from it: each screen has a Go file of
// its name here and a JavaScript module of its name in static/screens.
//
//	go run ./examples/pinboard
//	go run ./examples/pinboard -addr localhost:9000
//	go run ./examples/pinboard -endpoint http://localhost:8000
//
// With -endpoint it uses a DynamoDB that is already there, and its tables stay. An
// interrupt or SIGTERM stops it after the current requests.
//
// It is two functions of Lambda too, which examples/pinboard/lambda deploys.
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

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/internal/command"
	"github.com/plaza-sdk/plaza/examples/web"
)

func main() {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		fmt.Fprintln(os.Stderr, "pinboard:", runOnLambda(context.Background()))
		os.Exit(1)
	}
	command.Main("pinboard", os.Stderr, run)
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("pinboard", flag.ContinueOnError)
	addr := flags.String("addr", "localhost:5000", "listen on `HOST:PORT`")
	names := flags.String("host", "", "answer to these `NAMES` too, separated by commas")
	endpoint := flags.String("endpoint", "", "use the DynamoDB at `URL`; one that is not AWS reports other costs")
	if done, err := command.Parse(flags, args, out); done || err != nil {
		return err
	}

	log := slog.New(slog.NewTextHandler(out, nil))
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	db, err := openDatabase(ctx, *endpoint)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	a, err := newApp(ctx, db, log, guard.Names(*addr, *names)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.seed(free(ctx), out); err != nil {
		return err
	}
	if err := a.welcome(ctx); err != nil {
		return err
	}
	if err := a.switchOnStreams(ctx); err != nil { // before the first write of a person
		return err
	}
	log.Info("open this in a browser", "url", "http://"+listener.Addr().String())
	return serve(ctx, listener, a, guard.Names(*addr, *names))
}

// serve answers requests and works in the background until ctx ends.
func serve(ctx context.Context, l net.Listener, a *app, hosts []string) error {
	s := newAPI(a, hosts...)
	server := web.NewServer(s, a.log)
	server.RegisterOnShutdown(s.endStreams)
	server.RegisterOnShutdown(a.clips.EndStreams)
	return web.Serve(ctx, l, server, a.run)
}
