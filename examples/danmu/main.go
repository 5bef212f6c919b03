// Command danmu shows videos with comments that fly over them: package videos, on a
// DynamoDB that it starts on this machine. Copy from both.
//
//	go run ./examples/danmu
//	go run ./examples/danmu -addr localhost:9000
//	go run ./examples/danmu -import FILE
//
// With -import it plays the danmu of a file, perhaps compressed as .gz, over a clock
// instead of a video. videos/routes.go lists the requests. It answers to localhost, to
// the address of -addr and to the names of -host, for its own videos and those of
// -videos. An interrupt or SIGTERM stops it after the current requests.
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

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/danmu/videos"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills the process
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "danmu:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("danmu", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // main prints the error once
	addr := flags.String("addr", "localhost:5000", "listen on `HOST:PORT`")
	names := flags.String("host", "", "answer to these `NAMES` too, separated by commas")
	others := flags.String("videos", "", "take danmu for the videos of these `IDS` too, separated by commas")
	file := flags.String("import", "", "play the danmu of `FILE` over a clock")
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
	opts := &videos.Options{Others: guard.List(*others), Hosts: guard.Names(*addr, *names), Log: log}
	var shown videos.Video // of the file
	var comments []danmu.Comment
	if *file != "" {
		if shown, comments, err = readFile(*file, log); err != nil {
			return err
		}
		opts.Videos = []videos.Video{shown}
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	defer listener.Close()

	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{Machines: "danmu-machines", Danmu: "danmu-danmu"}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	s, err := videos.New(ctx, env.DB, env.Tables, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := load(ctx, s, shown.ID, comments, log); err != nil {
		return err
	}

	log.Info("listening", "url", "http://"+listener.Addr().String())
	return serve(ctx, listener, s, log)
}
