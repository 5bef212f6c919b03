// Command danmu shows videos with comments that fly over them, on a DynamoDB that it starts
// on this machine. Copy package videos; its routes.go has the requests and their handlers.
//
//	go run ./examples/danmu
//	go run ./examples/danmu -addr localhost:9000
//	go run ./examples/danmu -import FILE
//
// With -import it plays the danmu of a file, perhaps compressed as .gz, over a clock
// instead of a video. It answers to localhost, to the address of -addr and to the names of
// -host, for its own videos and those of -videos. An interrupt or SIGTERM stops it after
// the current requests.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net"
	"os"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/danmu/videos"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/internal/command"
	"github.com/plaza-sdk/plaza/examples/web"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func main() { command.Main("danmu", os.Stderr, run) }

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("danmu", flag.ContinueOnError)
	addr := flags.String("addr", "localhost:5000", "listen on `HOST:PORT`")
	names := flags.String("host", "", "answer to these `NAMES` too, separated by commas")
	others := flags.String("videos", "", "take danmu for the videos of these `IDS` too, separated by commas")
	file := flags.String("import", "", "play the danmu of `FILE` over a clock")
	if done, err := command.Parse(flags, args, out); done || err != nil {
		return err
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
	server := web.NewServer(s, log)
	server.RegisterOnShutdown(s.EndStreams)
	return web.Serve(ctx, listener, server, func(ctx context.Context) error { <-ctx.Done(); return nil })
}
